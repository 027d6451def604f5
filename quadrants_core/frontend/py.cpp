#include "frontend/collect.h"
#include "frontend/py.h"

#include <cstring>

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
    collect_if_asked();
    PyObject *value = nullptr; // the look-up makes no AttributeError for an absent attribute
#if PY_VERSION_HEX >= 0x030d0000
    if (PyObject_GetOptionalAttr(object, name, &value) < 0) PyErr_Clear();
#else
    if (_PyObject_LookupAttr(object, name, &value) < 0) PyErr_Clear();
#endif
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

PyRef plain_number(PyObject *object) {
    const char *type = Py_TYPE(object)->tp_name;
    if (std::strncmp(type, "numpy.", 6) != 0) return {};
    PyObject *number = nullptr;
    if (std::strcmp(type, "numpy.ndarray") == 0) {
        if (PyObject_Size(object) >= 0) return {};
        PyErr_Clear(); // no dimensions, so no length
        number = PyObject_CallMethod(object, "item", nullptr);
        if (!number) PyErr_Clear();
        return PyRef::steal(number);
    }
    if (std::strncmp(type, "numpy.bool", 10) == 0)
        number = PyBool_FromLong(PyObject_IsTrue(object) == 1);
    else if (PyIndex_Check(object))
        number = PyNumber_Index(object);
    else if (std::strncmp(type, "numpy.float", 11) == 0)
        number = PyNumber_Float(object);
    if (!number) PyErr_Clear();
    return PyRef::steal(number);
}

PyRef find_name(PyObject *function, PyObject *name) {
    const Names &n = names();
    PyRef closure = attribute(function, n.__closure__), code = attribute(function, n.__code__);
    if (closure && PyTuple_Check(closure.get()) && code) {
        const PyRef free = attribute(code.get(), n.co_freevars);
        const Py_ssize_t count = free && PyTuple_Check(free.get()) ? PyTuple_GET_SIZE(free.get()) : 0;
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyObject *variable = PyTuple_GET_ITEM(free.get(), i);
            if (variable != name && PyUnicode_Compare(variable, name) != 0) continue;
            if (PyObject *content = PyCell_GET(PyTuple_GET_ITEM(closure.get(), i))) return PyRef::borrow(content);
        }
    }
    PyRef globals = attribute(function, n.__globals__);
    if (globals && !PyDict_Check(globals.get())) globals = {};
    if (globals)
        if (PyObject *found = PyDict_GetItemWithError(globals.get(), name)) return PyRef::borrow(found);
    PyObject *builtins = globals ? PyDict_GetItemWithError(globals.get(), n.__builtins__) : nullptr;
    if (builtins && PyModule_Check(builtins)) builtins = PyModule_GetDict(builtins);
    if (!builtins || !PyDict_Check(builtins)) builtins = PyEval_GetBuiltins();
    PyErr_Clear();
    return PyRef::borrow(PyDict_GetItemWithError(builtins, name));
}

PyRef find_annotation(PyObject *function, PyObject *name) {
    PyRef table = attribute(function, names().__annotations__);
    PyObject *found = table && PyDict_Check(table.get()) ? PyDict_GetItemWithError(table.get(), name) : nullptr;
    if (!found || !PyUnicode_Check(found)) return PyRef::borrow(found);
    PyRef globals = attribute(function, names().__globals__);
    return PyRef::steal(PyRun_String(text(found).c_str(), Py_eval_input, globals.get(), globals.get()));
}

} // namespace qd::frontend
