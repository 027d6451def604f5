#pragma once
// Memory for launch records.
#include "abi/abi.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace qd::abi {

/// A record with room for `size` arguments, for the stack.
template <size_t size> struct LaunchWith {
    Launch launch;
    uint64_t slots[size];
};
static_assert(offsetof(LaunchWith<1>, slots) == sizeof(Launch));

/// A record with room for any number of arguments. Its words are zeros at first.
class LaunchRecord {
  public:
    explicit LaunchRecord(size_t slots = 0) { resize(slots); }
    /// Returns a copy of a record with so many slots.
    static LaunchRecord copy_of(const Launch &launch, size_t slots) {
        LaunchRecord copy(slots);
        copy.head() = launch;
        std::copy_n(launch.args(), slots, copy.args());
        return copy;
    }

    void resize(size_t slots) { words_.resize(sizeof(Launch) / sizeof(uint64_t) + slots); }
    Launch &head() { return *reinterpret_cast<Launch *>(words_.data()); }
    uint64_t *args() { return head().args(); }
    const uint64_t *args() const { return reinterpret_cast<const Launch *>(words_.data())->args(); }

  private:
    std::vector<uint64_t> words_;
};

} // namespace qd::abi
