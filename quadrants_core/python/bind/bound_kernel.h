#pragma once
// A kernel and the object that it is a method of: what `obj.k` gives.
#include <Python.h>

namespace qd::bind {

/// Calls put the instance in front of the arguments; attributes are those of the kernel. Kernels among them (`grad`)
/// are bound to the instance as well.
PyObject *bind_kernel(PyObject *kernel, PyObject *instance);

bool add_bound_kernel_type();

} // namespace qd::bind
