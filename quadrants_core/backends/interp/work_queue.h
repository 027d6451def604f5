#pragma once
#include "base/fork.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <thread>

namespace qd::backends::interpreter {

/// Work items that a thread of its own runs in order. They start when a thread waits, else a moment after they were added: a
/// caller that forgets to wait reliably finds nothing done.
class WorkQueue {
  public:
    /// The thread calls `enter` and `leave` around each batch of items.
    WorkQueue(std::function<void()> enter, std::function<void()> leave);
    /// Discards items that have not begun.
    ~WorkQueue();
    WorkQueue(const WorkQueue &) = delete;

    void add(std::function<void()> work);
    /// The number of items added so far.
    uint64_t given() const { return given_; }
    /// Returns when the first `number` items are done. If an item threw, throws its exception, once; items that were added
    /// after that one until then are skipped.
    void wait(uint64_t number);

  private:
    friend struct ForkedQueues;
    void start();
    void run();

    ForkLockedMutex lock_; ///< guards all members below
    std::condition_variable changed_, ended_;
    std::deque<std::function<void()>> queue_;
    std::function<void()> enter_, leave_;
    uint64_t given_ = 0, done_ = 0;
    std::exception_ptr trouble_;
    uint64_t trouble_at_ = 0; ///< number of the item that threw
    int waiting_ = 0;
    bool working_ = false;               ///< between `enter` and `leave`
    bool busy_ = false;                  ///< runs an item
    bool paused_ = false, quit_ = false; ///< begins no further item
    std::thread thread_;
    WorkQueue *before_ = nullptr, *after_ = nullptr; ///< in the list of all queues
};

} // namespace qd::backends::interpreter
