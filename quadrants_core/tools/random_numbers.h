#pragma once
// Random choices that are the same on every machine: splitmix64.
#include "ir/eval.h"

#include <cstdint>
#include <iterator>

namespace qd::tools {

class Numbers {
  public:
    explicit Numbers(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    uint64_t below(uint64_t n) { return next() % n; }
    int64_t between(int64_t lo, int64_t hi) { return lo + int64_t(below(uint64_t(hi - lo + 1))); }
    bool chance(uint64_t percent) { return below(100) < percent; }
    template <class List> const auto &of(const List &list) { return list[below(std::size(list))]; }

    /// Returns mostly small numbers, sometimes extremes, but no NaN and nothing that devices flush to zero.
    ir::Constant number(ir::Scalar type);

  private:
    uint64_t state_;
};

} // namespace qd::tools
