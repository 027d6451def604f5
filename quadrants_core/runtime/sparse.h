#pragma once
// The sparse field trees of a program: creates and removes cells for running tasks (abi::SparseCalls), lists the cells that a loop visits,
// and frees memory of removed cells once no task can access it.
//
// Cells are created without locks: a thread that finds none takes a zeroed one from the pool and swaps its address in; if another thread
// was faster, the cell is returned. Removing swaps the address out and records the cell, with everything below it, for `collect`.
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

    /// For launches whose StreamWords::sparse is a SparseTrees.
    static const abi::SparseCalls calls;

    void add(uint32_t slot, abi::Tree tree, char *root);
    void remove(uint32_t slot);
    bool holds(uint32_t slot) const { return slot < trees_.size() && trees_[slot]; }

    /// The address of a cell that exists, or of zeros.
    char *find(uint32_t slot, uint32_t node, char *container, int64_t cell) const;
    char *make(uint32_t slot, uint32_t node, char *container, int64_t cell);
    void drop(uint32_t slot, uint32_t node, char *container, int64_t cell);
    bool exists(uint32_t slot, uint32_t node, const char *container, int64_t cell) const;
    void each_cell(uint32_t slot, uint32_t node, char *container,
                   const std::function<void(uint64_t cell, char *address)> &visit);
    /// Dynamic levels: appends a cell and returns its index.
    int32_t append(uint32_t slot, uint32_t node, char *container);
    /// Removes all cells of a level and of the levels below it.
    void clear(uint32_t slot, uint32_t node);
    int32_t make_list(uint32_t slot, uint32_t node);
    const char *elements(uint32_t slot, uint32_t node) const { return lists[slot][node]; }

    /// The pool of a pointer level. `begin` is set to the memory block that holds all cells that a launch may create, or to null if there
    /// is no such block or no memory. Not for a launch that removes cells of the tree.
    CellPool *in_one_block(uint32_t slot, uint32_t node, char *&begin);

    /// Frees the memory of removed cells, while no task runs.
    void collect();
    bool has_garbage() const { return garbage_.load(std::memory_order_relaxed); }
    /// The number of cells of a pointer level, or chunks of a dynamic level, that ever got memory.
    uint64_t allocated(uint32_t slot, uint32_t node) const;
    /// Rethrows, once, the exception of a callback that made the launch fail.
    void rethrow();

    struct Tree;

  private:
    void fail(const abi::Launch *launch);
    /// The target of writes when there is no memory. It is valid at the offset of privatised copies, too.
    char *sink(uint32_t slot, uint32_t node) const;
    void update_tables();

    BlockSource source_;
    std::shared_ptr<Pool> pool_;
    std::vector<std::unique_ptr<Tree>> trees_;
    std::vector<char *const *> list_tables_;
    char *sink_ = nullptr; ///< for levels whose cells are not in one block
    uint64_t zero_bytes_ = 0;
    std::atomic<bool> garbage_{false};
    ForkLockedMutex error_lock_;
    std::exception_ptr error_;
};

} // namespace qd::runtime
