#pragma once
// The thread pool: chunks of one job at a time, claimed one by one by the workers and by the caller, which takes part.
#include <atomic>
#include <cstdint>
#include <memory>

namespace qd::runtime {

class Pool {
  public:
    /// One chunk of a job. `thread` is 0 for the caller, 1 .. threads-1 for workers. Must not throw.
    using Work = void (*)(const void *job, uint32_t thread, uint32_t chunk);
    static constexpr uint32_t max_chunks = 0xffff;

    explicit Pool(int threads);
    ~Pool();
    Pool(const Pool &) = delete;

    int threads() const { return threads_; }
    /// Runs chunks 0 .. chunks-1 and returns when the last one is done. If the pool is taken (a nested call, or another
    /// thread's job), the caller runs them all itself, in order.
    void run(Work work, const void *job, uint32_t chunks);

    /// How far a job is.
    struct Begun {
        Work work = nullptr; ///< null: there is none
        uint32_t begun = 0, chunks = 0;
    };
    /// From any thread.
    Begun begun() const;

    /// The pool of that size: one per process, kept when its users go so that the next one starts no threads.
    static std::shared_ptr<Pool> shared(int threads);

  private:
    struct State;
    int threads_;
    std::unique_ptr<State> state_;
};

/// Cores that this process may use.
int usable_cores();

} // namespace qd::runtime
