#pragma once
// A lock made for the case that nobody else wants it: one compare and swap to take, one store to leave. Who must wait
// looks again after short sleeps, since a launch may take long and waking somebody would cost every launch.
//
// Somebody else may look whether it is held, and leaves a mark: as long as that stands, it is held for the same launch.
//
// A fork waits a moment for launches to end. Of one that goes on the child has the half-done work and no thread to end
// it: there the lock is abandoned, and who wants it is told.
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
    /// From any thread: whether it is held, and was when somebody looked before, without a break.
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
    bool by_fork_ = false; ///< held by the fork under way
    LaunchLock *before_ = nullptr, *after_ = nullptr;

    bool take() {
        uint8_t before = free;
        return state_.compare_exchange_strong(before, held, std::memory_order_acquire);
    }
    void wait();
};

} // namespace qd::engine
