#pragma once
// Privatised copies of arrays that the threads of a launch accumulate in, and their merge (private_copies.cpp). If the order of sums is
// fixed, parts of the range have copies instead of threads: fixed_order.cpp.
#include "abi/abi.h"
#include "abi/accumulation.h"

#include <span>
#include <vector>

namespace qd::runtime {

class CellPool;
class Pool;

class PrivateCopies {
  public:
    /// `always`: copies are made even if they do not pay.
    PrivateCopies(int threads, bool always) : threads_(size_t(threads)), always_(always) {}
    ~PrivateCopies();
    PrivateCopies(const PrivateCopies &) = delete;

    /// Makes the copies that pay in a launch over `indices` of a range; none if out of memory. Returns true if there are any; the caller
    /// must then call `merge`.
    bool begin(std::span<const abi::Accumulation> what, const abi::Launch &launch, int64_t indices);
    /// True if the current launch has copies of everything that it may have copies of.
    bool are_all() const;
    /// Makes copies of all sums of real numbers for each of several parts of a range of `chunks`. Returns the number of parts, which
    /// depends only on lengths. 0: the copies would cost more than `work`, in simple operations, is worth. Throws DeviceError if out of
    /// memory.
    uint32_t begin_parts(std::span<const abi::Accumulation> what, const abi::Launch &launch, int64_t indices,
                         double work, uint32_t chunks);
    /// Fills the offsets from the array to the copy of a thread or part, for each accumulation: abi::Thread::copy_offset.
    void offsets_of(size_t copy, int64_t *copy_offset) const;
    /// Merges the copies into the arrays, in order. The copies are zero afterwards.
    void merge(Pool &pool);
    /// The bytes and the number of copies in the current launch, or in the last one.
    uint64_t bytes() const;
    uint32_t count() const { return uint32_t(count_); }

  private:
    struct Copied {
        abi::Accumulation what;
        char *original = nullptr; ///< null: no copies in this launch
        uint64_t bytes = 0;
        CellPool *cells = nullptr; ///< for a sparse tree; `bytes` then covers all possible cells

        uint64_t used_bytes() const; ///< bytes of the cells that exist
    };
    struct CopyBuffer {
        char *at = nullptr;
        uint64_t bytes = 0;
        /// So many bytes were merged last and are zero; the rest may not be, if a kernel overran its array.
        uint64_t used = 0;
    };
    struct Merging;

    bool find(const abi::Accumulation &what, const abi::Launch &launch, Copied &out) const;
    bool pays(const Copied &found, int64_t indices) const;
    void make_room(size_t number, uint64_t bytes);
    bool has_room(size_t number, uint64_t bytes);
    void give_back(size_t number);

    const size_t threads_;
    const bool always_;
    size_t count_ = 0;                             ///< copies of each accumulation in the current launch
    std::vector<Copied> copied_;                   ///< by accumulation of the current launch
    std::vector<std::vector<CopyBuffer>> buffers_; ///< by accumulation and copy
    uint64_t held_ = 0;                            ///< their total bytes
};

} // namespace qd::runtime
