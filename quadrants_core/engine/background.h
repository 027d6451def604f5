#pragma once
// Work that no launch waits for: one thread of low priority for the whole process, there only while it has work.
#include "engine/compiled_kernel.h"

#include <functional>

namespace qd::engine {

/// `work` throws nothing, and touches its program through `with_program` alone.
void in_background(std::shared_ptr<Lifetime> lifetime, std::function<void()> work);
/// From such work: calls `touch` with the program, which does not end meanwhile; false if it has ended.
bool with_program(Lifetime &lifetime, const std::function<void(Program::Impl &)> &touch);
/// Drops the work of a program that ends; what is under way finishes on its own and changes nothing.
void forget_background(const Lifetime *lifetime);
/// Waits for the work of a program.
void finish_background(const Lifetime *lifetime);

} // namespace qd::engine
