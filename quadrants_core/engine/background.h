#pragma once
// Work that no launch waits for. One low-priority thread per process does it; the thread exists only while there is work.
#include "engine/compiled_kernel.h"

#include <functional>

namespace qd::engine {

/// `work` must not throw, and may access its program only through `with_program`.
void in_background(std::shared_ptr<Lifetime> lifetime, std::function<void()> work);
/// For background work: calls `touch` with the program, which cannot end meanwhile. Returns false if the program has ended.
bool with_program(Lifetime &lifetime, const std::function<void(Program &)> &touch);
/// Drops the queued jobs of a program that ends. A job that is already running finishes on its own and changes nothing.
void forget_background(const Lifetime *lifetime);
/// Waits until all jobs of a program have finished.
void finish_background(const Lifetime *lifetime);

} // namespace qd::engine
