#pragma once
// A lock that costs one atomic exchange each way when nobody else wants it, and sleeps when somebody does.
#include <atomic>
#include <cstdint>

namespace qd::engine {

class LaunchLock {
  public:
    void lock() {
        uint32_t expected = 0;
        if (!state_.compare_exchange_strong(expected, 1, std::memory_order_acquire)) [[unlikely]]
            while (state_.exchange(2, std::memory_order_acquire) != 0) state_.wait(2, std::memory_order_relaxed);
    }
    void unlock() {
        if (state_.exchange(0, std::memory_order_release) == 2) [[unlikely]]
            state_.notify_one();
    }

  private:
    std::atomic<uint32_t> state_{0}; ///< 0 free, 1 held, 2 held and wanted
};

} // namespace qd::engine
