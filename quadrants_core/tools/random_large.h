#pragma once
// Functions with one block of thousands of instructions, whose results hardly depend on how sums are grouped and quotients are
// rounded: fast_math changes them by at most 1e-4.
#include "tools/execute.h"

namespace qd::tools {

/// Makes a function with about `instructions` instructions in the block.
ir::Function random_large_function(uint64_t seed, size_t instructions, bool fast_math);
Inputs random_large_inputs(const ir::Function &fn, uint64_t seed);

} // namespace qd::tools
