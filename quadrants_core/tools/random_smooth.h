#pragma once
// Makes functions from a seed that have derivatives almost everywhere. One-dimensional arrays of f64 come in pairs: the second
// is the companion of the first. The functions obey the global data access rule, and stores are in order or have one writer.
#include "autodiff/autodiff.h"
#include "tools/execute.h"

namespace qd::tools {

ir::Function random_smooth_function(uint64_t seed);
/// Returns moderate numbers; all arrays have the same extent.
Inputs random_smooth_inputs(const ir::Function &fn, uint64_t seed);
/// Returns the companions of any function with such parameters.
autodiff::Companions paired_companions(const ir::Function &fn);

} // namespace qd::tools
