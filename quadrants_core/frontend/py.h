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

// Attribute names that the walk reads, interned once.
#define QD_PY_NAMES(X)                                                                                                 \
    X(id)                                                                                                              \
    X(ctx)                                                                                                             \
    X(test)                                                                                                            \
    X(body)                                                                                                            \
    X(orelse) X(value) X(op) X(left) X(right) X(operand) X(values) X(ops) X(comparators) X(target) X(targets) X(iter)  \
        X(elts) X(keys) X(slice) X(lower) X(upper) X(step) X(attr) X(func) X(args) X(keywords) X(arg) X(annotation)    \
            X(returns) X(msg) X(lineno) X(col_offset) X(end_lineno) X(end_col_offset) X(generators) X(ifs) X(elt)      \
                X(key) X(items) X(context_expr) X(optional_vars) X(conversion) X(format_spec) X(posonlyargs)           \
                    X(kwonlyargs) X(vararg) X(kwarg) X(defaults) X(kw_defaults) X(name) X(kind) X(n) X(m) X(dtype)     \
                        X(ndim) X(fn) X(entries) X(shape) X(append) X(format) X(_qd_kind_) X(_qd_scalar_) X(_qd_name_) \
                            X(_qd_place_) X(_qd_places_) X(_qd_source_) X(__self__) X(__globals__) X(__closure__)      \
                                X(__code__) X(co_freevars) X(__annotations__) X(__name__) X(__qualname__)              \
                                    X(__module__) X(__builtins__) X(members) X(grad)

struct Names {
#define X(name) PyObject *name;
    QD_PY_NAMES(X)
#undef X
};
const Names &names();

/// A child of a tree node, borrowed: the node keeps it alive.
inline PyObject *child(PyObject *node, PyObject *name) {
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
