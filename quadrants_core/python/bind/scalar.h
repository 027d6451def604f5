#pragma once
// Conversion of one scalar between Python and memory or an argument slot. Integers wrap to the width of the type, as casts in the
// language do.
#include <Python.h>

#include "ir/types.h"

#include <cstdint>
#include <cstring>

namespace qd::bind {

/// Converts ints, bools and numpy integers; returns false (no error set) if `value` is not an integer or has more than 64 bits.
bool to_integer(PyObject *value, int64_t *out);

/// Converts anything that has a float value, including integers and numpy scalars; returns false (no error set) otherwise.
bool to_float(PyObject *value, double *out);

/// Writes `value`, converted to type `s`, to the low bytes of `slot`; returns false (no error set) if it cannot be converted. Integer
/// types refuse floats and integers of more than 64 bits unless `narrow`.
bool to_slot(PyObject *value, ir::Scalar s, uint64_t *slot, bool narrow = false);

/// Handles the common cases of `to_slot` inline.
inline bool to_slot_fast(PyObject *value, ir::Scalar s, uint64_t *slot) {
    if (PyFloat_CheckExact(value)) {
        if (s == ir::Scalar::f32) {
            float f = float(PyFloat_AS_DOUBLE(value));
            uint32_t bits;
            std::memcpy(&bits, &f, sizeof bits);
            *slot = bits;
            return true;
        }
        if (s == ir::Scalar::f64) {
            double d = PyFloat_AS_DOUBLE(value);
            std::memcpy(slot, &d, sizeof d);
            return true;
        }
    } else if (PyLong_CheckExact(value) && ir::is_int(s) && s != ir::Scalar::u1) {
        int overflow;
        long long v = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (!overflow) {
            *slot = uint64_t(v);
            return true;
        }
    }
    return to_slot(value, s, slot);
}

/// Returns a new reference to the value of type `s` at `p`.
PyObject *from_memory(const void *p, ir::Scalar s);

/// Writes the low bytes of a slot.
inline void store_slot(void *p, ir::Scalar s, uint64_t slot) { std::memcpy(p, &slot, size_t(ir::size_of(s))); }

const char *scalar_name(ir::Scalar s);

} // namespace qd::bind
