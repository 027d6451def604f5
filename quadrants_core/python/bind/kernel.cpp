#include "python/bind/kernel.h"

#include "python/bind/copies.h"
#include "python/bind/errors.h"
#include "python/bind/fit.h"
#include "python/bind/interrupt.h"
#include "python/bind/observe.h"
#include "python/bind/plan.h"
#include "python/bind/staged.h"
#include "python/bind/timeline.h"

#include <structmember.h>

#include <algorithm>
#include <cstring>

namespace qd::bind {
namespace {

constexpr size_t max_args = 512;
constexpr size_t stack_slots = 512;

KernelObject *self_of(PyObject *o) { return reinterpret_cast<KernelObject *>(o); }

PyObject *read_value(const frontend::ReturnType &type, const StructShape *shape, const char *ret) {
    if (shape) return read_struct(*shape, ret);
    if (type.element_dim == 0) return from_memory(ret, type.elem);
    PyObject *flat = PyTuple_New(type.rows * type.cols);
    for (int i = 0; flat && i < type.rows * type.cols; i++)
        PyTuple_SET_ITEM(flat, i, from_memory(ret + 8 * i, type.elem));
    PyObject *make = flat ? package_attr("quadrants._language.matrix", "from_components") : nullptr;
    PyObject *types = make ? package_attr("quadrants._dtypes", "all_types") : nullptr;
    PyObject *value = types ? PyObject_CallFunction(make, "OiiiO", flat, type.rows, type.cols, type.element_dim,
                                                    PyTuple_GET_ITEM(types, int(type.elem) - 1))
                            : nullptr;
    Py_XDECREF(types);
    Py_XDECREF(make);
    Py_XDECREF(flat);
    return value;
}

PyObject *read_results(const KernelObject *kernel, const Plan &plan, const char *ret) {
    if (plan.returns.size() == 1 && !kernel->returns_tuple)
        return read_value(plan.returns[0], plan.return_shapes[0].get(), ret);
    PyObject *all = PyTuple_New(Py_ssize_t(plan.returns.size()));
    for (size_t i = 0; all && i < plan.returns.size(); i++) {
        const StructShape *shape = plan.return_shapes[i].get();
        PyObject *value = read_value(plan.returns[i], shape, ret);
        if (!value) {
            Py_DECREF(all);
            return nullptr;
        }
        PyTuple_SET_ITEM(all, Py_ssize_t(i), value);
        ret += 8 * (shape ? int(shape->slots) : plan.returns[i].rows * plan.returns[i].cols);
    }
    return all;
}

/// A kernel and what it was called with.
struct Call {
    KernelObject *kernel;
    PyObject *const *args;

