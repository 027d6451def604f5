#pragma once
// Stop. SIGINT is blocked in every thread of the kernel from the first line of main() on; the main thread opens it only
// around user code. So a signal never meets the message loop, nor a lock that IPython holds.
#include <atomic>

namespace qd::kernel::interrupt {

/// Before any thread exists.
void block_everywhere();
/// After Python has installed its handler: ours asks the core to stop, then calls Python's.
void install();

/// Main thread, around one request. Between the two calls `raise_in_user_code` has somebody to reach.
struct Request {
    Request();
    ~Request();
};
/// Main thread. Opens or closes the door for SIGINT; closing swallows what came too late. GIL held.
void allow(bool open);

/// Any thread: what Stop does. Nothing happens when no request is running.
void raise_in_user_code();

/// Readable after a SIGINT: some thread then calls `stop_core`, because a signal handler must not look for the core.
int signalled_fd();
/// Asks libquadrants_core.so to leave its running loops, when the `quadrants` module has loaded it. Never loads it.
void stop_core();

} // namespace qd::kernel::interrupt
