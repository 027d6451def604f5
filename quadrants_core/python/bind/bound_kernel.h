#pragma once
// A kernel bound to the object that it is a method of: the value of `obj.k`.
#include <Python.h>

namespace qd::bind {

/// Calls insert the instance before the arguments; attributes are those of the kernel. Attributes that are kernels (`grad`) are bound to
/// the instance as well.
PyObject *bind_kernel(PyObject *kernel, PyObject *instance);

bool add_bound_kernel_type();

} // namespace qd::bind