    /// Sets the error for the exception that is being handled.
    void raise() const {
        try {
            throw;
        } catch (engine::KernelFault &fault) {
            place_fault(kernel, args, fault);
            raise_current_exception();
        } catch (...) {
            raise_current_exception();
        }
    }
};

void run_tasks(engine::Program &program, engine::CompiledKernel &code, uint64_t *slots, void *ret, bool foreign) {
    if (foreign)
        program.launch(code, slots, ret);
    else
        program.launch_on_own_arrays(code, slots, ret);
}

/// Runs the tasks with the GIL released.
bool run_unlocked(const Call &call, engine::CompiledKernel &code, uint64_t *slots, void *ret, bool foreign) {
    std::shared_ptr<engine::Program> program = runtime.program;
    std::exception_ptr failure;
    keep_watching();
    if (!no_interrupt_waits()) return false;
    if (runtime.active_launches++ == 0) set_output_may_lock(true);
    const bool timed = runtime.options.timeline;
    Py_BEGIN_ALLOW_THREADS;
    const auto begin = timed ? TimelineClock::now() : TimelineClock::time_point();
    try {
        run_tasks(*program, code, slots, ret, foreign);
    } catch (...) {
        failure = std::current_exception();
    }
    if (timed) add_to_timeline("launch", engine::kernel_info(code).name, begin, TimelineClock::now());
    program.reset();
    if (--runtime.active_launches == 0) set_output_may_lock(false);
    Py_END_ALLOW_THREADS;
    if (!failure) return true;
    try {
        std::rethrow_exception(failure);
    } catch (...) {
        call.raise();
    }
    return false;
}

bool run_locked(const Call &call, engine::CompiledKernel &code, uint64_t *slots, void *ret, bool foreign) {
    try {
        run_tasks(*runtime.program, code, slots, ret, foreign);
        return true;
    } catch (...) {
        call.raise();
        return false;
    }
}

bool launch(const Call &call, Plan &plan, bool keep_lock, uint64_t *slots, void *ret, bool foreign) {
    InterruptScope scope;
    return keep_lock ? run_locked(call, *plan.kernel, slots, ret, foreign)
                     : run_unlocked(call, *plan.kernel, slots, ret, foreign);
}

/// A failed launch, too, leaves what it has done so far.
bool launch_staged(const Call &call, Plan &plan, bool keep_lock, uint64_t *slots, void *ret, const Arrays &arrays) {
    const Staged staged(arrays, slots);
    if (staged.failed()) return false;
    const bool ran = launch(call, plan, keep_lock, slots, ret, true);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    const bool back = staged.bring_back();
    if (type) PyErr_Restore(type, value, trace);
    return ran && back;
}

/// After the tasks: text of prints, then what the user asked for by Ctrl-C.
bool settle(bool ok) {
    if (output_waiting()) [[unlikely]]
        flush_output();
    return settle_interrupt(ok);
}

PyObject *launch_and_read(const Call &call, Plan &plan, uint64_t *slots, const Arrays &arrays) {
    alignas(16) char small[256];
    std::unique_ptr<char[]> large;
    char *ret = small;
    if (plan.ret_bytes > sizeof small) {
        large = std::make_unique<char[]>(plan.ret_bytes);
        ret = large.get();
    }
    const bool keep_lock = plan.brief && arrays.bytes < small_bytes && runtime.active_launches.load() == 0;
    std::shared_ptr<Plan> alive; // another thread may drop the plan while the GIL is free
    if (!keep_lock) alive = plan.shared_from_this();
    const bool ran = arrays.staged ? launch_staged(call, plan, keep_lock, slots, ret, arrays)
                                   : launch(call, plan, keep_lock, slots, ret, arrays.foreign);
    if (!settle(ran)) return nullptr;
    if (plan.returns.empty()) Py_RETURN_NONE;
    return read_results(call.kernel, plan, ret);
}

/// Whether `stream`, the value of `qd_stream=`, takes launches. Launches have ended when they return, so that they are
/// in order on every stream.
bool may_launch_on(PyObject *stream) {
    PyObject *check = package_attr("quadrants._stream", "check_launch");
    PyObject *done = check ? PyObject_CallOneArg(check, stream) : nullptr;
    Py_XDECREF(check);
    Py_XDECREF(done);
    return done != nullptr;
}

PyObject *const *bind_keywords(KernelObject *kernel, PyObject *const *args, size_t n, PyObject *names,
                               std::vector<PyObject *> &all) {
    const std::vector<ParamSpec> &params = *kernel->params;
    all.assign(std::max<size_t>(params.size(), 1), nullptr); // a pointer to it means success
    std::copy_n(args, n, all.begin());
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, k));
        if (!name) return nullptr;
        auto at = std::find_if(params.begin(), params.end(), [&](const ParamSpec &p) { return p.name == name; });
        if (at == params.end()) {
            if (std::strcmp(name, "qd_stream") == 0) {
                if (!may_launch_on(args[n + size_t(k)])) return nullptr;
                continue;
            }
            raise(ErrorClass::argument, std::string("Unexpected argument '") + name + "'.");
            return nullptr;
        }
        PyObject *&slot = all[size_t(at - params.begin())];
        if (slot) {
            raise(ErrorClass::argument, std::string("Multiple values for argument '") + name + "'.");
            return nullptr;
        }
        slot = args[n + size_t(k)];
    }
    return all.data();
}

/// Positional and keyword arguments in the order of the parameters; null with an error set.
PyObject *const *bind_arguments(KernelObject *kernel, PyObject *const *args, size_t n, PyObject *names,
                                std::vector<PyObject *> &all) {
    const std::vector<ParamSpec> &params = *kernel->params;
    if (n > params.size()) {
        raise(ErrorClass::argument,
              "Too many arguments. Expected (" + std::to_string(params.size()) + "), got (" + std::to_string(n) + ").");
        return nullptr;
    }
    if (names && PyTuple_GET_SIZE(names) > 0) {
        args = bind_keywords(kernel, args, n, names, all);
        if (!args) return nullptr;
    } else if (n < params.size()) {
        all.assign(params.size(), nullptr);
        std::copy_n(args, n, all.begin());
        args = all.data();
    }
    for (size_t i = 0; i < params.size(); i++) {
        if (!args[i]) {
            raise(ErrorClass::argument, "Missing argument '" + params[i].name + "'.");
            return nullptr;
        }
    }
    return args;
}

