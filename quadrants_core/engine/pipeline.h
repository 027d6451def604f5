#pragma once
// Which passes run, in which order, before and after a kernel is cut into tasks.
#include "passes/passes.h"

namespace qd::engine {

std::span<const passes::Pass> kernel_stage();
std::span<const passes::Pass> task_stage();

} // namespace qd::engine
