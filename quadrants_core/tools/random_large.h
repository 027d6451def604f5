#pragma once
// Functions with one block of thousands of instructions, whose numbers stay alike however their sums are grouped and their quotients
// rounded: what fast_math may do to them is within 1e-4.
#include "tools/execute.h"

namespace qd::tools {

/// About `instructions` in the block.
ir::Function random_large_function(uint64_t seed, size_t instructions, bool fast_math);
Inputs random_large_inputs(const ir::Function &fn, uint64_t seed);

} // namespace qd::tools
