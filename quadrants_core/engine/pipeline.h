#pragma once
// The passes and their order, before and after a kernel is cut into tasks.
#include "passes/passes.h"

#include <vector>

namespace qd::engine {

std::span<const passes::Pass> kernel_stage();
std::span<const passes::Pass> derivative_stage(); ///< the part of it that precedes differentiation
std::span<const passes::Pass> task_stage();       ///< `scalar_stage`, then `lane_stage`
std::span<const passes::Pass> scalar_stage();
std::span<const passes::Pass> lane_stage(); ///< SIMD

/// The passes of a list that remain after the compile flags of this function are applied.
std::vector<passes::Pass> chosen(std::span<const passes::Pass> list, const ir::Function &fn);

} // namespace qd::engine
