#pragma once
// Pending calls, which other threads request from the main thread. It runs them between two Python instructions, so after a launch and
// not during one. A program without requests pays nothing.
#include <Python.h>

namespace qd::bind {

/// GIL held, from any thread: makes the main thread call `work(still)` as soon as it is between two Python instructions; `still` is false
/// if the compiler is running below them. An error raised by `work` is raised in the program. Returns false if too many calls are pending.
bool add_pending_call(PyObject *work);

/// GIL held: calls `tell()` after each launch of the main thread, until it is set to None.
void observe_launches(PyObject *tell);

/// After a launch of the main thread, GIL held and no error set: calls the function set by observe_launches(). Returns false with an error
/// set.
bool report_launch();

} // namespace qd::bind
