#include "runtime/cell_pool.h"

#include <algorithm>

namespace qd::runtime {
namespace {

constexpr uint64_t first_block = 16u << 10;
constexpr uint64_t largest_block = 8u << 20; ///< of several cells
constexpr uint64_t cache_line = 64;

uint64_t stride_of(uint64_t bytes) {
    const uint64_t grain = bytes >= cache_line ? cache_line : 8;
    return std::max<uint64_t>((bytes + grain - 1) / grain * grain, 8);
}

} // namespace

CellPool::CellPool(const BlockSource &source, uint64_t cell_bytes)
    : source_(source), cell_bytes_(cell_bytes), stride_(stride_of(cell_bytes)) {}

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
    blocks_.reserve(blocks_.size() + 1);
    block->begin = static_cast<char *>(source_.alloc(block->cells * stride_));
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
    return cells;
}

} // namespace qd::runtime
