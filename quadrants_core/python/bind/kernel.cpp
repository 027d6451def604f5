#include "python/bind/kernel.h"

#include "python/bind/bound_kernel.h"
#include "python/bind/call.h"
#include "python/bind/errors.h"
#include "python/bind/frames.h"
#include "python/bind/ndarray.h"
#include "python/bind/plan.h"
#include "python/bind/steps.h"

#include <structmember.h>

namespace qd::bind {
namespace {

constexpr size_t max_args = 512;
PyTypeObject *kernel_type = nullptr;

KernelObject *self_of(PyObject *o) { return reinterpret_cast<KernelObject *>(o); }

/// A call while calls are reported to an observer: Python handles it (KernelInfo._call_recorded, _gradient_recorded).
PyObject *call_recorded(PyObject *o, PyObject *const *args, size_t flags, PyObject *names) {
    const bool backward = self_of(o)->mode == autodiff::Mode::reverse;
    PyObject *through = PyObject_GetAttrString(self_of(o)->info, backward ? "_gradient_recorded" : "_call_recorded");
    if (!through) return nullptr;
    PyObject *result = PyObject_Vectorcall(through, args, size_t(PyVectorcall_NARGS(flags)), names);
    Py_DECREF(through);
    if (!result) hide_own_frames();
    return result;
}

/// _record_calls(True if calls go through Python)
PyObject *set_recorded(PyObject *o, PyObject *yes) {
    self_of(o)->vectorcall = yes == Py_True ? call_recorded : call_kernel;
    Py_RETURN_NONE;
}

/// _launch(arguments): launches without reporting the call
PyObject *launch_directly(PyObject *o, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    return call_kernel(o, args, size_t(n), names);
}

/// _bind(arguments) -> tuple in the order of the parameters
PyObject *bind_call(PyObject *o, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    return bound_tuple(self_of(o), args, n, names);
}

/// Kernel(info, params, returns, returns_tuple, mode=0)
PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *info, *params, *returns;
    int returns_tuple = 0, mode = 0;
    if (!PyArg_ParseTuple(args, "OO!O!p|i", &info, &PyTuple_Type, &params, &PyTuple_Type, &returns, &returns_tuple,
                          &mode))
        return nullptr;
    if (PyTuple_GET_SIZE(params) > Py_ssize_t(max_args)) {
        raise(ErrorClass::compilation, "a kernel takes at most 512 arguments");
        return nullptr;
    }
    if (mode < 0 || mode > int(autodiff::Mode::validate))
        return PyErr_Format(PyExc_ValueError, "no mode of derivatives: %d", mode);
    PyObject *o = type->tp_alloc(type, 0);
    if (!o) return nullptr;
    KernelObject *kernel = self_of(o);
    kernel->info = Py_NewRef(info);
    kernel->vectorcall = call_kernel;
    kernel->annotations = Py_NewRef(params);
    kernel->return_types = Py_NewRef(returns);
    kernel->params = new std::vector<ParamSpec>(size_t(PyTuple_GET_SIZE(params)));
    kernel->returns = new std::vector<frontend::ReturnType>(size_t(PyTuple_GET_SIZE(returns)));
    kernel->plans = new std::vector<std::shared_ptr<Plan>>;
    kernel->returns_tuple = returns_tuple != 0;
    kernel->mode = autodiff::Mode(mode);
    bool ok = true;
    for (size_t i = 0; ok && i < kernel->params->size(); i++) {
        ok = read_spec(PyTuple_GET_ITEM(params, Py_ssize_t(i)), &(*kernel->params)[i]);
    }
    for (size_t i = 0; ok && i < kernel->returns->size(); i++) {
        frontend::ReturnType &r = (*kernel->returns)[i];
        int elem;
        PyObject *structure;
        ok = PyArg_ParseTuple(PyTuple_GET_ITEM(returns, Py_ssize_t(i)), "iiiiO", &elem, &r.rows, &r.cols,
                              &r.element_dim, &structure);
        r.structure = structure == Py_None ? nullptr : structure;
        r.elem = ir::Scalar(elem);
    }
    if (!ok) Py_CLEAR(o);
    return o;
}

/// Visits the references that a shape owns, if this is its only owner: the collector counts every reference once.
int traverse_shape(const std::shared_ptr<const StructShape> &shape, visitproc visit, void *arg) {
    if (shape.use_count() != 1) return 0;
    Py_VISIT(shape->type);
    Py_VISIT(shape->leaves);
    return 0;
}

int traverse(PyObject *o, visitproc visit, void *arg) {
    KernelObject *kernel = self_of(o);
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(kernel->dict);
    Py_VISIT(kernel->info);
    Py_VISIT(kernel->gradient);
    Py_VISIT(kernel->annotations);
    Py_VISIT(kernel->return_types);
    if (!kernel->plans) return 0;
    for (const std::shared_ptr<Plan> &plan : *kernel->plans) {
        for (PyObject *kept : plan->kept) Py_VISIT(kept);
        for (const BoundParam &p : plan->params) {
            if (!p.weak) Py_VISIT(p.value);
            if (const int stopped = traverse_shape(p.shape, visit, arg)) return stopped;
        }
        for (const std::shared_ptr<const StructShape> &shape : plan->return_shapes) {
            if (const int stopped = traverse_shape(shape, visit, arg)) return stopped;
        }
    }
    return 0;
}

int clear(PyObject *o) {
    KernelObject *kernel = self_of(o);
    kernel->last = nullptr;
    if (kernel->plans) bury(std::exchange(*kernel->plans, {}));
    Py_CLEAR(kernel->dict);
    Py_CLEAR(kernel->info);
    Py_CLEAR(kernel->gradient);
    Py_CLEAR(kernel->annotations);
    Py_CLEAR(kernel->return_types);
    return 0;
}

void destroy(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    KernelObject *kernel = self_of(o);
    PyObject_GC_UnTrack(o);
    if (kernel->weakrefs) PyObject_ClearWeakRefs(o);
    clear(o);
    delete kernel->params;
    delete kernel->returns;
    delete kernel->plans;
    type->tp_free(o);
    Py_DECREF(type);
}

PyObject *get_bound(PyObject *o, PyObject *instance, PyObject *) {
    if (!instance || instance == Py_None) return Py_NewRef(o);
    return bind_kernel(o, instance);
}

PyObject *count_plans(PyObject *o, PyObject *) {
    KernelObject *kernel = self_of(o);
    Py_ssize_t n = 0;
    for (const std::shared_ptr<Plan> &plan : *kernel->plans)
        n += plan->kernel && plan->generation == runtime.generation;
    return PyLong_FromSsize_t(n);
}

PyObject *forget(PyObject *o, PyObject *) {
    self_of(o)->last = nullptr;
    bury(std::exchange(*self_of(o)->plans, {}));
    Py_RETURN_NONE;
}

PyObject *plans(PyObject *o, PyObject *) { return describe_plans(self_of(o)); }
PyObject *entries(PyObject *o, PyObject *) { return describe_cache_files(self_of(o)); }

/// _compile_like(older kernel or None) -> number of specialisations made
PyObject *compile_like(PyObject *o, PyObject *before) {
    if (before != Py_None && Py_TYPE(before) != Py_TYPE(o)) {
        PyErr_SetString(PyExc_TypeError, "_compile_like() takes a kernel or None");
        return nullptr;
    }
    int made = specialise_ahead(self_of(o), before == Py_None ? nullptr : self_of(before));
    return made < 0 ? nullptr : PyLong_FromLong(made);
}

PyObject *describe(PyObject *o) {
    PyObject *name = self_of(o)->info ? PyObject_GetAttrString(self_of(o)->info, "name") : nullptr;
    PyErr_Clear();
    PyObject *text = PyUnicode_FromFormat("<qd.kernel %S>", name ? name : Py_None);
    Py_XDECREF(name);
    return text;
}

/// _show("ir" | "llvm" | "asm") -> text
PyObject *show(PyObject *o, PyObject *form) {
    const char *name = PyUnicode_AsUTF8(form);
    if (!name) return nullptr;
    std::string text;
    if (!show_code(self_of(o), form_named(name), &text)) return nullptr;
    return PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace");
}

PyObject *get_info(PyObject *o, void *) { return Py_NewRef(self_of(o)->info ? self_of(o)->info : Py_None); }

/// Returns the kernel that computes its gradients.
PyObject *get_gradient(PyObject *o, void *) {
    if (!self_of(o)->info) Py_RETURN_NONE;
    PyObject *&made = self_of(o)->gradient;
    if (!made) made = PyObject_GetAttr(self_of(o)->info, grad_word());
    return Py_XNewRef(made);
}

PyObject *forget_gradient(PyObject *o, PyObject *) {
    Py_CLEAR(self_of(o)->gradient);
    Py_RETURN_NONE;
}

PyObject *get_mode(PyObject *o, void *) {
    if (!self_of(o)->info) Py_RETURN_NONE;
    return PyObject_GetAttrString(self_of(o)->info, "autodiff_mode");
}

PyMethodDef methods[] = {
    {"_specialisations", count_plans, METH_NOARGS, "number of specialisations compiled since qd.init"},
    {"_compile_like", compile_like, METH_O, "compiles before any call"},
    {"_show", show, METH_O, "what the compiler makes of it, as text"},
    {"_plans", plans, METH_NOARGS, "its specialisations, described; those of objects that are gone, too"},
    {"_records", entries, METH_NOARGS, "what the disk has for each of its specialisations"},
    {"_last_plan", last_plan, METH_NOARGS, "the specialisation that the last call used"},
    {"_newest_launch", newest_launch, METH_NOARGS, "number and seconds of the newest launch that took some time"},
    {"_passed", passed, METH_NOARGS, "what the last call passed to the compiled code"},
    {"_record_calls", set_recorded, METH_O, nullptr},
    {"_launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(launch_directly)), METH_FASTCALL | METH_KEYWORDS,
     nullptr},
    {"resume", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(resume)), METH_FASTCALL | METH_KEYWORDS,
     "resume(arguments, from_checkpoint=label): a launch that leaves out what stands before a checkpoint"},
    {"_graph", describe_graph, METH_NOARGS, "levels and checkpoints of the specialisation made or used last"},
    {"_outline", describe_steps, METH_O, "tasks, levels and checkpoints in order: see bind/steps.h"},
    {"_bind", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(bind_call)), METH_FASTCALL | METH_KEYWORDS,
     nullptr},
    {"_find", find_plan, METH_O, nullptr},
    {"_specialise", make_plan, METH_O, nullptr},
    {"_fetched", fetched_members, METH_O, nullptr},
    {"_trees", used_trees, METH_NOARGS, nullptr},
    {"_forget_frozen", forget_frozen, METH_NOARGS, nullptr},
    {"_forget_gradient", forget_gradient, METH_NOARGS, nullptr},
    {"_forget", forget, METH_NOARGS, "drops all compiled specialisations"},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"_primal", get_info, nullptr, nullptr, nullptr},
    {"grad", get_gradient, nullptr, nullptr, nullptr},
    {"_adjoint", get_gradient, nullptr, nullptr, nullptr},
    {"autodiff_mode", get_mode, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(KernelObject, weakrefs), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(KernelObject, dict), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(KernelObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void *>(describe)},
    {Py_tp_descr_get, reinterpret_cast<void *>(get_bound)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"quadrants._lib.core.quadrants_python.Kernel", sizeof(KernelObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_BASETYPE, slots};

} // namespace

bool is_kernel(PyObject *o) { return kernel_type && PyObject_TypeCheck(o, kernel_type); }

bool add_kernel_type(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    kernel_type = reinterpret_cast<PyTypeObject *>(type);
    PyObject *kind = PyUnicode_FromString("kernel");
    return add_bound_kernel_type() && type && kind && PyObject_SetAttrString(type, "_qd_kind_", kind) == 0 &&
           PyModule_AddObjectRef(module, "Kernel", type) == 0;
}

} // namespace qd::bind
