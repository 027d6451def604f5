#include "runtime/small_blocks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/mman.h>

namespace qd::runtime {
namespace {

constexpr uint64_t least = 512, step = uint64_t(4) << 20;
constexpr uint64_t stretches[] = {uint64_t(64) << 30, uint64_t(8) << 30,
                                  uint64_t(1) << 30}; ///< address ranges, not memory
constexpr uint64_t give_back_from = 64 << 10;

/// There are four classes for each power of two.
size_t class_of(uint64_t bytes) {
    const uint64_t units = std::max(bytes, least) - 1;
    const int top = std::bit_width(units);
    return size_t(top) * 4 + (units >> (top - 3) & 3);
}

uint64_t size_of_class(size_t index) { return (uint64_t(4 + index % 4) + 1) << (index / 4 - 3); }

} // namespace

bool SmallBlocks::reserve() {
    if (tried_) return next_ != nullptr;
    tried_ = true;
    for (const uint64_t bytes : stretches) {
        void *stretch = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stretch == MAP_FAILED) continue;
        const uint64_t hole = bytes / 8;
        next_ = committed_ = static_cast<char *>(stretch) + hole;
        end_ = static_cast<char *>(stretch) + bytes - hole;
        return true;
    }
    return false;
}

void *SmallBlocks::grow(uint64_t bytes) {
    if (!reserve() || uint64_t(end_ - next_) < bytes) return nullptr;
    if (next_ + bytes > committed_) {
        const uint64_t more =
            std::min((uint64_t(next_ + bytes - committed_) + step - 1) / step * step, uint64_t(end_ - committed_));
        if (mprotect(committed_, more, PROT_READ | PROT_WRITE) != 0) return nullptr;
        committed_ += more;
    }
    void *block = next_;
    next_ += bytes;
    return block;
}

void *SmallBlocks::alloc(uint64_t bytes) {
    const size_t index = class_of(bytes);
    if (index >= free_.size()) free_.resize(index + 1);
    void *block;
    if (free_[index].empty()) {
        block = grow(size_of_class(index));
        if (!block) return nullptr;
    } else {
        block = free_[index].back();
        free_[index].pop_back();
    }
    std::memset(block, 0, bytes); // new ones too: a kernel may have run past the end of the previous block
    return block;
}

void SmallBlocks::free(void *block, uint64_t bytes) {
    constexpr uint64_t page = 4096;
    const size_t index = class_of(bytes);
    if (bytes >= give_back_from) {
        const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + page - 1) / page * page;
        const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + size_of_class(index)) / page * page;
        madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
    }
    free_[index].push_back(block);
}

} // namespace qd::runtime
