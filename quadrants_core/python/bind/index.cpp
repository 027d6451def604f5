#include "python/bind/index.h"

#include "frontend/py.h"
#include "python/bind/errors.h"
#include "python/bind/scalar.h"

namespace qd::bind {
namespace {

/// Reads the index of an axis; returns false with an error set.
bool one(PyObject *key, int64_t *out, const char *what, int axis, bool alone) {
    if (PyObject *number = PyIndex_Check(key) ? PyNumber_Index(key) : nullptr) {
        int overflow;
        *out = PyLong_AsLongLongAndOverflow(number, &overflow);
        if (overflow)
            raise(ErrorClass::bounds, "index " + frontend::repr(number) + " is out of bounds for axis " +
                                          std::to_string(axis) + " of a " + what);
        Py_DECREF(number);
        return !overflow;
    }
    PyErr_Clear();                         // e.g. an array of more than one element
    if (to_integer(key, out)) return true; // numpy.bool_
    if (alone && PySlice_Check(key)) {
        PyErr_Format(PyExc_AssertionError, "Slicing is not supported on %s", what);
        return false;
    }
    PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(key));
    if (PySlice_Check(key))
        PyErr_Format(PyExc_TypeError,
                     "Detected illegal element of type: %R. Please be aware that slicing a %s is not supported so far.",
                     type, what);
    else
        PyErr_Format(PyExc_TypeError, "Detected illegal element of type: %R. Indices of a %s are integers.", type,
                     what);
    return false;
}

} // namespace

int read_indices(PyObject *key, int64_t *out, int limit, const char *what) {
    if (PyLong_CheckExact(key)) {
        int overflow;
        out[0] = PyLong_AsLongLongAndOverflow(key, &overflow);
        if (!overflow) return 1;
    }
    if (key == Py_None) return 0;
    if (PyList_Check(key)) { // converting an index may change the list
        PyObject *all = PyList_AsTuple(key);
        const int n = all ? read_indices(all, out, limit, what) : -1;
        Py_XDECREF(all);
        return n;
    }
    if (!PyTuple_Check(key)) return one(key, out, what, 0, true) ? 1 : -1;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(key);
    if (n == 1 && PySequence_Fast_GET_ITEM(key, 0) == Py_None) return 0;
    if (n > limit) n = limit + 1;
    for (Py_ssize_t i = 0; i < n && i < limit; i++) {
        if (!one(PySequence_Fast_GET_ITEM(key, i), out + i, what, int(i), false)) return -1;
    }
    return int(n);
}

} // namespace qd::bind