PyObject *call_in_python(KernelObject *kernel, PyObject *const *args) {
    PyObject *all = PyTuple_New(Py_ssize_t(kernel->params->size()));
    for (size_t i = 0; all && i < kernel->params->size(); i++) PyTuple_SET_ITEM(all, Py_ssize_t(i), Py_NewRef(args[i]));
    PyObject *run = all ? package_attr("quadrants._python_backend", "run_kernel") : nullptr;
    PyObject *result = run ? PyObject_CallFunctionObjArgs(run, kernel->info, all, nullptr) : nullptr;
    Py_XDECREF(run);
    Py_XDECREF(all);
    return result;
}

PyObject *run_with(KernelObject *kernel, Plan &plan, const Copies &copies, uint64_t *slots, const Arrays &arrays) {
    if (!copies.may_run(plan, slots)) return nullptr;
    const std::shared_ptr<Plan> alive = plan.shared_from_this();
    PyObject *result;
    if (plan.kernel) {
        kernel->last = &plan;
        result = launch_and_read({kernel, copies.args()}, plan, slots, arrays);
    } else {
        result = call_in_python(kernel, copies.args());
    }
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); // a failed launch leaves what it has done so far
    if (!copies.write_back(plan)) Py_CLEAR(result);
    if (type) PyErr_Restore(type, value, trace);
    return result;
}

/// No plan used last fits: looks through the others, then compiles.
PyObject *call_slowly(KernelObject *kernel, PyObject *const *args) {
    if (!need_program()) return nullptr;
    const Copies copies(kernel, args);
    if (copies.failed()) return nullptr;
    args = copies.args();
    std::vector<uint64_t> slots;
    Arrays arrays;
    Objects objects;
    const auto suits = [&](const Plan &plan) {
        slots.resize(plan.slots + 1);
        arrays = Arrays();
        if (!objects.fetch(plan, kernel->params->size(), args)) return Fit::no;
        return fit(plan, objects.all(), slots.data(), &arrays);
    };
    for (const std::shared_ptr<Plan> &plan : *kernel->plans) {
        if (plan->generation != runtime.generation) continue;
        const Fit f = suits(*plan);
        if (f == Fit::error) return nullptr;
        if (f == Fit::no) continue;
        return run_with(kernel, *plan, copies, slots.data(), arrays);
    }
    Plan *plan = specialise(kernel, args);
    if (!plan) return nullptr;
    kernel->made_by_last = true;
    const Fit f = suits(*plan);
    if (f == Fit::yes) return run_with(kernel, *plan, copies, slots.data(), arrays);
    if (f == Fit::error) return nullptr;
    raise(ErrorClass::runtime, "the arguments changed while the kernel was compiled");
    return nullptr;
}

/// With the plan of the last call, whose parameters come from inside of the arguments.
PyObject *call_with_members(KernelObject *kernel, Plan &plan, PyObject *const *args) {
    uint64_t slots[stack_slots];
    Arrays arrays;
    const size_t direct = kernel->params->size();
    Objects objects;
    Fit f = Fit::no;
    if (plan.steady && recall(plan, args, slots, &arrays)) {
        f = fit(plan, args, slots, &arrays, 0, direct);
    } else if (objects.fetch(plan, direct, args)) {
        f = fit(plan, objects.all(), slots, &arrays, direct);
        const uint64_t inside = arrays.bytes;
        if (f == Fit::yes) f = fit(plan, objects.all(), slots, &arrays, 0, direct);
        if (f == Fit::yes && plan.steady) remember(plan, objects.all(), slots, inside);
    }
    if (f == Fit::yes) return launch_and_read({kernel, args}, plan, slots, arrays);
    return f == Fit::error ? nullptr : call_slowly(kernel, args);
}

PyObject *call(PyObject *o, PyObject *const *args, size_t flags, PyObject *names) {
    KernelObject *kernel = self_of(o);
    size_t n = size_t(PyVectorcall_NARGS(flags));
    std::vector<PyObject *> all;
    if (names || n != kernel->params->size()) [[unlikely]] {
        args = bind_arguments(kernel, args, n, names, all);
        if (!args) return nullptr;
    }
    Plan *plan = kernel->last;
    kernel->made_by_last = false;
    if (plan && plan->generation == runtime.generation && plan->slots <= stack_slots) [[likely]] {
        if (!plan->members.empty()) return call_with_members(kernel, *plan, args);
        uint64_t slots[stack_slots];
        Arrays arrays;
        switch (fit(*plan, args, slots, &arrays)) {
        case Fit::yes: return launch_and_read({kernel, args}, *plan, slots, arrays);
        case Fit::error: return nullptr;
        case Fit::no: break;
        }
    }
    return call_slowly(kernel, args);
}

