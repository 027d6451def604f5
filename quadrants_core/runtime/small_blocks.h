#pragma once
// Memory for blocks that are small beside a page table, in one stretch of addresses with nothing but holes around it.
// A kernel that runs past the end of an array meets other arrays, then a hole: never the heap, on which all else that
// lives in this process depends.
#include <cstdint>
#include <vector>

namespace qd::runtime {

/// Not for several threads at once.
class SmallBlocks {
  public:
    /// Zeroed, 64-byte aligned; null if there is no more.
    void *alloc(uint64_t bytes);
    /// `bytes` as for alloc.
    void free(void *block, uint64_t bytes);

  private:
    bool reserve();
    void *grow(uint64_t bytes);

    char *next_ = nullptr, *committed_ = nullptr, *end_ = nullptr;
    bool tried_ = false;
    std::vector<std::vector<void *>> free_; ///< by size class
};

} // namespace qd::runtime
