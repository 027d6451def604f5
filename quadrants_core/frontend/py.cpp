#include "frontend/py.h"

namespace qd::frontend {

const Names &names() {
    static const Names table = {
#define NAME(name) PyUnicode_InternFromString(#name),
#include "frontend/names.def"
    };
    return table;
}

std::string repr(PyObject *object) {
    PyRef r = PyRef::steal(PyObject_Repr(object));
    if (!r) {
        PyErr_Clear();
        return "<" + type_name(object) + ">";
    }
    return text(r.get());
}

std::string type_name(PyObject *object) {
    PyRef name = attribute(reinterpret_cast<PyObject *>(Py_TYPE(object)), names().__name__);
    return name ? text(name.get()) : "object";
}

PyRef attribute(PyObject *object, PyObject *name) {
    PyObject *value = PyObject_GetAttr(object, name);
    if (!value) PyErr_Clear();
    return PyRef::steal(value);
}

long attribute_int(PyObject *object, PyObject *name, long fallback) {
    PyRef value = attribute(object, name);
    if (!value) return fallback;
    const long number = PyLong_AsLong(value.get());
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return fallback;
    }
    return number;
}

} // namespace qd::frontend
