#pragma once
// The memory behind abi::Heap. Chunks do not move, so pointers into one stay valid until the memory is freed. Empty chunks are kept for
// reuse until the heap is destroyed, except that chunks too small for the next allocation are replaced.
#include "abi/abi.h"

#include <functional>

namespace qd::runtime {

class ThreadHeap {
  public:
    /// The allocator of chunks; `take` returns null or throws if out of memory.
    struct Source {
        std::function<void *(uint64_t bytes)> take;
        std::function<void(void *)> give;
    };

    ThreadHeap(abi::Thread &thread, Source source);
    ~ThreadHeap();
    ThreadHeap(const ThreadHeap &) = delete;

    /// Implements abi::HostServices::reserve, except for the error report.
    static char *reserve(abi::Thread &thread, uint64_t bytes);
    /// Called after a fault: marks the heap as empty.
    void clear();
    /// Adds the use since the last call.
    void take_use(abi::HeapUse &sum);
    /// The same while the thread works, without resetting it.
    void add_use(abi::HeapUse &sum) const;

  private:
    struct Chunk {
        char *begin, *end;
    };
    char *more(uint64_t bytes);

    abi::Heap &heap_;
    Source source_;
    std::vector<Chunk> chunks_;
    std::vector<uint64_t> entries_;
};

/// Allocates chunks from host memory.
ThreadHeap::Source host_chunks();

} // namespace qd::runtime
