#pragma once
// Ranges of tasks that are computed without running code. Plain data, as abi.h.
#include <cstdint>

namespace qd::abi {

inline constexpr uint32_t max_range_factors = 4;

/// A number of a launch, computed in 64 bits: the low 32 bits of a slot of a launch record as i32, plus `first` with wrap-around; widened;
/// plus `then`; at least `least`. Without a slot: `least`.
struct RangeFactor {
    static constexpr uint32_t no_slot = UINT32_MAX;
    uint32_t slot = no_slot;
    uint32_t first = 0;
    int64_t then = 0, least = 0;

    int64_t value(const uint64_t *args) const {
        if (slot == no_slot) return least;
        const int64_t found = int64_t(uint64_t(int64_t(int32_t(uint32_t(args[slot]) + first))) + uint64_t(then));
        return found > least ? found : least;
    }
};
/// The range of a task from `begin` to the product of the factors.
struct Range {
    int64_t begin = 0;
    uint32_t factors = 0; ///< 0: the range is not known without running code
    uint32_t unused = 0;
    RangeFactor factor[max_range_factors];

    int64_t end(const uint64_t *args) const {
        uint64_t product = 1;
        for (uint32_t i = 0; i < factors; i++) product *= uint64_t(factor[i].value(args));
        return int64_t(product);
    }
};
} // namespace qd::abi
