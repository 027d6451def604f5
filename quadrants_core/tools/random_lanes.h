#pragma once
// Random functions whose threads cooperate: shuffles, votes, barriers and memory of a block, under control flow that the threads which
// an op joins take together.
#include "tools/execute.h"

namespace qd::tools {

/// Makes a kernel with parallel loops over blocks of threads. Its result does not depend on the order in which threads run.
ir::Function random_lanes_function(uint64_t seed);
/// Returns arguments and the number of lanes.
Inputs random_lanes_inputs(const ir::Function &fn, uint64_t seed);

} // namespace qd::tools
