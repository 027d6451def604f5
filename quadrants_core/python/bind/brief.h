#pragma once
// Which kernels are so soon done that a launch keeps the GIL.
#include "ir/function.h"

namespace qd::bind {

/// The work of a launch with small arrays is soon done, however its loops nest, and nothing is printed.
bool is_brief(const ir::Function &fn);

} // namespace qd::bind
