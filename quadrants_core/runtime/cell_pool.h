#pragma once
// Memory for cells of one size, which tasks allocate while they run: zeroed, from blocks that double in size. Allocating increments a
// counter in the current block; only a full block and returned cells need the lock.
//
// If all possible cells take only a few megabytes, the first block reserves addresses for all of them; pages get memory as cells are
// allocated. Such cells can be accumulated in privatised copies (private_copies.h), which use the same layout as the cells.
#include "base/fork.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace qd::runtime {

/// The allocator of blocks; `alloc` returns zeroed memory or throws.
struct BlockSource {
    std::function<void *(uint64_t bytes)> alloc;
    std::function<void(void *)> free;
};

class CellPool {
  public:
    /// `most`: the maximum number of cells allocated at a time; 0: unknown.
    CellPool(const BlockSource &source, uint64_t cell_bytes, uint64_t most = 0);
    ~CellPool();
    CellPool(const CellPool &) = delete;

    char *take();
    /// `cell` must be all zeros again.
    void give_back(char *cell);
    uint64_t cell_bytes() const { return cell_bytes_; }
    /// Cells that were ever allocated, including returned ones.
    uint64_t allocated() const;

    /// The block that holds all cells; null if there is none. Throws DeviceError if out of memory.
    char *begin();
    uint64_t capacity() const { return one_block_ ? most_ * stride_ : 0; } ///< its size in bytes
    uint64_t used() const;                                                 ///< bytes of it that were ever allocated
    /// A cell in it that is never allocated; null if there is no such block.
    char *spare_place() const;

  private:
    struct Block {
        char *begin = nullptr;
        uint64_t cells = 0;
        std::atomic<uint64_t> used{0};
    };
    void add_block();

    const BlockSource &source_;
    const uint64_t cell_bytes_, stride_, most_;
    const bool one_block_;
    std::atomic<Block *> current_{nullptr};
    std::atomic<size_t> spares_{0};
    mutable ForkLockedMutex lock_; ///< guards the next members
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<char *> spare_;
};

} // namespace qd::runtime
