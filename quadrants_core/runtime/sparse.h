#pragma once
// The sparse field trees of a program: makes and removes cells for running tasks (abi::SparseCalls), lists the cells
// that a loop visits, and gives memory of removed cells back once no task can see it.
//
// Cells are made without locks: a thread that finds none takes a zeroed one from the pool and swaps its address in; if
// another thread was faster, the cell goes back. Removing swaps the address out and remembers the cell, with all it
// holds, for `collect`.
#include "abi/abi.h"
#include "abi/tree.h"
#include "runtime/cell_pool.h"
#include "runtime/pool.h"

#include <exception>
#include <memory>
#include <vector>

namespace qd::runtime {

class SparseTrees final : public abi::SparseData {
  public:
    SparseTrees(BlockSource source, int threads);
    ~SparseTrees();
    SparseTrees(const SparseTrees &) = delete;

    /// For launches whose LaunchData::sparse is a SparseTrees.
    static const abi::SparseCalls calls;

    void add(uint32_t slot, abi::Tree tree, char *root);
    void remove(uint32_t slot);
    bool holds(uint32_t slot) const { return slot < trees_.size() && trees_[slot]; }

    /// Address of a cell that exists, or of zeros.
    char *find(uint32_t slot, uint32_t node, char *container, int64_t cell) const;
    char *make(uint32_t slot, uint32_t node, char *container, int64_t cell);
    void drop(uint32_t slot, uint32_t node, char *container, int64_t cell);
    bool exists(uint32_t slot, uint32_t node, const char *container, int64_t cell) const;
    void each_cell(uint32_t slot, uint32_t node, char *container,
                   const std::function<void(uint64_t cell, char *address)> &visit);
    /// Dynamic: one more cell; its index.
    int32_t append(uint32_t slot, uint32_t node, char *container);
    /// Removes all cells of a level and of the levels below it.
    void clear(uint32_t slot, uint32_t node);
    int32_t make_list(uint32_t slot, uint32_t node);
    const char *elements(uint32_t slot, uint32_t node) const { return lists[slot][node]; }

    /// The cells of a pointer level, where all that a launch may make lie in one block of memory: `begin` is null if they do not, or
    /// there is no memory. Not for a launch that removes cells of the tree.
    CellPool *in_one_block(uint32_t slot, uint32_t node, char *&begin);

    /// Gives the memory of removed cells back, while no task runs.
    void collect();
    bool has_garbage() const { return garbage_.load(std::memory_order_relaxed); }
    /// Cells of a pointer or chunks of a dynamic level that ever got memory.
    uint64_t allocated(uint32_t slot, uint32_t node) const;
    /// Why the launch failed, if a callback failed: rethrows it, once.
    void rethrow();

    struct Tree;

  private:
    void fail(const abi::Launch *launch);
    /// Takes what is written when there is no memory: where copies are that far away, too.
    char *sink(uint32_t slot, uint32_t node) const;
    void update_tables();

    BlockSource source_;
    std::shared_ptr<Pool> pool_;
    std::vector<std::unique_ptr<Tree>> trees_;
    std::vector<char *const *> list_tables_;
    char *sink_ = nullptr; ///< of levels whose cells do not lie in one block
    uint64_t zero_bytes_ = 0;
    std::atomic<bool> garbage_{false};
    BriefMutex error_lock_;
    std::exception_ptr error_;
};

} // namespace qd::runtime
