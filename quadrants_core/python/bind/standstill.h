#pragma once
// What others ask of the main thread, which does it where it stands still: between two instructions of Python, so after
// a launch and not in one. A program of which nobody asks anything pays nothing.
#include <Python.h>

namespace qd::bind {

/// GIL held, from any thread: the main thread calls `work(still)` as soon as it is between two instructions of Python;
/// `still` is false if the compiler runs below them. What `work` raises is raised in the program. False: too much waits.
bool at_standstill(PyObject *work);

/// GIL held: `tell()` is called after each launch of the main thread until it is None.
void tell_launches(PyObject *tell);

/// After a launch of the main thread, GIL held and no error set: what tell_launches() was given. False with an error set.
bool told_launch();

} // namespace qd::bind
