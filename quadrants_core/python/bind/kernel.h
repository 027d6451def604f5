#pragma once
// The callable that @qd.kernel makes: a C type with vectorcall. Between the call and the first task no Python code
// runs.
#include <Python.h>

namespace qd::bind {

bool add_kernel_type(PyObject *module);

} // namespace qd::bind
