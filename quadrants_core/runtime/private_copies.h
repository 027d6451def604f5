#pragma once
// Copies of arrays that the threads of a launch accumulate in, each in its own, and how they come together (private_copies.cpp).
// Where the order of sums is fixed, parts of the range have copies instead of threads: fixed_order.cpp.
#include "abi/abi.h"
#include "abi/accumulation.h"

#include <span>
#include <vector>

namespace qd::runtime {

class CellPool;
class Pool;

class PrivateCopies {
  public:
    /// `always`: copies are made whether they pay or not.
    PrivateCopies(int threads, bool always) : threads_(size_t(threads)), always_(always) {}
    ~PrivateCopies();
    PrivateCopies(const PrivateCopies &) = delete;

    /// Makes copies of what pays in a launch over `indices` of a range, none if there is no memory; true if there are some. Then
    /// `merge` goes with it.
    bool begin(std::span<const abi::Accumulation> what, const abi::LaunchData &launch, int64_t indices);
    /// In the launch at hand there are copies of everything that it may have copies of.
    bool are_all() const;
    /// Copies for each of several parts of a range of `chunks`, of all sums of real numbers; returns how many parts, which follows
    /// from lengths alone. 0: they would take more than `work`, in simple operations, is worth. DeviceError if there is no memory.
    uint32_t begin_parts(std::span<const abi::Accumulation> what, const abi::LaunchData &launch, int64_t indices,
                         double work, uint32_t chunks);
    /// From the array to the copy of a thread, or part, for each accumulation: abi::Thread::to_copy.
    void tell(size_t copy, int64_t *to_copy) const;
    /// Brings what was done in the copies to the arrays, in their order. The copies are empty after it.
    void merge(Pool &pool);
    /// Of the copies of the launch at hand, or the last one.
    uint64_t bytes() const;
    uint32_t count() const { return uint32_t(count_); }

  private:
    struct Copied {
        abi::Accumulation what;
        char *original = nullptr; ///< null: it has no copies in this launch
        uint64_t bytes = 0;
        CellPool *cells = nullptr; ///< of a sparse tree: `bytes` are of all that there may be

        uint64_t used_bytes() const; ///< of those that there are
    };
    struct Room {
        char *at = nullptr;
        uint64_t bytes = 0;
        uint64_t used =
            0; ///< so many were merged last: they are zero. What lies behind may not be, if a kernel left its array
    };
    struct Merging;

    bool find(const abi::Accumulation &what, const abi::LaunchData &launch, Copied &out) const;
    bool pays(const Copied &found, int64_t indices) const;
    void make_room(size_t number, uint64_t bytes);
    bool has_room(size_t number, uint64_t bytes);
    void give_back(size_t number);

    const size_t threads_;
    const bool always_;
    size_t count_ = 0;                     ///< copies of each accumulation, in the launch at hand
    std::vector<Copied> copied_;           ///< by accumulation of the launch at hand
    std::vector<std::vector<Room>> rooms_; ///< by accumulation and copy
    uint64_t held_ = 0;                    ///< bytes of them
};

} // namespace qd::runtime
