#pragma once
// Thin helpers over the C API: owned references and interned attribute names. The GIL is held throughout.
#include <Python.h>

#include <string>
#include <utility>

namespace qd::frontend {

/// An owned reference.
class PyRef {
  public:
    PyRef() = default;
    PyRef(const PyRef &o) : p_(o.p_) { Py_XINCREF(p_); }
    PyRef(PyRef &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    PyRef &operator=(PyRef o) noexcept {
        std::swap(p_, o.p_);
        return *this;
    }
    ~PyRef() { Py_XDECREF(p_); }
    static PyRef steal(PyObject *p) {
        PyRef r;
        r.p_ = p;
        return r;
    }
    static PyRef borrow(PyObject *p) {
        Py_XINCREF(p);
        return steal(p);
    }
    PyObject *get() const { return p_; }
    explicit operator bool() const { return p_ != nullptr; }

  private:
    PyObject *p_ = nullptr;
};

/// Attribute names, interned once.
struct Names {
#define NAME(name) PyObject *name;
#include "frontend/names.def"
};
const Names &names();

/// A child of a tree node, borrowed: the node keeps it alive. Children stand in the node's dict, and no type of a node
/// has anything that wins over it.
inline PyObject *child(PyObject *node, PyObject *name) {
    if (PyObject **dict = _PyObject_GetDictPtr(node); dict && *dict)
        if (PyObject *value = PyDict_GetItemWithError(*dict, name)) return value;
    PyObject *value = PyObject_GetAttr(node, name);
    if (!value) {
        PyErr_Clear();
        return nullptr;
    }
    Py_DECREF(value);
    return value;
}
inline long child_int(PyObject *node, PyObject *name) {
    PyObject *value = child(node, name);
    return value && PyLong_Check(value) ? PyLong_AsLong(value) : 0;
}
inline std::string text(PyObject *str) {
    Py_ssize_t size = 0;
    const char *data = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &size) : nullptr;
    if (!data) {
        PyErr_Clear();
        return {};
    }
    return std::string(data, size_t(size));
}
/// repr or str of any object; never fails.
std::string repr(PyObject *object);
std::string type_name(PyObject *object);
/// Attribute of a foreign object; empty and no Python error if it is absent.
PyRef attribute(PyObject *object, PyObject *name);
/// A numpy scalar, or an array without dimensions, as a Python number; empty for all other objects.
PyRef plain_number(PyObject *object);
/// What a name means where `function` was defined: closure, globals, builtins; empty if nothing.
PyRef find_name(PyObject *function, PyObject *name);
/// Annotation of a parameter of `function`, evaluated if it is text; empty if there is none or an error is set.
PyRef find_annotation(PyObject *function, PyObject *name);
long attribute_int(PyObject *object, PyObject *name, long fallback);

/// The items of a list child as a range of borrowed pointers.
struct Items {
    PyObject *list;
    explicit Items(PyObject *l) : list(l && PyList_Check(l) ? l : nullptr) {}
    Py_ssize_t size() const { return list ? PyList_GET_SIZE(list) : 0; }
    PyObject *operator[](Py_ssize_t i) const { return PyList_GET_ITEM(list, i); }
    PyObject **begin() const { return list ? reinterpret_cast<PyListObject *>(list)->ob_item : nullptr; }
    PyObject **end() const { return begin() + size(); }
};

} // namespace qd::frontend
