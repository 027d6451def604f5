#pragma once
// The events of engine/timeline.h for the package; GIL held.
#include <Python.h>

namespace qd::bind {

/// ([(what, name, of, begin, length, thread)], how many there was no room for)
PyObject *timeline();

} // namespace qd::bind
