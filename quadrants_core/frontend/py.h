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

inline std::string text(PyObject *str) {
    Py_ssize_t size = 0;
    const char *data = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &size) : nullptr;
    if (!data) {
        PyErr_Clear();
        return {};
    }
    return std::string(data, size_t(size));
}
/// The repr of any object, or else its str; never fails.
std::string repr(PyObject *object);
std::string type_name(PyObject *object);
/// An attribute of a foreign object; null, without a Python error, if it is absent.
PyRef attribute(PyObject *object, PyObject *name);
/// A numpy scalar, or an array without dimensions, as a Python number; null for all other objects.
PyRef plain_number(PyObject *object);
/// The object that a name denotes where `function` was defined: closure, globals, builtins; null if there is none.
PyRef find_name(PyObject *function, PyObject *name);
/// The annotation of a parameter of `function`, evaluated if it is text; null if there is none or an error is set.
PyRef find_annotation(PyObject *function, PyObject *name);
long attribute_int(PyObject *object, PyObject *name, long fallback);

} // namespace qd::frontend
