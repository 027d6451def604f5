#include "python/bind/structs.h"

#include "python/bind/arguments.h"
#include "python/bind/errors.h"
#include "python/bind/scalar.h"

namespace qd::bind {

StructShape::StructShape(PyObject *t, PyObject *l) : type(Py_NewRef(t)), leaves(l) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(leaves); i++) {
        Leaf leaf;
        int elem;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(leaves, i), "Oiiii", &leaf.path, &elem, &leaf.rows, &leaf.cols,
                              &leaf.element_dim))
            return;
        leaf.elem = resolve(ir::Scalar(elem));
        slots += uint32_t(leaf.rows * leaf.cols);
        all.push_back(leaf);
    }
}

StructShape::~StructShape() {
    Py_DECREF(type);
    Py_DECREF(leaves);
}

std::shared_ptr<const StructShape> shape_of(PyObject *struct_type) {
    PyObject *list = package_attr("quadrants._storage.struct", "leaves");
    PyObject *leaves = list ? PyObject_CallFunctionObjArgs(list, struct_type, nullptr) : nullptr;
    Py_XDECREF(list);
    if (!leaves) return nullptr;
    auto shape = std::make_shared<const StructShape>(struct_type, leaves);
    return PyErr_Occurred() ? nullptr : shape;
}

namespace {

/// Returns the member `name` of a dict or qd.Struct, borrowed; null (no error set) if it has none.
PyObject *member_of(PyObject *holder, PyObject *name) {
    if (PyDict_Check(holder)) return PyDict_GetItemWithError(holder, name);
    PyObject *entries = PyObject_GetAttrString(holder, "_entries");
    PyErr_Clear();
    PyObject *found = entries && PyDict_Check(entries) ? PyDict_GetItemWithError(entries, name) : nullptr;
    Py_XDECREF(entries); // the struct keeps it alive
    return found;
}

} // namespace

bool write_struct(const StructShape &shape, PyObject *arg, uint64_t *slots) {
    for (const StructShape::Leaf &leaf : shape.all) {
        PyObject *value = arg;
        for (Py_ssize_t i = 0; value && i < PyTuple_GET_SIZE(leaf.path); i++)
            value = member_of(value, PyTuple_GET_ITEM(leaf.path, i));
        PyErr_Clear();
        if (!value) return false;
        const int n = leaf.rows * leaf.cols;
        const bool suits =
            leaf.element_dim ? write_components(leaf.elem, n, value, slots) : to_slot(value, leaf.elem, slots);
        if (!suits) return false;
        slots += n;
    }
    return true;
}

PyObject *read_struct(const StructShape &shape, const char *ret) {
    PyObject *flat = PyTuple_New(Py_ssize_t(shape.slots));
    Py_ssize_t at = 0;
    for (const StructShape::Leaf &leaf : shape.all) {
        for (int k = 0; flat && k < leaf.rows * leaf.cols; k++, at++) {
            PyObject *value = from_memory(ret + 8 * at, leaf.elem);
            if (!value) Py_CLEAR(flat);
            if (flat) PyTuple_SET_ITEM(flat, at, value);
        }
    }
    PyObject *make = flat ? package_attr("quadrants._storage.struct", "from_leaves") : nullptr;
    PyObject *made = make ? PyObject_CallFunctionObjArgs(make, shape.type, flat, nullptr) : nullptr;
    Py_XDECREF(make);
    Py_XDECREF(flat);
    return made;
}

void raise_unlike(const StructShape &shape, PyObject *arg) {
    raise(ErrorClass::runtime_type, "Argument " + repr(reinterpret_cast<PyObject *>(Py_TYPE(arg))) +
                                        " cannot be converted into required type " + repr(shape.type));
}

} // namespace qd::bind
