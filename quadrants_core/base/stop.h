#pragma once
// Stop is one word for the whole process. Running tasks leave at their next poll; so does the compiler, which calls poll_stop() per
// statement, expression and pass.
#include <cstdint>

namespace qd {

/// Set by request_stop, read by every running task.
extern volatile uint32_t stop_word;

/// May be called from a signal handler or another thread. `clear_stop` clears the word.
void request_stop();
void clear_stop();

/// Thrown when request_stop cut a launch or a compilation short.
struct __attribute__((visibility("default"))) Interrupted {};

inline void poll_stop() {
    if (stop_word) [[unlikely]]
        throw Interrupted{};
}

} // namespace qd
