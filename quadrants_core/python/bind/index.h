#pragma once
// Subscripts in Python: an int, a tuple of ints, or None for no index.
#include <Python.h>

#include <cstdint>

namespace qd::bind {

/// Reads at most `limit` indices from `key`; returns their number, which is `limit + 1` if there are more, or -1 with an error set.
int read_indices(PyObject *key, int64_t *out, int limit, const char *what);

} // namespace qd::bind