/// A call while the class KernelInfo has a method of a program's own: Python decides (quadrants.lang._replaced).
PyObject *call_replaced(PyObject *o, PyObject *const *args, size_t flags, PyObject *names) {
    PyObject *through = PyObject_GetAttrString(self_of(o)->info, "_call_replaced");
    if (!through) return nullptr;
    PyObject *result = PyObject_Vectorcall(through, args, size_t(PyVectorcall_NARGS(flags)), names);
    Py_DECREF(through);
    return result;
}

/// _replaced(whether calls go through Python)
PyObject *set_replaced(PyObject *o, PyObject *yes) {
    self_of(o)->vectorcall = yes == Py_True ? call_replaced : call;
    Py_RETURN_NONE;
}

/// _launch(arguments): the call itself
PyObject *launch_directly(PyObject *o, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    return call(o, args, size_t(n), names);
}

/// The arguments of a call as a tuple in the order of the parameters.
PyObject *bound_tuple(KernelObject *kernel, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    std::vector<PyObject *> all;
    args = bind_arguments(kernel, args, size_t(n), names, all);
    PyObject *tuple = args ? PyTuple_New(Py_ssize_t(kernel->params->size())) : nullptr;
    for (size_t i = 0; tuple && i < kernel->params->size(); i++)
        PyTuple_SET_ITEM(tuple, Py_ssize_t(i), Py_NewRef(args[i]));
    return tuple;
}

/// _bind(arguments) -> tuple in the order of the parameters
PyObject *bind_call(PyObject *o, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    return bound_tuple(self_of(o), args, n, names);
}

/// Kernel(info, params, returns, returns_tuple)
PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *info, *params, *returns;
    int returns_tuple;
    if (!PyArg_ParseTuple(args, "OO!O!p", &info, &PyTuple_Type, &params, &PyTuple_Type, &returns, &returns_tuple))
        return nullptr;
    if (PyTuple_GET_SIZE(params) > Py_ssize_t(max_args)) {
        raise(ErrorClass::compilation, "a kernel takes at most 512 arguments");
        return nullptr;
    }
    PyObject *o = type->tp_alloc(type, 0);
    if (!o) return nullptr;
    KernelObject *kernel = self_of(o);
    kernel->vectorcall = call;
    kernel->info = Py_NewRef(info);
    kernel->annotations = Py_NewRef(params);
    kernel->return_types = Py_NewRef(returns);
    kernel->params = new std::vector<ParamSpec>(size_t(PyTuple_GET_SIZE(params)));
    kernel->returns = new std::vector<frontend::ReturnType>(size_t(PyTuple_GET_SIZE(returns)));
    kernel->plans = new std::vector<std::shared_ptr<Plan>>;
    kernel->returns_tuple = returns_tuple != 0;
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

/// What a shape owns, if nobody else owns the shape: the collector counts references one by one.
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
    if (kernel->plans) kernel->plans->clear();
    Py_CLEAR(kernel->dict);
    Py_CLEAR(kernel->info);
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
    return PyMethod_New(o, instance);
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
    self_of(o)->plans->clear();
    Py_RETURN_NONE;
}

PyObject *plans(PyObject *o, PyObject *) { return describe_plans(self_of(o)); }

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

PyMethodDef methods[] = {
    {"_specialisations", count_plans, METH_NOARGS, "number of specialisations compiled since qd.init"},
    {"_compile_like", compile_like, METH_O, "compiles before any call"},
    {"_show", show, METH_O, "what the compiler makes of it, as text"},
    {"_plans", plans, METH_NOARGS, "its specialisations, described"},
    {"_last_plan", last_plan, METH_NOARGS, "the specialisation that the last call used"},
    {"_passed", passed, METH_NOARGS, "what the last call passed to the compiled code"},
    {"_replaced", set_replaced, METH_O, nullptr},
    {"_launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(launch_directly)), METH_FASTCALL | METH_KEYWORDS,
     nullptr},
    {"_bind", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(bind_call)), METH_FASTCALL | METH_KEYWORDS,
     nullptr},
    {"_find", find_plan, METH_O, nullptr},
    {"_specialise", make_plan, METH_O, nullptr},
    {"_forget_frozen", forget_frozen, METH_NOARGS, nullptr},
    {"_forget", forget, METH_NOARGS, "drops all compiled specialisations"},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"_primal", get_info, nullptr, nullptr, nullptr},
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

bool add_kernel_type(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    PyObject *kind = PyUnicode_FromString("kernel");
    return type && kind && PyObject_SetAttrString(type, "_qd_kind_", kind) == 0 &&
           PyModule_AddObjectRef(module, "Kernel", type) == 0;
}

} // namespace qd::bind
