#pragma once
// Removes the package's own frames from the tracebacks of errors, so that they end where the program called it.
#include <Python.h>

namespace qd::bind {

/// Removes frames of the package from the traceback of the Python error that is set, unless print_full_traceback is on.
void hide_own_frames();
/// Returns a new reference to a wrapper of `function` whose errors show no frames of the package; in a class it acts as a method.
PyObject *hiding_frames(PyObject *function);

} // namespace qd::bind
