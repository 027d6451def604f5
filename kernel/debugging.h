#pragma once
// debug_request: the Debug Adapter Protocol in a message of the control channel. Python answers it (python/qd_debug.py) on a thread of its
// own: a program stopped at a breakpoint occupies the main thread, and a slow reply must not block the control thread, which handles
// shutdown.
#include "wire.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace qd::kernel {

class Debugging {
  public:
    struct Reply {
        wire::Message request;
        wire::Json content;
    };
    using Answer = std::function<wire::Json(const wire::Message &)>;

    /// `answer` runs on the debugging thread, which the first request starts; `ready` is called when `take` has a reply to return.
    Debugging(Answer answer, std::function<void()> ready) : answer_(std::move(answer)), ready_(std::move(ready)) {}

    void ask(wire::Message request);
    std::deque<Reply> take();

  private:
    [[noreturn]] void run();

    const Answer answer_;
    const std::function<void()> ready_;
    std::mutex mutex_; ///< guards the two queues
    std::condition_variable asked_;
    std::deque<wire::Message> requests_;
    std::deque<Reply> replies_;
    bool started_ = false;
};

/// Returns the 32-bit MurmurHash2, by which front ends name the file of a cell.
uint32_t murmur2(std::string_view text, uint32_t seed);

} // namespace qd::kernel
