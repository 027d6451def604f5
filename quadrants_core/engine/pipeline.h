#pragma once
// Which passes run, in which order, before and after a kernel is cut into tasks.
#include "passes/passes.h"

namespace qd::engine {

std::span<const passes::Pass> kernel_stage();
std::span<const passes::Pass> derivative_stage(); ///< what of it comes before a derivative is made
std::span<const passes::Pass> task_stage();       ///< `scalar_stage`, then `lane_stage`
std::span<const passes::Pass> scalar_stage();
std::span<const passes::Pass> lane_stage(); ///< SIMD

} // namespace qd::engine
