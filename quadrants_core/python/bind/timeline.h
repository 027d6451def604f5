#pragma once
// The events of engine/timeline.h for the package; GIL held.
#include <Python.h>

namespace qd::bind {

/// Returns ([(what, name, of, begin, length, thread)], number of events dropped for lack of room)
PyObject *timeline();

} // namespace qd::bind
