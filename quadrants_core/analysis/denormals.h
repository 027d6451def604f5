#pragma once
// Whether a task gives the same results where the processor flushes subnormal floats to zero and where it does not.
#include "ir/function.h"

namespace qd::analysis {

/// No instruction of it can take or give one, but to move it as it is. Adding a constant that is not tiny is such a move too: next to it
/// a subnormal is rounded away, and no sum is one.
bool is_the_same_without_flushing(const ir::Function &task);

} // namespace qd::analysis
