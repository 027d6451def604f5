#pragma once
// Pictures of arrays in memory of the host: samples of two axes, one number each.
#include <Python.h>

namespace qd::bind {

/// sample(out, before, address, scalar, (samples, first, extent, stride), (samples, first, extent, stride), parts, part_stride): writes
/// samples of the array at `address` (0: all of it is zero) as f32 to the buffer `out`, those along the second axis next to each other. Sample k of an
/// axis is the element `first + k * extent / samples`. `parts` > 0: magnitudes of elements of so many numbers. True if the buffer
/// `before` has the same samples; it may be None.
PyObject *sample(PyObject *, PyObject *args);

} // namespace qd::bind
