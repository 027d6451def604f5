#include "python/bind/frames.h"

#include "python/bind/state.h"

#include <cstddef>

namespace qd::bind {
namespace {

struct Hiding {
    PyObject ob_base;
    PyObject *function;
};

Hiding *self_of(PyObject *o) { return reinterpret_cast<Hiding *>(o); }

PyObject *call(PyObject *o, PyObject *args, PyObject *keywords) {
    PyObject *result = PyObject_Call(self_of(o)->function, args, keywords);
    if (!result) hide_own_frames();
    return result;
}

PyObject *bound(PyObject *o, PyObject *owner, PyObject *) { return owner ? PyMethod_New(o, owner) : Py_NewRef(o); }

/// Name, docstring and other attributes are those of the wrapped function.
PyObject *attribute(PyObject *o, PyObject *name) {
    if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) return Py_NewRef(self_of(o)->function);
    if (PyUnicode_CompareWithASCIIString(name, "__class__") == 0) return PyObject_GenericGetAttr(o, name);
    return PyObject_GetAttr(self_of(o)->function, name);
}

int traverse(PyObject *o, visitproc visit, void *arg) {
    Py_VISIT(self_of(o)->function);
    Py_VISIT(Py_TYPE(o));
    return 0;
}

int clear(PyObject *o) {
    Py_CLEAR(self_of(o)->function);
    return 0;
}

void dealloc(PyObject *o) {
    PyObject_GC_UnTrack(o);
    PyTypeObject *type = Py_TYPE(o);
    clear(o);
    type->tp_free(o);
    Py_DECREF(type);
}

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void *>(call)},
    {Py_tp_descr_get, reinterpret_cast<void *>(bound)},
    {Py_tp_getattro, reinterpret_cast<void *>(attribute)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
    {0, nullptr},
};
PyType_Spec spec = {"quadrants._lib.core.quadrants_python.HidingFrames", sizeof(Hiding), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

bool is_own(PyTracebackObject *entry, PyObject *folder) {
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    const bool is = PyUnicode_Tailmatch(code->co_filename, folder, 0, PY_SSIZE_T_MAX, -1) == 1;
    Py_DECREF(code);
    return is;
}

/// Returns a traceback without the entries of the package; consumes the reference.
PyObject *without_own(PyObject *first, PyObject *folder) {
    while (first && PyTraceBack_Check(first) && is_own(reinterpret_cast<PyTracebackObject *>(first), folder)) {
        PyObject *next =
            Py_XNewRef(reinterpret_cast<PyObject *>(reinterpret_cast<PyTracebackObject *>(first)->tb_next));
        Py_DECREF(first);
        first = next;
    }
    for (PyObject *at = first; at;) {
        auto *entry = reinterpret_cast<PyTracebackObject *>(at);
        PyTracebackObject *next = entry->tb_next;
        if (!next) break;
        if (!is_own(next, folder)) {
            at = reinterpret_cast<PyObject *>(next);
            continue;
        }
        entry->tb_next = reinterpret_cast<PyTracebackObject *>(Py_XNewRef(reinterpret_cast<PyObject *>(next->tb_next)));
        Py_DECREF(next);
    }
    return first;
}

} // namespace

void hide_own_frames() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *raw = package_attr("quadrants._exceptions", "_raw");
    PyObject *wants_all = raw ? PyObject_CallNoArgs(raw) : nullptr;
    PyObject *folder = package_attr("quadrants._exceptions", "_PACKAGE");
    if (wants_all && folder && wants_all != Py_True) {
        traceback = without_own(traceback, folder);
        if (value) PyException_SetTraceback(value, traceback ? traceback : Py_None);
    }
    Py_XDECREF(raw);
    Py_XDECREF(wants_all);
    Py_XDECREF(folder);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

PyObject *hiding_frames(PyObject *function) {
    static PyObject *type = PyType_FromSpec(&spec);
    if (!type) return nullptr;
    auto *made = PyObject_GC_New(Hiding, reinterpret_cast<PyTypeObject *>(type));
    if (!made) return nullptr;
    made->function = Py_NewRef(function);
    PyObject_GC_Track(made);
    return reinterpret_cast<PyObject *>(made);
}

} // namespace qd::bind
