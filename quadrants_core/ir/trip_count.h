#pragma once
// Trip counts of loops, as far as their bounds are constants.
#include "ir/function.h"

#include <cstdint>

namespace qd::ir {

constexpr int64_t unbounded = INT64_MAX;
/// A loop whose trip count and total number of iterations do not exceed these need not poll for Stop.
constexpr int64_t few_trips = 4096, few_iterations = 1 << 16;

/// Trip count of a `for` or `loop`; `unbounded` if its bounds are not constants.
int64_t trips(const Function &fn, Value loop);
/// Total number of iterations of all loops in a block, nested ones multiplied: 0 without loops, at most `unbounded`.
int64_t iterations(const Function &fn, BlockId block);
/// Product that saturates at `unbounded`.
int64_t times(int64_t trips, int64_t iterations);

} // namespace qd::ir
