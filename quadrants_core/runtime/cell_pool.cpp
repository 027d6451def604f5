#include "runtime/cell_pool.h"

#include <algorithm>
#include <sys/mman.h>

namespace qd::runtime {
namespace {

constexpr uint64_t first_block = 16u << 10;
constexpr uint64_t largest_block = 8u << 20; ///< a block of several cells
constexpr uint64_t cache_line = 64;
constexpr uint64_t small_whole = 64u << 10; ///< blocks up to this size are zeroed at once
/// Blocks from this size on are mapped by the system, as pages without memory yet.
constexpr uint64_t mapped = 1u << 20;
constexpr uint64_t largest_whole = 8u << 20; ///< limit for a block that holds all cells

uint64_t stride_of(uint64_t bytes) {
    const uint64_t grain = bytes >= cache_line ? cache_line : 8;
    return std::max<uint64_t>((bytes + grain - 1) / grain * grain, 8);
}

/// Allocates memory only for the pages that are touched, not for huge pages around them.
void use_small_pages(char *begin, uint64_t bytes) {
    constexpr uint64_t page = 4096;
    const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
    const uintptr_t behind = (reinterpret_cast<uintptr_t>(begin) + bytes) / page * page;
    if (behind > first) madvise(reinterpret_cast<void *>(first), behind - first, MADV_NOHUGEPAGE);
}

} // namespace

CellPool::CellPool(const BlockSource &source, uint64_t cell_bytes, uint64_t most)
    : source_(source), cell_bytes_(cell_bytes), stride_(stride_of(cell_bytes)), most_(most + 1),
      one_block_(most > 0 && most < largest_whole / stride_) {}

CellPool::~CellPool() {
    for (const std::unique_ptr<Block> &block : blocks_) source_.free(block->begin);
}

char *CellPool::take() {
    if (spares_.load(std::memory_order_relaxed)) {
        const std::lock_guard guard(lock_);
        if (!spare_.empty()) {
            char *cell = spare_.back();
            spare_.pop_back();
            spares_.store(spare_.size(), std::memory_order_relaxed);
            return cell;
        }
    }
    for (;;) {
        Block *block = current_.load(std::memory_order_acquire);
        if (block) {
            const uint64_t at = block->used.fetch_add(1, std::memory_order_relaxed);
            if (at < block->cells) return block->begin + at * stride_;
        }
        const std::lock_guard guard(lock_);
        if (current_.load(std::memory_order_relaxed) == block) add_block();
    }
}

void CellPool::add_block() {
    const uint64_t wanted = std::min(first_block << std::min<size_t>(blocks_.size(), 20), largest_block);
    auto block = std::make_unique<Block>();
    block->cells = std::max<uint64_t>(1, wanted / stride_);
    uint64_t bytes = block->cells * stride_;
    const bool is_whole = one_block_ && blocks_.empty();
    if (is_whole) {
        block->cells = most_;
        block->used = 1; // spare_place
        bytes = capacity() > small_whole ? std::max(capacity(), mapped) : capacity();
    }
    blocks_.reserve(blocks_.size() + 1);
    block->begin = static_cast<char *>(source_.alloc(bytes));
    if (is_whole && bytes >= mapped) use_small_pages(block->begin, bytes);
    blocks_.push_back(std::move(block));
    current_.store(blocks_.back().get(), std::memory_order_release);
}

void CellPool::give_back(char *cell) {
    const std::lock_guard guard(lock_);
    spare_.push_back(cell);
    spares_.store(spare_.size(), std::memory_order_relaxed);
}

uint64_t CellPool::allocated() const {
    const std::lock_guard guard(lock_);
    uint64_t cells = 0;
    for (const std::unique_ptr<Block> &block : blocks_)
        cells += std::min(block->used.load(std::memory_order_relaxed), block->cells);
    return cells - (one_block_ && !blocks_.empty());
}

char *CellPool::begin() {
    if (!one_block_) return nullptr;
    const std::lock_guard guard(lock_);
    if (blocks_.empty()) add_block();
    return blocks_.size() == 1 ? blocks_[0]->begin : nullptr;
}

uint64_t CellPool::used() const {
    const std::lock_guard guard(lock_);
    if (!one_block_ || blocks_.empty()) return 0;
    return std::min(blocks_[0]->used.load(std::memory_order_relaxed), blocks_[0]->cells) * stride_;
}

char *CellPool::spare_place() const {
    if (!one_block_) return nullptr;
    const std::lock_guard guard(lock_);
    return blocks_.empty() ? nullptr : blocks_[0]->begin;
}

} // namespace qd::runtime
