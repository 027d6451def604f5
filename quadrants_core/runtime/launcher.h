#pragma once
// Runs a compiled task on the threads of the host: reads its range, decides whether waking the pool pays, cuts chunks.
// A device that computes on the host owns one and forwards `Device::launch` to it.
#include "abi/abi.h"
#include "runtime/pool.h"
#include "runtime/thread_heap.h"

#include <atomic>
#include <memory>
#include <vector>

namespace qd::runtime {

class Launcher {
  public:
    explicit Launcher(int threads); ///< 0: all cores
    ~Launcher();
    Launcher(const Launcher &) = delete;

    int threads() const { return pool_->threads(); }
    /// State of one thread, 0 = the caller; the device seeds its generator.
    abi::Thread &thread(int index) { return states_[size_t(index)]; }
    /// Returns when the last chunk is done, or soon after `launch.data.stop` or `launch.data.failed` is set. Not to be
    /// called by two threads at once. Throws Fault (faults.h); `launch.data.failed` may be set then. `body` is read
    /// anew for each chunk.
    void run(const abi::Task &task, const std::atomic<abi::Body> &body, abi::Bounds bounds, abi::Launch &launch);
    /// What tasks took of the heaps of the threads since the last time.
    abi::HeapUse take_heap_use();

  private:
    struct alignas(64) State : abi::Thread {
        ThreadHeap memory{*this, host_chunks()};
    };
    std::shared_ptr<Pool> pool_;
    std::vector<State> states_;
    friend struct Job;
    void run_chunks(const std::atomic<abi::Body> &body, abi::Launch &launch, int64_t begin, int64_t end, int64_t chunk);
};

/// Sets flush-to-zero and denormals-are-zero on this thread for as long as it lives.
class FlushDenormals {
  public:
    FlushDenormals();
    ~FlushDenormals();
    FlushDenormals(const FlushDenormals &) = delete;

  private:
    uint64_t before_;
};

} // namespace qd::runtime
