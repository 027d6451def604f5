#include "python/bind/ndarray.h"

#include "engine/device_memory.h"
#include "python/bind/errors.h"
#include "python/bind/index.h"
#include "python/bind/memory.h"
#include "python/bind/scalar.h"

#include <structmember.h>

#include <algorithm>
#include <map>
#include <string>

namespace qd::bind {

PyTypeObject *ndarray_type = nullptr, *usual_ndarray_type = nullptr;

PyObject *grad_word() {
    static PyObject *const word = PyUnicode_InternFromString("grad");
    return word;
}

namespace {

NdarrayMemory held;

void hold(int64_t count, uint64_t bytes) {
    if (held.generation != runtime.generation) held = {runtime.generation, 0, 0};
    held.count += count;
    held.bytes += count * int64_t(bytes);
}

NdarrayObject *self_of(PyObject *o) { return reinterpret_cast<NdarrayObject *>(o); }

bool check_alive(NdarrayObject *self) {
    if (self->alive()) [[likely]]
        return true;
    raise_dead("ndarray");
    return false;
}

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
    if (!usual_ndarray_type) usual_ndarray_type = reinterpret_cast<PyTypeObject *>(Py_NewRef(type));
    PyObject *o = type->tp_alloc(type, 0);
    return o;
}

/// Returns the number of the storage order in a tuple of `ndim` levels or none; -1 with an error set.
int read_order(PyObject *order, Py_ssize_t ndim) {
    std::vector<int> levels;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(order); i++)
        levels.push_back(int(PyLong_AsLong(PyTuple_GET_ITEM(order, i))));
    if (PyErr_Occurred()) return -1;
    std::vector<int> sorted = levels;
    std::ranges::sort(sorted);
    bool is_order = levels.empty() || Py_ssize_t(levels.size()) == ndim;
    for (size_t i = 0; i < sorted.size(); i++) is_order &= sorted[i] == int(i);
    if (!is_order) {
        PyErr_Format(PyExc_ValueError, "%R is not a permutation of %zd axes", order, ndim);
        return -1;
    }
    const int layout = layout_number(levels);
    if (layout < 0) PyErr_SetString(PyExc_RuntimeError, "too many different layouts in one process");
    return layout;
}

