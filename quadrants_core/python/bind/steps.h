#pragma once
// Step-by-step launches, for quadrants._language.stepper.
#include <pybind11/pybind11.h>

namespace qd::bind {

void define_steps(pybind11::module_ &m);

/// The method `_outline` of kernels: returns (levels, checkpoints, [(kind, index, depth, name, line, number of the step)] of tasks and
/// their enclosing constructs), the first two as `_graph` gives them. For a tuple of arguments it describes their specialisation, which is
/// compiled if there is none; for None, the specialisation of this program that was used last, or otherwise made last, or returns None.
PyObject *describe_steps(PyObject *kernel, PyObject *args);

} // namespace qd::bind
