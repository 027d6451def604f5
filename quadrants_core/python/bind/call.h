#pragma once
// A call of a kernel: arguments in the order of its parameters, the plan that fits them, the launch, what it returned.
#include "python/bind/plan.h"

namespace qd::bind {

/// The vectorcall of kernels.
PyObject *call(PyObject *kernel, PyObject *const *args, size_t flags, PyObject *names);

/// The method of the same name of kernels.
PyObject *resume(PyObject *kernel, PyObject *const *args, Py_ssize_t n, PyObject *names);

/// The arguments of a call as a tuple in the order of the parameters.
PyObject *bound_tuple(KernelObject *kernel, PyObject *const *args, Py_ssize_t n, PyObject *names);

} // namespace qd::bind
