#pragma once
// How often loops run, as far as their limits tell.
#include "ir/function.h"

#include <cstdint>

namespace qd::ir {

constexpr int64_t unbounded = INT64_MAX;
/// A loop of no more trips, and no more rounds in all, need not look for Stop.
constexpr int64_t few_trips = 4096, few_rounds = 1 << 16;

/// Rounds of a `for` or `loop` without those of loops inside; unbounded if its limits are not constants.
int64_t trips(const Function &fn, Value loop);
/// Of all loops in a block, each with those inside of it: 0 if there is none, at most `unbounded`.
int64_t rounds(const Function &fn, BlockId block);
/// The product of two such numbers.
int64_t times(int64_t trips, int64_t rounds);

} // namespace qd::ir
