#pragma once
// A compiler takes milliseconds to initialise. If the cache is empty, the program will need it, so it is initialised on another core while
// the user's program continues.
#include "engine/lowering.h"

namespace qd::engine {

/// Compiles a small task and discards it, once per process and backend; does nothing on a machine with one core.
void warm_up(const Lowering &lowering);
/// Called before code generation: waits while the warm-up thread opens the compiler, which would otherwise be opened twice.
void await_compiler();
/// Waits until the warm-up has finished.
void finish_warm_up();

} // namespace qd::engine
