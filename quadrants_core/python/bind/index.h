#pragma once
// Subscripts from Python: an int, a tuple of ints, or None for no index.
#include <Python.h>

#include <cstdint>

namespace qd::bind {

/// Reads `key` into at most `limit` indices; the number read, or -1 with an error set.
int read_indices(PyObject *key, int64_t *out, int limit, const char *what);

} // namespace qd::bind
