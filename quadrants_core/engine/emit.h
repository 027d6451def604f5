#pragma once
// Machine code of a task, in a way that Stop and the end of the process need not wait for the compiler.
#include "engine/lowering.h"

namespace qd::engine {

/// Tasks with fewer instructions are emitted in some milliseconds, on the calling thread.
inline constexpr size_t apart_from_size = 1000;

/// `lowering.emit` of legal IR. A large task is emitted on a thread of its own; after Stop that thread is left alone to
/// finish for nobody, at the lowest priority, and Interrupted is thrown. `task` is lost then, else kept.
abi::Binary emit(const Lowering &lowering, ir::Function &task, backends::Tier tier);
/// `lowering.disassemble`, in the same way.
std::string disassemble(const Lowering &lowering, ir::Function &task, backends::Tier tier, backends::Listing listing);

} // namespace qd::engine
