#pragma once
// Memory for cells of one size, which tasks take while they run: zeroed, from blocks that double in size. Taking bumps
// a counter in the current block; only a full block and cells given back need the lock.
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
    CellPool(const BlockSource &source, uint64_t cell_bytes);
    ~CellPool();
    CellPool(const CellPool &) = delete;

    char *take();
    /// `cell` is all zeros again.
    void give_back(char *cell);
    uint64_t cell_bytes() const { return cell_bytes_; }
    /// Cells that were ever taken, those given back included.
    uint64_t allocated() const;

  private:
    struct Block {
        char *begin = nullptr;
        uint64_t cells = 0;
        std::atomic<uint64_t> used{0};
    };
    void add_block();

    const BlockSource &source_;
    const uint64_t cell_bytes_, stride_;
    std::atomic<Block *> current_{nullptr};
    std::atomic<size_t> spares_{0};
    mutable BriefMutex lock_; ///< of what follows
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<char *> spare_;
};

} // namespace qd::runtime
