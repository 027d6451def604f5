#pragma once
// Makes well-formed functions from a seed: the same seed and options give the same function on every machine. The functions
// terminate, stay inside their arrays, and give the same result in any order of parallel iterations.
#include "tools/execute.h"

namespace qd::tools {

struct RandomOptions {
    int statements = 40; ///< about how many
    bool arrays = true;  ///< array parameters and fields
    bool control = true;
    bool parallel = true;        ///< some functions have parallel loops
    bool effects = true;         ///< prints, assertions, counters, random numbers
    bool transcendental = false; ///< ops that backends round differently
};
ir::Function random_function(uint64_t seed, const RandomOptions &options = {});
/// Returns arguments for a function, extremes among them. Arrays of equal rank get equal extents.
Inputs random_inputs(const ir::Function &fn, uint64_t seed);

} // namespace qd::tools
