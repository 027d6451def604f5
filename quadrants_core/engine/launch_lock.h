#pragma once
// A lock optimised for the uncontended case: one compare-and-swap to take, one store to release. A waiter polls with short sleeps, since a
// launch may take long and waking waiters would cost every launch.
//
// Another thread may check whether the lock is held, and leaves a mark: as long as the mark is there, the same launch holds the lock.
//
// A fork waits a moment for launches to end. If one goes on, the child inherits half-done work and no thread to finish it: the lock is then
// abandoned there, and taking it throws.
#include <atomic>
#include <cstdint>

namespace qd::engine {

class LaunchLock {
  public:
    LaunchLock();
    ~LaunchLock();
    LaunchLock(const LaunchLock &) = delete;

    void lock() {
        if (!take()) [[unlikely]]
            wait();
    }
    bool try_lock() { return !abandoned_ && take(); }
    void unlock() { state_.store(free, std::memory_order_release); }
    bool is_held() const { return state_.load(std::memory_order_relaxed) != free; }

    enum class Look : uint8_t { free, first, again };
    /// May be called from any thread. Returns whether the lock is held, and whether it has been held without a break since the last look.
    Look look() {
        uint8_t seen = held;
        if (state_.compare_exchange_strong(seen, marked, std::memory_order_relaxed)) return Look::first;
        return seen == marked ? Look::again : Look::free;
    }
    bool is_abandoned() const { return abandoned_; }

  private:
    friend struct ForkedLaunches;
    enum State : uint8_t { free, held, marked };
    std::atomic<uint8_t> state_{free};
    bool abandoned_ = false;
    bool by_fork_ = false; ///< held by the current fork
    LaunchLock *before_ = nullptr, *after_ = nullptr;

    bool take() {
        uint8_t before = free;
        return state_.compare_exchange_strong(before, held, std::memory_order_acquire);
    }
    void wait();
};

} // namespace qd::engine
