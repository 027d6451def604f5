#pragma once
// Memory for cells of one size, which tasks take while they run: zeroed, from blocks that double in size. Taking bumps
// a counter in the current block; only a full block and cells given back need the lock.
//
// Where all cells that can be take few megabytes, the first block has room for all: of its addresses. Pages get memory as cells are
// taken. Such cells can be accumulated in in copies (private_copies.h), which lie as far apart as the cells do.
#include "base/fork.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace qd::runtime {

/// Where blocks come from: zeroed memory, or an exception.
struct BlockSource {
    std::function<void *(uint64_t bytes)> alloc;
    std::function<void(void *)> free;
};

class CellPool {
  public:
    /// `most`: so many cells are taken at a time, or fewer; 0: nobody knows.
    CellPool(const BlockSource &source, uint64_t cell_bytes, uint64_t most = 0);
    ~CellPool();
    CellPool(const CellPool &) = delete;

    char *take();
    /// `cell` is all zeros again.
    void give_back(char *cell);
    uint64_t cell_bytes() const { return cell_bytes_; }
    /// Cells that were ever taken, those given back included.
    uint64_t allocated() const;

    /// The block that all cells lie in; null if there is no such block. DeviceError: there is no memory.
    char *begin();
    uint64_t capacity() const { return one_block_ ? most_ * stride_ : 0; } ///< bytes of it
    uint64_t used() const;                                                 ///< bytes of it that were ever taken
    /// A cell of it that is never taken; null if there is no such block.
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
    mutable BriefMutex lock_; ///< of what follows
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<char *> spare_;
};

} // namespace qd::runtime
