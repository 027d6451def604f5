#include "python/bind/bound_kernel.h"

#include "python/bind/ndarray.h"

#include <structmember.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace qd::bind {
namespace {

struct BoundKernel {
    PyObject_HEAD;
    vectorcallfunc vectorcall;
    PyObject *kernel, *instance, *weakrefs;
};

PyTypeObject *bound_type = nullptr;

BoundKernel *self_of(PyObject *o) { return reinterpret_cast<BoundKernel *>(o); }

PyObject *call(PyObject *o, PyObject *const *args, size_t flags, PyObject *names) {
    BoundKernel *self = self_of(o);
    const size_t given = size_t(PyVectorcall_NARGS(flags));
    if (flags & PY_VECTORCALL_ARGUMENTS_OFFSET) { // the caller lends the slot in front
        PyObject **all = const_cast<PyObject **>(args) - 1;
        PyObject *kept = std::exchange(all[0], self->instance);
        PyObject *result = PyObject_Vectorcall(self->kernel, all, given + 1, names);
        all[0] = kept;
        return result;
    }
    constexpr size_t few = 8;
    const size_t total = given + (names ? size_t(PyTuple_GET_SIZE(names)) : 0);
    PyObject *small[few + 1];
    const std::unique_ptr<PyObject *[]> large(total > few ? new PyObject *[total + 1] : nullptr);
    PyObject **all = large ? large.get() : small;
    all[0] = self->instance;
    std::copy_n(args, total, all + 1);
    return PyObject_Vectorcall(self->kernel, all, given + 1, names);
}

PyObject *get_attribute(PyObject *o, PyObject *name) {
    PyObject *found = nullptr;
    if (name != grad_word()) { // `grad` belongs to the kernel, and may be read before each launch
        found = PyObject_GenericGetAttr(o, name);
        if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
        PyErr_Clear();
    }
    found = PyObject_GetAttr(self_of(o)->kernel, name);
    if (!found || Py_TYPE(found) != Py_TYPE(self_of(o)->kernel)) return found;
    PyObject *bound = bind_kernel(found, self_of(o)->instance);
    Py_DECREF(found);
    return bound;
}

int traverse(PyObject *o, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(self_of(o)->kernel);
    Py_VISIT(self_of(o)->instance);
    return 0;
}

void destroy(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    if (self_of(o)->weakrefs) PyObject_ClearWeakRefs(o);
    Py_DECREF(self_of(o)->kernel);
    Py_DECREF(self_of(o)->instance);
    PyObject_GC_Del(o);
    Py_DECREF(type);
}

PyObject *compare(PyObject *a, PyObject *b, int op) {
    if ((op != Py_EQ && op != Py_NE) || Py_TYPE(a) != Py_TYPE(b)) Py_RETURN_NOTIMPLEMENTED;
    const bool same = self_of(a)->kernel == self_of(b)->kernel && self_of(a)->instance == self_of(b)->instance;
    return PyBool_FromLong(same == (op == Py_EQ));
}

Py_hash_t hash(PyObject *o) {
    const size_t both =
        reinterpret_cast<size_t>(self_of(o)->kernel) ^ (reinterpret_cast<size_t>(self_of(o)->instance) >> 4);
    return std::max<Py_hash_t>(Py_hash_t(both >> 4), 0);
}

PyObject *describe(PyObject *o) {
    return PyUnicode_FromFormat("<bound %R of %R>", self_of(o)->kernel, self_of(o)->instance);
}

PyObject *get_signature(PyObject *o, void *) {
    PyObject *method = PyMethod_New(self_of(o)->kernel, self_of(o)->instance);
    PyObject *inspect = method ? PyImport_ImportModule("inspect") : nullptr;
    PyObject *found = inspect ? PyObject_CallMethod(inspect, "signature", "O", method) : nullptr;
    Py_XDECREF(inspect);
    Py_XDECREF(method);
    return found;
}

/// resume(arguments, from_checkpoint=label)
PyObject *resume(PyObject *o, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    const size_t total = size_t(n) + (names ? size_t(PyTuple_GET_SIZE(names)) : 0);
    std::vector<PyObject *> all = {self_of(o)->kernel, self_of(o)->instance};
    all.insert(all.end(), args, args + total);
    PyObject *name = PyUnicode_InternFromString("resume");
    PyObject *result = name ? PyObject_VectorcallMethod(name, all.data(), size_t(n) + 2, names) : nullptr;
    Py_XDECREF(name);
    return result;
}

PyMethodDef methods[] = {
    {"resume", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(resume)), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__func__", T_OBJECT, offsetof(BoundKernel, kernel), READONLY, nullptr},
    {"__self__", T_OBJECT, offsetof(BoundKernel, instance), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(BoundKernel, weakrefs), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundKernel, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_getattro, reinterpret_cast<void *>(get_attribute)},
    {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
    {Py_tp_hash, reinterpret_cast<void *>(hash)},
    {Py_tp_repr, reinterpret_cast<void *>(describe)},
    {Py_tp_members, members},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {
    "quadrants._lib.core.quadrants_python.BoundKernel", sizeof(BoundKernel), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

} // namespace

PyObject *bind_kernel(PyObject *kernel, PyObject *instance) {
    BoundKernel *self = PyObject_GC_New(BoundKernel, bound_type);
    if (!self) return nullptr;
    self->vectorcall = call;
    self->kernel = Py_NewRef(kernel);
    self->instance = Py_NewRef(instance);
    self->weakrefs = nullptr;
    PyObject_GC_Track(self);
    return reinterpret_cast<PyObject *>(self);
}

bool add_bound_kernel_type() {
    bound_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return bound_type != nullptr;
}

} // namespace qd::bind
