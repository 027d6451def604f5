#pragma once
// Emits the machine code of a task such that neither Stop nor the end of the process has to wait for the compiler.
#include "engine/lowering.h"

namespace qd::engine {

/// Tasks with fewer instructions are emitted in a few milliseconds, on the calling thread.
inline constexpr size_t abandonable_from_size = 1000;

/// `lowering.emit` of legal IR. A large task is emitted on its own thread; after Stop that thread is left to finish at the lowest priority,
/// its result is discarded, and Interrupted is thrown. In that case `task` is lost, otherwise it is kept.
abi::Binary emit(const Lowering &lowering, ir::Function &task, backends::Tier tier);
/// `lowering.disassemble`, in the same way.
std::string disassemble(const Lowering &lowering, ir::Function &task, backends::Tier tier, backends::Listing listing);

} // namespace qd::engine
