#pragma once
// Values that are equal for all threads of a launch.
#include "ir/function.h"

#include <vector>

namespace qd::analysis {

/// True for values that follow from parameters and constants alone, by value id. Loaded values, parameters of blocks, results of branches
/// and loops, positions of threads are not counted among them.
std::vector<bool> uniform_values(const ir::Function &fn);

} // namespace qd::analysis
