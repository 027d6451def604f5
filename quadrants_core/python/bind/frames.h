#pragma once
// Errors that leave the package show where the program called it, and not how the package is made.
#include <Python.h>

namespace qd::bind {

/// Takes frames of the package out of the traceback of the Python error that is set, unless print_full_traceback is on.
void hide_own_frames();
/// New reference: the function, whose errors show no frames of the package; of a class, a method.
PyObject *hiding_frames(PyObject *function);

} // namespace qd::bind
