#pragma once
// A call of a kernel: sorts the arguments into the order of the parameters, finds the plan that fits them, launches and reads the results.
#include "python/bind/plan.h"

namespace qd::bind {

/// The vectorcall function of kernels.
PyObject *call_kernel(PyObject *kernel, PyObject *const *args, size_t flags, PyObject *names);

/// Sets `launch` of a plan whose other members are set.
void choose_launch(Plan &plan);

/// The method `resume` of kernels.
PyObject *resume(PyObject *kernel, PyObject *const *args, Py_ssize_t n, PyObject *names);

/// Returns the arguments of a call as a tuple in the order of the parameters.
PyObject *bound_tuple(KernelObject *kernel, PyObject *const *args, Py_ssize_t n, PyObject *names);

} // namespace qd::bind
