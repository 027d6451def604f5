#pragma once
#include "autodiff/autodiff.h"

namespace qd::autodiff {

/// The kernel, which notes in the companions what it loads, and stops where it stores to what was loaded before: going
/// backward memory is read again, so it must still hold what was read.
ir::Function validate(const ir::Function &kernel, const Companions &marks);

} // namespace qd::autodiff
