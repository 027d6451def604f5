#include "runtime/thread_heap.h"

#include "runtime/host_memory.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace qd::runtime {

namespace {

constexpr uint64_t first_chunk = 64 << 10, page = 4096;
constexpr uint64_t max_grown = 64 << 20; ///< chunks double up to this size

} // namespace

ThreadHeap::ThreadHeap(abi::Thread &thread, Source source)
    : heap_(thread.heap), source_(std::move(source)), entries_(abi::counted_stacks) {
    heap_ = {.top = nullptr, .end = nullptr, .used = 0, .peak = 0, .entries = entries_.data(), .owner = this};
    clear();
}

void ThreadHeap::clear() {
    heap_.top = heap_.end = reinterpret_cast<char *>(this); // no room there, and not null
    heap_.used = 0;
}

ThreadHeap::~ThreadHeap() {
    for (const Chunk &chunk : chunks_) source_.give(chunk.begin);
}

char *ThreadHeap::reserve(abi::Thread &thread, uint64_t bytes) {
    return static_cast<ThreadHeap *>(thread.heap.owner)->more(bytes);
}

/// Chunks after the current one are empty.
char *ThreadHeap::more(uint64_t bytes) {
    const auto at_hand = std::ranges::find(chunks_, heap_.end, &Chunk::end);
    size_t next = at_hand == chunks_.end() ? 0 : size_t(at_hand - chunks_.begin()) + 1;
    const uint64_t step = abi::heap_step(bytes);
    const auto fits = [&](const Chunk &c) { return uint64_t(c.end - c.begin) >= step; };
    if (next == chunks_.size() || !fits(chunks_[next])) {
        for (size_t i = next; i < chunks_.size(); ++i) source_.give(chunks_[i].begin);
        chunks_.resize(next);
        uint64_t wanted =
            next ? std::min(2 * uint64_t(chunks_.back().end - chunks_.back().begin), max_grown) : first_chunk;
        if (bytes > UINT64_MAX - 2 * page) return nullptr;
        wanted = std::max(wanted, (step + page - 1) / page * page);
        void *begin = nullptr;
        try {
            begin = source_.take(wanted);
        } catch (const std::exception &) {
        }
        if (!begin) return nullptr;
        chunks_.push_back({static_cast<char *>(begin), static_cast<char *>(begin) + wanted});
    }
    const Chunk &chunk = chunks_[next];
    heap_.top = chunk.begin + step;
    heap_.end = chunk.end;
    heap_.used += bytes;
    heap_.peak = std::max(heap_.peak, heap_.used);
    return chunk.begin;
}

void ThreadHeap::add_use(abi::HeapUse &sum) const {
    const auto now = [](const uint64_t &word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); };
    const uint64_t peak = now(heap_.peak);
    sum.peak = std::max(sum.peak, peak);
    sum.total += peak;
    sum.entries.resize(abi::counted_stacks);
    for (size_t i = 0; i < entries_.size(); ++i) sum.entries[i] = std::max(sum.entries[i], now(entries_[i]));
}

void ThreadHeap::take_use(abi::HeapUse &sum) {
    add_use(sum);
    heap_.peak = heap_.used;
    std::ranges::fill(entries_, 0);
}

ThreadHeap::Source host_chunks() { return {host_alloc, host_free}; }

} // namespace qd::runtime
