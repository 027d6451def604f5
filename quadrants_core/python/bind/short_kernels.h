#pragma once
// Predicts kernels short enough to launch without releasing the GIL.
#include "ir/function.h"

namespace qd::bind {

/// True if a launch with small arrays is short-running however its loops nest, and does not print, assert or call external code.
bool is_short_running(const ir::Function &fn);

} // namespace qd::bind
