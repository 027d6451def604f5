#pragma once
// Machine code of a task, in a way that Stop and the end of the process need not wait for the compiler.
#include "backends/backend.h"

namespace qd::engine {

/// Tasks with fewer instructions are emitted in some milliseconds, on the calling thread.
inline constexpr size_t apart_from_size = 1000;

/// `backend.emit` of legal IR. A large task is emitted on a thread of its own; after Stop that thread is left alone to
/// finish for nobody, at the lowest priority, and Interrupted is thrown. `task` is lost then, else kept.
abi::Binary emit(const backends::Backend &backend, ir::Function &task, const backends::Caps &caps, backends::Tier tier);

} // namespace qd::engine
