#pragma once
#include "autodiff/autodiff.h"

namespace qd::autodiff {

/// Returns the kernel, instrumented to mark in the companions the elements that it loads, and to fail where it stores to an element that
/// was loaded before: the backward pass reads memory again, so it must still contain the same values.
ir::Function validate(const ir::Function &kernel, const Companions &marks);

} // namespace qd::autodiff
