#pragma once
// The thread pool runs the chunks of one job at a time. Workers and the caller claim them one by one.
#include <atomic>
#include <cstdint>
#include <memory>

namespace qd::runtime {

class Pool {
  public:
    /// Runs one chunk of a job. `thread` is 0 for the caller, 1 .. threads-1 for workers. Must not throw.
    using Work = void (*)(const void *job, uint32_t thread, uint32_t chunk);
    static constexpr uint32_t max_chunks = 0xffff;

    explicit Pool(int threads);
    ~Pool();
    Pool(const Pool &) = delete;

    int threads() const { return threads_; }
    /// Runs chunks 0 .. chunks-1 and returns when the last one is done. If the pool is busy (a nested call, or another thread's job), the
    /// caller runs them all itself, in order.
    void run(Work work, const void *job, uint32_t chunks);

    /// The progress of a job.
    struct JobProgress {
        Work work = nullptr; ///< null: there is no job
        uint32_t begun = 0, chunks = 0;
    };
    /// Callable from any thread.
    JobProgress progress() const;

    /// The pool of that size. There is one per process, kept when its users are gone so that the next user need not start threads.
    static std::shared_ptr<Pool> shared(int threads);

  private:
    struct State;
    int threads_;
    std::unique_ptr<State> state_;
};

/// The number of cores that this process may use.
int usable_cores();

} // namespace qd::runtime
