#pragma once
// Options from Python to C++, row by row of options.def.
#include <Python.h>

#include "options/options.h"

namespace qd::bind {

/// Sets the options that the dict names. False with a Python error that names the option if one has no such value.
bool read_options(PyObject *dict, Options *options);

/// All of them by name, number types as their codes; new reference, null with a Python error.
PyObject *options_dict(const Options &options);

} // namespace qd::bind
