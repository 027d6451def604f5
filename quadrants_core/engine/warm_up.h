#pragma once
// A compiler takes milliseconds to come up. A program that finds nothing in the cache will need it, so it is brought up
// on another core while the user's program goes on.
#include "engine/lowering.h"

namespace qd::engine {

/// Starts compiling a small task for nothing, once per process and backend; does nothing on a machine with one core.
void warm_up(const Lowering &lowering);
/// Before code is generated: waits while a thread opens the compiler, which would be done twice otherwise.
void await_compiler();
/// Waits for all of it.
void finish_warm_up();

} // namespace qd::engine
