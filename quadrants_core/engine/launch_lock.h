#pragma once
// A lock made for the case that nobody else wants it: one compare and swap to take, one store to leave. Who must wait
// looks again after short sleeps, since a launch may take long and waking somebody would cost every launch.
#include <atomic>
#include <chrono>
#include <thread>

namespace qd::engine {

class LaunchLock {
  public:
    void lock() {
        bool free = false;
        if (!held_.compare_exchange_strong(free, true, std::memory_order_acquire)) [[unlikely]]
            wait();
    }
    void unlock() { held_.store(false, std::memory_order_release); }
    bool is_held() const { return held_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> held_{false};

    void wait() {
        for (int tries = 0; held_.exchange(true, std::memory_order_acquire); tries++) {
            if (tries < 100)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
};

} // namespace qd::engine