/// _allocate(scalar, shape of storage, rows, cols, element_dim, order of storage or ())
PyObject *allocate(PyObject *o, PyObject *args) {
    NdarrayObject *self = self_of(o);
    int elem, rows, cols, element_dim;
    PyObject *shape, *order;
    if (!PyArg_ParseTuple(args, "iO!iiiO!", &elem, &PyTuple_Type, &shape, &rows, &cols, &element_dim, &PyTuple_Type,
                          &order))
        return nullptr;
    constexpr int most = 0xffff; // limited by the width of a signature's field
    if (elem < int(ir::Scalar::u1) || elem > int(ir::Scalar::f64) || rows < 1 || rows > most || cols < 1 ||
        cols > most || element_dim < 0 || element_dim > 2)
        return PyErr_Format(PyExc_ValueError, "no array has such elements");
    const int layout = read_order(order, PyTuple_GET_SIZE(shape));
    if (layout < 0) return nullptr;
    engine::Program *program = need_program();
    if (!program) return nullptr;
    Py_ssize_t n = PyTuple_GET_SIZE(shape);
    if (self->memory.address || n > max_dims) {
        raise(ErrorClass::runtime,
              self->memory.address ? "the array has its memory already" : "an ndarray has at most 12 dimensions");
        return nullptr;
    }
    self->layout = layout;
    unsigned __int128 bytes = uint64_t(ir::size_of(ir::Scalar(elem))) * uint64_t(rows) * uint64_t(cols);
    for (Py_ssize_t i = 0; i < n; i++) {
        self->shape[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
        if (self->shape[i] == -1 && PyErr_Occurred()) return nullptr;
        if (self->shape[i] < 0) return PyErr_Format(PyExc_ValueError, "negative dimensions are not allowed: %R", shape);
        bytes *= uint64_t(self->shape[i]);
        if (bytes >> 62)
            return PyErr_Format(PyExc_MemoryError, "an ndarray of shape %R is larger than the address space", shape);
    }
    self->ndim = int(n);
    self->rows = rows;
    self->cols = cols;
    self->element_dim = element_dim;
    self->elem = ir::Scalar(elem);
    self->bytes = uint64_t(bytes);
    self->signature = signature_of(self->elem, self->ndim, rows, cols, element_dim, self->layout);
    try {
        self->memory = program->memory().allocate(self->bytes ? self->bytes : 1);
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
    self->generation = runtime.generation;
    hold(1, self->bytes);
    Py_RETURN_NONE;
}

/// _tag(order of storage or ()): changes how indices map to the same memory
PyObject *tag(PyObject *o, PyObject *order) {
    NdarrayObject *self = self_of(o);
    if (!check_alive(self)) return nullptr;
    if (!PyTuple_Check(order)) return PyErr_Format(PyExc_TypeError, "the order of axes must be a tuple, not %R", order);
    const int layout = read_order(order, self->ndim);
    if (layout < 0) return nullptr;
    self->layout = layout;
    self->signature = signature_of(self->elem, self->ndim, self->rows, self->cols, self->element_dim, layout);
    Py_RETURN_NONE;
}

void release(NdarrayObject *self) {
    if (!self->memory.address) return;
    if (self->alive()) {
        runtime.program->memory().free(self->memory.address);
        hold(-1, self->bytes);
    }
    self->memory = {};
}

/// True if `gradient` has an element of the same type and position for each element of the array.
bool is_gradient_of(const NdarrayObject *self, PyObject *gradient) {
    if (!is_ndarray(gradient)) return false;
    const NdarrayObject *other = self_of(gradient);
    return other->signature == self->signature && std::equal(self->shape, self->shape + self->ndim, other->shape);
}

/// Stores `grad` in the object too, so that launches of gradients need no lookup in the instance's dictionary.
int set_attribute(PyObject *o, PyObject *name, PyObject *value) {
    const bool is_gradient = PyUnicode_Compare(name, grad_word()) == 0;
    if (is_gradient && value && value != Py_None && !is_gradient_of(self_of(o), value)) {
        PyErr_SetString(PyExc_ValueError,
                        "the gradient of an ndarray is an ndarray of the same type and shape, or None");
        return -1;
    }
    if (PyObject_GenericSetAttr(o, name, value) < 0) return -1;
    if (is_gradient) Py_XSETREF(self_of(o)->grad, Py_XNewRef(value));
    return 0;
}

int traverse(PyObject *o, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(self_of(o)->grad);
    return 0;
}

int clear(PyObject *o) {
    Py_CLEAR(self_of(o)->grad);
    return 0;
}

void destroy(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    clear(o);
    if (self_of(o)->weakrefs) PyObject_ClearWeakRefs(o);
    release(self_of(o));
    type->tp_free(o);
    Py_DECREF(type);
}

/// Returns the byte offset of an element, or -1 with an error set. Negative indices count from the end.
int64_t locate(NdarrayObject *self, PyObject *key) {
    int64_t idx[max_dims + 1];
    int n = read_indices(key, idx, max_dims, "qd.ndarray"); // may run Python code
    if (n < 0 || !check_alive(self)) return -1;
    if (n != self->ndim) {
        raise(ErrorClass::index,
              std::to_string(self->ndim) + "d ndarray indexed with " + std::to_string(n) + "d indices");
        return -1;
    }
    const std::vector<int> &order = layout_order(self->layout);
    int64_t at = 0;
    for (int level = 0; level < n; level++) {
        const int i = order.empty() ? level : order[size_t(level)];
        const int64_t extent = self->shape[level];
        int64_t v = idx[i] < 0 ? idx[i] + extent : idx[i];
        if (v < 0 || v >= extent) {
            raise(ErrorClass::bounds, "Out of bound access to ndarray: index " + std::to_string(idx[i]) +
                                          " along axis " + std::to_string(i) + " of size " + std::to_string(extent));
            return -1;
        }
        at = at * extent + v;
    }
    return at * ir::size_of(self->elem) * self->components();
}

/// Returns a scalar, or a tuple of the components of a vector or matrix element.
PyObject *get_item(PyObject *o, PyObject *key) {
    NdarrayObject *self = self_of(o);
    if (!may_touch_memory("__getitem__")) return nullptr;
    int64_t at = locate(self, key);
    if (at < 0) return nullptr;
    const int n = self->components(), size = ir::size_of(self->elem);
    const HostBytes element(self->memory, uint64_t(at), uint64_t(n * size));
    if (!element.data()) return nullptr;
    if (self->element_dim == 0) return from_memory(element.data(), self->elem);
    PyObject *all = PyTuple_New(n);
    for (int i = 0; all && i < n; i++) PyTuple_SET_ITEM(all, i, from_memory(element.data() + i * size, self->elem));
    return all;
}

int set_item(PyObject *o, PyObject *key, PyObject *value) {
    NdarrayObject *self = self_of(o);
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of an ndarray cannot be deleted");
        return -1;
    }
    if (!may_touch_memory("__setitem__")) return -1;
    runtime.elements_written++;
    int64_t at = locate(self, key);
    if (at < 0) return -1;
    const int n = self->components(), size = ir::size_of(self->elem);
    PyObject *items =
        self->element_dim ? PySequence_Fast(value, "a vector or matrix element takes a sequence") : nullptr;
    if (self->element_dim && !items) return -1;
    if (items && PySequence_Fast_GET_SIZE(items) != n) {
        PyErr_Format(PyExc_ValueError, "the element has %d components, %zd are given", n,
                     PySequence_Fast_GET_SIZE(items));
        Py_DECREF(items);
        return -1;
    }
    std::string element(size_t(n * size),
                        '\0'); // conversions may run Python code: the memory is accessed only after them
    for (int i = 0; i < n; i++) {
        PyObject *one = items ? PySequence_Fast_GET_ITEM(items, i) : value;
        uint64_t slot;
        if (!to_slot(one, self->elem, &slot, true)) {
            PyErr_Format(PyExc_TypeError, "%R cannot be stored as %s", one, scalar_name(self->elem));
            Py_XDECREF(items);
            return -1;
        }
        store_slot(element.data() + i * size, self->elem, slot);
    }
    Py_XDECREF(items);
    if (!check_alive(self)) return -1;
    if (self->memory.host) std::memcpy(self->memory.host + at, element.data(), element.size());
    return self->memory.host || upload(self->memory, uint64_t(at), element.data(), element.size()) ? 0 : -1;
}

/// _fill(components): sets every element to these components
PyObject *fill(PyObject *o, PyObject *values) {
    NdarrayObject *self = self_of(o);
    if (!may_touch_memory("fill") || !check_alive(self)) return nullptr;
    const int n = self->components(), size = ir::size_of(self->elem);
    if (!PyTuple_Check(values) || PyTuple_GET_SIZE(values) != n) {
        return PyErr_Format(PyExc_ValueError, "fill of this array takes %d components", n);
    }
    std::string element(size_t(n * size), '\0');
    for (int i = 0; i < n; i++) {
        uint64_t slot;
        if (!to_slot(PyTuple_GET_ITEM(values, i), self->elem, &slot, true)) {
            return PyErr_Format(PyExc_TypeError, "%R cannot be stored as %s", PyTuple_GET_ITEM(values, i),
                                scalar_name(self->elem));
        }
        store_slot(element.data() + i * size, self->elem, slot);
    }
    if (!check_alive(self)) return nullptr;
    return done_unlocked([&](engine::Program &program) {
        program.memory().repeat(self->memory, element.data(), element.size(), self->bytes);
    });
}

PyObject *copy(PyObject *o, PyObject *other, bool out) {
    NdarrayObject *self = self_of(o);
    if (!may_touch_memory("A copy") || !check_alive(self)) return nullptr;
    Py_buffer view;
    if (PyObject_GetBuffer(other, &view, out ? PyBUF_CONTIG : PyBUF_CONTIG_RO) != 0) return nullptr;
    if (uint64_t(view.len) != self->bytes) {
        PyErr_Format(PyExc_ValueError, "the array has %llu bytes, the buffer %zd", (unsigned long long)self->bytes,
                     view.len);
        PyBuffer_Release(&view);
        return nullptr;
    }
    PyObject *done = done_unlocked([&](engine::Program &program) {
        if (out)
            program.memory().download(view.buf, self->memory, 0, self->bytes);
        else
            program.memory().upload(self->memory, 0, view.buf, self->bytes);
    });
    PyBuffer_Release(&view);
    return done;
}

PyObject *copy_to(PyObject *o, PyObject *buffer) { return copy(o, buffer, true); }
PyObject *copy_from_buffer(PyObject *o, PyObject *buffer) { return copy(o, buffer, false); }

PyObject *copy_from_ndarray(PyObject *o, PyObject *other) {
    NdarrayObject *self = self_of(o);
    if (!is_ndarray(other)) return PyErr_Format(PyExc_TypeError, "copy_from takes an ndarray, not %R", other);
    NdarrayObject *from = self_of(other);
    if (!may_touch_memory("copy_from") || !check_alive(self) || !check_alive(from)) return nullptr;
    if (self->bytes != from->bytes) return PyErr_Format(PyExc_ValueError, "arrays of different size");
    return done_unlocked(
        [&](engine::Program &program) { program.memory().copy(self->memory, from->memory, self->bytes); });
}

PyObject *get_shape(PyObject *o, void *) {
    NdarrayObject *self = self_of(o);
    if (!self->alive()) Py_RETURN_NONE;
    PyObject *shape = PyTuple_New(self->ndim);
    for (int i = 0; shape && i < self->ndim; i++) PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(self->extent(i)));
    return shape;
}

