#include "python/bind/scalar.h"

#include <cstring>

namespace qd::bind {
namespace {

/// numpy.bool_ offers neither __index__ nor __float__.
bool is_numpy_bool(PyObject *value) {
    const char *name = Py_TYPE(value)->tp_name;
    return std::strcmp(name, "numpy.bool_") == 0 || std::strcmp(name, "numpy.bool") == 0;
}

} // namespace

bool to_integer(PyObject *value, int64_t *out) {
    if (PyLong_Check(value)) {
        int overflow;
        long long v = PyLong_AsLongLongAndOverflow(value, &overflow);
        *out = overflow ? int64_t(PyLong_AsUnsignedLongLong(value)) : v;
        if (overflow && PyErr_Occurred()) { // more than 64 bits
            PyErr_Clear();
            return false;
        }
        return true;
    }
    if (is_numpy_bool(value)) {
        *out = PyObject_IsTrue(value) == 1;
        return true;
    }
    if (!PyIndex_Check(value)) return false;
    PyObject *index = PyNumber_Index(value);
    if (!index) {
        PyErr_Clear(); // e.g. an array of more than one element
        return false;
    }
    bool ok = to_integer(index, out);
    Py_DECREF(index);
    return ok;
}

bool to_float(PyObject *value, double *out) {
    if (PyFloat_Check(value)) {
        *out = PyFloat_AS_DOUBLE(value);
        return true;
    }
    if (is_numpy_bool(value)) {
        *out = PyObject_IsTrue(value) == 1;
        return true;
    }
    if (PyUnicode_Check(value) || PyBytes_Check(value)) return false;
    double d = PyFloat_AsDouble(value);
    if (d == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    *out = d;
    return true;
}

bool to_slot(PyObject *value, ir::Scalar s, uint64_t *slot, bool narrow) {
    if (ir::is_float(s)) {
        double d;
        if (!to_float(value, &d)) return false;
        *slot = 0;
        if (s == ir::Scalar::f64) {
            std::memcpy(slot, &d, sizeof d);
        } else if (s == ir::Scalar::f32) {
            float f = float(d);
            std::memcpy(slot, &f, sizeof f);
        } else if (PyFloat_Pack2(d, reinterpret_cast<char *>(slot), 1) != 0) {
            PyErr_Clear(); // larger than the largest f16
            *slot = d < 0 ? 0xfc00 : 0x7c00;
        }
        return true;
    }
    int64_t v;
    if (to_integer(value, &v)) {
        *slot = s == ir::Scalar::u1 ? uint64_t(v != 0) : uint64_t(v);
        return true;
    }
    if (narrow && PyLong_Check(value)) { // more than 64 bits
        *slot = s == ir::Scalar::u1 ? 1 : PyLong_AsUnsignedLongLongMask(value);
        return true;
    }
    double d;
    if (!narrow || !to_float(value, &d)) return false;
    if (s == ir::Scalar::u1) {
        *slot = d != 0;
    } else if (!(d > -9.3e18 && d < 1.9e19)) {
        *slot = 0;
    } else {
        *slot = d < 9.2e18 ? uint64_t(int64_t(d)) : uint64_t(d);
    }
    return true;
}

namespace {
template <class T> T read(const void *p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
} // namespace

PyObject *from_memory(const void *p, ir::Scalar s) {
    switch (s) {
    case ir::Scalar::none: Py_RETURN_NONE;
    case ir::Scalar::u1: return PyBool_FromLong(read<uint8_t>(p) & 1);
    case ir::Scalar::i8: return PyLong_FromLong(read<int8_t>(p));
    case ir::Scalar::u8: return PyLong_FromLong(read<uint8_t>(p));
    case ir::Scalar::i16: return PyLong_FromLong(read<int16_t>(p));
    case ir::Scalar::u16: return PyLong_FromLong(read<uint16_t>(p));
    case ir::Scalar::i32: return PyLong_FromLong(read<int32_t>(p));
    case ir::Scalar::u32: return PyLong_FromUnsignedLong(read<uint32_t>(p));
    case ir::Scalar::i64: return PyLong_FromLongLong(read<int64_t>(p));
    case ir::Scalar::u64: return PyLong_FromUnsignedLongLong(read<uint64_t>(p));
    case ir::Scalar::f16: return PyFloat_FromDouble(PyFloat_Unpack2(static_cast<const char *>(p), 1));
    case ir::Scalar::f32: return PyFloat_FromDouble(double(read<float>(p)));
    case ir::Scalar::f64: return PyFloat_FromDouble(read<double>(p));
    }
    Py_RETURN_NONE;
}

const char *scalar_name(ir::Scalar s) {
    constexpr const char *names[] = {"none", "u1",  "i8",  "u8",  "i16", "u16", "i32",
                                     "u32",  "i64", "u64", "f16", "f32", "f64"};
    return names[int(s)];
}

} // namespace qd::bind
