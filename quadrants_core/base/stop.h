#pragma once
// Stop: one word for the whole process. Running tasks leave at their next poll; so does the compiler, which calls
// poll_stop() per statement, expression and pass.
#include <cstdint>

namespace qd {

/// Set by request_stop, read by every running task.
extern volatile uint32_t stop_word;

/// From a signal handler or another thread. Cleared by `clear_stop`.
void request_stop();
void clear_stop();

/// A launch or a compilation was cut short by request_stop.
struct __attribute__((visibility("default"))) Interrupted {};

inline void poll_stop() {
    if (stop_word) [[unlikely]]
        throw Interrupted{};
}

} // namespace qd
