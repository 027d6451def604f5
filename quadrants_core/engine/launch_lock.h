#pragma once
// A lock made for the case that nobody else wants it: one compare and swap to take, one store to leave. Who must wait
// looks again after short sleeps, since a launch may take long and waking somebody would cost every launch.
//
// A fork waits a moment for launches to end. Of one that goes on the child has the half-done work and no thread to end
// it: there the lock is abandoned, and who wants it is told.
#include <atomic>

namespace qd::engine {

class LaunchLock {
  public:
    LaunchLock();
    ~LaunchLock();
    LaunchLock(const LaunchLock &) = delete;

    void lock() {
        bool free = false;
        if (!held_.compare_exchange_strong(free, true, std::memory_order_acquire)) [[unlikely]]
            wait();
    }
    bool try_lock() { return !abandoned_ && !held_.exchange(true, std::memory_order_acquire); }
    void unlock() { held_.store(false, std::memory_order_release); }
    bool is_held() const { return held_.load(std::memory_order_relaxed); }
    bool is_abandoned() const { return abandoned_; }

  private:
    friend struct ForkedLaunches;
    std::atomic<bool> held_{false};
    bool abandoned_ = false;
    bool by_fork_ = false; ///< held by the fork under way
    LaunchLock *before_ = nullptr, *after_ = nullptr;

    void wait();
};

} // namespace qd::engine
