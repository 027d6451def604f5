#pragma once
// Decides whether a task gives the same results with and without flushing of subnormal floats to zero.
#include "ir/function.h"

namespace qd::analysis {

/// True if no instruction can consume or produce a subnormal, except by moving it unchanged. Adding a constant that is not tiny is allowed
/// too: a subnormal operand is rounded away, and the sum is never subnormal.
bool is_independent_of_flushing(const ir::Function &task);

} // namespace qd::analysis
