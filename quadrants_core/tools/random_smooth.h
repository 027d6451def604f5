#pragma once
// Functions that have derivatives almost everywhere, made from a seed. Arrays of one axis of f64 come in pairs: the second is
// the companion of the first. They obey the global data access rule, and what is stored is ordered or has one writer.
#include "autodiff/autodiff.h"
#include "tools/execute.h"

namespace qd::tools {

ir::Function random_smooth_function(uint64_t seed);
/// Moderate numbers; all arrays have the same extent.
Inputs random_smooth_inputs(const ir::Function &fn, uint64_t seed);
/// Of any function with such parameters.
autodiff::Companions paired_companions(const ir::Function &fn);

} // namespace qd::tools
