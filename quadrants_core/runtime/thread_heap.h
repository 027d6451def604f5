#pragma once
// The memory behind abi::Heap. Chunks stay where they are and are kept until the heap ends, so pointers into one hold for as long
// as what was taken is not given back; a chunk that is too small for what comes next is passed over until then.
#include "abi/abi.h"

#include <functional>

namespace qd::runtime {

class ThreadHeap {
  public:
    /// Where chunks come from; `take` gives null if there is none, or throws.
    struct Source {
        std::function<void *(uint64_t bytes)> take;
        std::function<void(void *)> give;
    };

    ThreadHeap(abi::Thread &thread, Source source);
    ~ThreadHeap();
    ThreadHeap(const ThreadHeap &) = delete;

    /// abi::HostServices::reserve, but for telling why there is none.
    static char *reserve(abi::Thread &thread, uint64_t bytes);
    /// After a fault: nothing is taken.
    void clear();
    /// Adds what was used since the last time.
    void take_use(abi::HeapUse &sum);
    /// The same while the thread works, and it goes on.
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

/// Memory of the host.
ThreadHeap::Source host_chunks();

} // namespace qd::runtime
