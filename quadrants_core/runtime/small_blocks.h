#pragma once
// Memory for blocks that are too small for their own mapping, in one reserved address range surrounded by unmapped memory. A kernel that
// runs past the end of an array reaches other arrays, then unmapped memory, but never the heap, which the rest of the process depends on.
#include <cstdint>
#include <vector>

namespace qd::runtime {

/// Not thread-safe.
class SmallBlocks {
  public:
    /// Returns zeroed, 64-byte aligned memory; null if there is no more.
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
