#pragma once
// Launches in steps, for quadrants._language.stepper.
#include <pybind11/pybind11.h>

namespace qd::bind {

void define_steps(pybind11::module_ &m);

/// The method `_outline` of kernels: (levels, checkpoints, [(kind, index, depth, name, line, number of the step)] of tasks and
/// what they stand in), the first two as `_graph` gives them, of the specialisation for a tuple of arguments, which is compiled if there is none; for None of the
/// one of this program that was used last, or else made last, or None.
PyObject *describe_steps(PyObject *kernel, PyObject *args);

} // namespace qd::bind
