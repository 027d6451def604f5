#pragma once
// Conversion of options between Python and C++, row by row of options.def.
#include <Python.h>

#include "options/options.h"

namespace qd::bind {

/// Sets the options that the dict names. Returns false if a value does not suit, with a Python error that names the option.
bool read_options(PyObject *dict, Options *options);

/// Returns a new reference to a dict of all options by name, with number types as their codes; null with a Python error.
PyObject *options_dict(const Options &options);

} // namespace qd::bind
