#pragma once
#include "base/fork.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <thread>

namespace qd::backends::interpreter {

/// Work that a thread of its own does, in order. It begins when somebody waits, else a moment after it was given: who
/// forgets to wait finds nothing done, and not by luck what he looks for.
class WorkQueue {
  public:
    /// The thread calls these around all that it does in one go.
    WorkQueue(std::function<void()> enter, std::function<void()> leave);
    /// What has not begun is never done.
    ~WorkQueue();
    WorkQueue(const WorkQueue &) = delete;

    void add(std::function<void()> work);
    /// Pieces of work that were added so far.
    uint64_t given() const { return given_; }
    /// Returns when the first `number` pieces are done. Throws, once, what the first of them threw that threw; what was
    /// added behind that one until then is not done.
    void wait(uint64_t number);

  private:
    friend struct ForkedQueues;
    void start();
    void run();

    BriefMutex lock_; ///< of all below
    std::condition_variable changed_, ended_;
    std::deque<std::function<void()>> queue_;
    std::function<void()> enter_, leave_;
    uint64_t given_ = 0, done_ = 0;
    std::exception_ptr trouble_;
    uint64_t trouble_at_ = 0; ///< number of the piece that threw
    int waiting_ = 0;
    bool working_ = false;               ///< between `enter` and `leave`
    bool busy_ = false;                  ///< with a piece
    bool paused_ = false, quit_ = false; ///< begins no further piece
    std::thread thread_;
    WorkQueue *before_ = nullptr, *after_ = nullptr; ///< in the list of all
};

} // namespace qd::backends::interpreter
