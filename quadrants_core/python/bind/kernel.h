#pragma once
// The callable that @qd.kernel makes: a C type with vectorcall. No Python code runs between the call and the first task.
#include <Python.h>

namespace qd::bind {

bool add_kernel_type(PyObject *module);

} // namespace qd::bind
