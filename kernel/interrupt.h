#pragma once
// Stop. SIGINT is blocked in every thread of the kernel from the first line of main() on; the main thread opens it only
// around user code. So a signal never meets the message loop, nor a lock that IPython holds. Python's own handler stays
// in place; native code that runs long, such as the kernels of the `quadrants` module, puts its handler in front of
// that one.
namespace qd::kernel::interrupt {

/// Before any thread exists.
void block_everywhere();
/// After Python has installed its handler, and again whenever a program may have installed another.
void install();

/// Main thread, around one request. While one lives, `raise_in_user_code` has somebody to reach. What was raised
/// before is gone, so whoever makes one looks next whether the server stops.
struct Request {
    Request();
    ~Request();
};
/// Main thread, GIL held. Opens or closes the door for SIGINT; opening looks for Python's handler, closing swallows what
/// came too late.
void allow(bool open);

/// Any thread: what Stop does. Nothing happens when no request is running.
void raise_in_user_code();

} // namespace qd::kernel::interrupt