PyObject *get_storage_shape(PyObject *o, void *) {
    NdarrayObject *self = self_of(o);
    PyObject *shape = PyTuple_New(self->ndim);
    for (int i = 0; shape && i < self->ndim; i++) PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(self->shape[i]));
    return shape;
}

/// Returns the storage order, or None.
PyObject *get_layout(PyObject *o, void *) {
    const std::vector<int> &order = layout_order(self_of(o)->layout);
    if (order.empty()) Py_RETURN_NONE;
    PyObject *all = PyTuple_New(Py_ssize_t(order.size()));
    for (size_t i = 0; all && i < order.size(); i++) PyTuple_SET_ITEM(all, Py_ssize_t(i), PyLong_FromLong(order[i]));
    return all;
}

PyObject *get_alive(PyObject *o, void *) { return PyBool_FromLong(self_of(o)->alive()); }

PyObject *get_address(PyObject *o, void *) {
    NdarrayObject *self = self_of(o);
    if (!check_alive(self)) return nullptr;
    return PyLong_FromUnsignedLongLong(self->memory.address);
}

PyMethodDef methods[] = {
    {"_allocate", allocate, METH_VARARGS, nullptr},
    {"_tag", tag, METH_O, nullptr},
    {"_read", get_item, METH_O, "element as a scalar or tuple"},
    {"_fill", fill, METH_O, nullptr},
    {"_copy_to", copy_to, METH_O, "into a contiguous buffer of the same size"},
    {"_copy_from_buffer", copy_from_buffer, METH_O, nullptr},
    {"_copy_from_ndarray", copy_from_ndarray, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"shape", get_shape, nullptr, "extents, without those of the elements; None once the program has ended", nullptr},
    {"_physical_shape", get_storage_shape, nullptr, nullptr, nullptr},
    {"_qd_layout", get_layout, nullptr, nullptr, nullptr},
    {"_alive", get_alive, nullptr, nullptr, nullptr},
    {"_address", get_address, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(NdarrayObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_setattro, reinterpret_cast<void *>(set_attribute)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_mp_subscript, reinterpret_cast<void *>(get_item)},
    {Py_mp_ass_subscript, reinterpret_cast<void *>(set_item)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"quadrants._lib.core.quadrants_python.NdarrayStorage", sizeof(NdarrayObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

namespace {
std::vector<std::vector<int>> orders{{}};
std::map<std::vector<int>, int> order_numbers{{{}, 0}};
} // namespace

const std::vector<int> &layout_order(int layout) { return orders[size_t(layout)]; }

int layout_number(const std::vector<int> &order) {
    const auto known = order_numbers.find(order);
    if (known != order_numbers.end()) return known->second;
    if (orders.size() >= max_layouts) return -1;
    orders.push_back(order);
    return order_numbers[order] = int(orders.size()) - 1;
}

int64_t NdarrayObject::extent(int axis) const {
    const std::vector<int> &order = layout_order(layout);
    return shape[order.empty() ? axis : std::find(order.begin(), order.end(), axis) - order.begin()];
}

void raise_dead(const char *what) {
    raise(ErrorClass::runtime,
          std::string("This ") + what +
              " belongs to a runtime that qd.reset() or a later qd.init() has ended; create it again");
}

NdarrayMemory ndarray_memory() {
    hold(0, 0);
    return held;
}

bool add_ndarray_type(PyObject *module) {
    ndarray_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return ndarray_type &&
           PyModule_AddObjectRef(module, "NdarrayStorage", reinterpret_cast<PyObject *>(ndarray_type)) == 0;
}

} // namespace qd::bind
