#pragma once
// Images of arrays in host memory: samples along two axes, one number each.
#include <Python.h>

namespace qd::bind {

/// sample(out, before, address, scalar, (samples, first, extent, stride), (samples, first, extent, stride), parts, part_stride): writes
/// samples of the array at `address` (0: an array of zeros) as f32 to the buffer `out`, with samples along the second axis contiguous.
/// Sample k of an axis is the element `first + k * extent / samples`. `parts` > 0: takes the magnitudes of elements of this many numbers.
/// Returns True if the buffer `before`, which may be None, has the same samples.
PyObject *sample(PyObject *, PyObject *args);

} // namespace qd::bind
