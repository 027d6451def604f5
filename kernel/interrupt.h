#pragma once
// Stop. SIGINT is blocked in every thread of the kernel from the first line of main() on; the main thread unblocks it only around user
// code, so that a signal never interrupts the message loop or code that holds a lock of IPython. Python's own handler stays in place;
// long-running native code, such as the kernels of the `quadrants` module, installs its handler in front of that one.
namespace qd::kernel::interrupt {

/// To be called before any thread exists.
void block_everywhere();
/// To be called after Python has installed its handler, and again whenever a program may have installed another.
void install();

/// Main thread, around one request. While one exists, `raise_in_user_code` has an effect. An earlier signal is discarded, so the caller
/// must check afterwards whether the server is stopping.
struct Request {
    Request();
    ~Request();
};
/// Main thread, GIL held. Unblocks or blocks SIGINT; unblocking checks for Python's handler, blocking discards a signal that came too late.
void allow(bool open);

/// Any thread: performs a Stop. Has no effect if no request is running.
void raise_in_user_code();

} // namespace qd::kernel::interrupt
