#include "python/bind/call.h"

#include "abi/record.h"
#include "base/stop.h"
#include "python/bind/copies.h"
#include "python/bind/errors.h"
#include "python/bind/match.h"
#include "python/bind/interrupt.h"
#include "python/bind/mismatch.h"
#include "python/bind/observe.h"
#include "python/bind/plan.h"
#include "python/bind/running.h"
#include "python/bind/staged.h"
#include "engine/queues.h"
#include "engine/timeline.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace qd::bind {
namespace {

constexpr size_t stack_slots = 512;
constexpr size_t small_result = 256;

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

[[gnu::noinline]] PyObject *read_returned(const KernelObject *kernel, const Plan &plan, const char *ret) {
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

inline PyObject *read_results(const Call &call, const char *ret) {
    if (call.plan.returns.empty()) Py_RETURN_NONE;
    return read_returned(call.kernel, call.plan, ret);
}

/// Sets the Python error for the exception that is being handled.
void raise_current(const Call &call) {
    try {
        throw;
    } catch (engine::KernelFault &fault) {
        if (fault.trace.empty())
            locate_fault(call.kernel, call.args, fault); // otherwise it belongs to an earlier launch
        raise_current_exception();
    } catch (...) {
        raise_current_exception();
    }
}

[[gnu::always_inline]] inline void run_tasks(engine::Program &program, const Call &call, void *ret,
                                             abi::GraphWords *words) {
    program.queues().launch(*call.plan.kernel, call.launch, ret, !call.arrays.foreign, words);
}

/// Runs the tasks with the GIL released. `words` is null unless the launch may yield.
[[gnu::noinline]] bool run_unlocked(const Call &call, void *ret, abi::GraphWords *words) {
    const InterruptScope scope;
    std::shared_ptr<engine::Program> program = runtime.program;
    std::exception_ptr failure;
    keep_watching();
    if (!no_interrupt_waits()) return false;
    const RunningLaunch running(*call.plan.kernel, call.kernel);
    const bool timed = runtime.options.timeline;
    Py_BEGIN_ALLOW_THREADS;
    const auto begin = timed ? engine::TimelineClock::now() : engine::TimelineClock::time_point();
    try {
        run_tasks(*program, call, ret, words);
    } catch (...) {
        failure = std::current_exception();
    }
    if (timed)
        engine::add_to_timeline("launch", engine::kernel_info(running.code).name, "", begin,
                                engine::TimelineClock::now());
    program.reset();
    Py_END_ALLOW_THREADS;
    if (!failure) return true;
    try {
        std::rethrow_exception(failure);
    } catch (...) {
        raise_current(call);
    }
    return false;
}

[[gnu::always_inline]] inline bool run_locked(const Call &call, void *ret, abi::GraphWords *words) {
    const InterruptScope scope;
    try {
        run_tasks(*runtime.program, call, ret, words);
        return true;
    } catch (...) {
        raise_current(call);
        return false;
    }
}

/// A failed launch also copies back what it has computed so far.
bool run_staged(const Call &call, void *ret, abi::GraphWords *words) {
    const Staged staged(call.arrays, call.launch.args());
    if (staged.failed()) return false;
    const bool ran = run_unlocked(call, ret, words) && staged.settled();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    const bool back = staged.bring_back();
    if (type) PyErr_Restore(type, value, trace);
    return ran && back;
}

/// True if a short-running kernel may keep the GIL in this launch.
inline bool may_keep_lock(const Call &call) {
    return call.arrays.bytes < small_bytes && !call.arrays.has_staged() && runtime.active_launches.load() == 0;
}

/// After the tasks: writes printed text, then handles Ctrl-C.
inline bool settle(bool ok) {
    if (output_waiting()) [[unlikely]]
        flush_output();
    return settle_launch(ok);
}

/// Sets the error for a program that ended while arguments were read, which may run Python code.
[[gnu::cold, gnu::noinline]] PyObject *refuse_ended() {
    raise(ErrorClass::runtime, "qd.init() or qd.reset() ran, or fields were destroyed, while the arguments of a kernel "
                               "were read; call it again");
    return nullptr;
}

[[gnu::noinline]] PyObject *launch_with(const Call &call, abi::GraphWords *words) {
    const Plan &plan = call.plan;
    if (plan.generation != runtime.generation) return refuse_ended();
    alignas(16) char small[small_result];
    std::unique_ptr<char[]> large;
    if (plan.ret_bytes > sizeof small) large = std::make_unique<char[]>(plan.ret_bytes);
    char *ret = large ? large.get() : small;
    const bool ran = call.arrays.has_staged()                    ? run_staged(call, ret, words)
                     : plan.short_running && may_keep_lock(call) ? run_locked(call, ret, words)
                                                                 : run_unlocked(call, ret, words);
    if (!settle(ran)) return nullptr;
    return words ? plan.graph->status(*words) : read_results(call, ret);
}

// The functions that Plan::launch points to.

/// Launches any kernel without levels and checkpoints.
PyObject *launch_any(const Call &call) { return launch_with(call, nullptr); }

/// Launches a short-running kernel that returns little.
[[gnu::always_inline]] inline PyObject *launch_short(const Call &call) {
    if (!may_keep_lock(call)) [[unlikely]]
        return launch_any(call);
    if (call.plan.generation != runtime.generation) [[unlikely]]
        return refuse_ended();
    alignas(16) char ret[small_result];
    if (!settle(run_locked(call, ret, nullptr))) [[unlikely]]
        return nullptr;
    return read_results(call, ret);
}

/// The kernel and label of the `resume` call that this thread is in.
struct Resuming {
    const KernelObject *kernel = nullptr;
    PyObject *label = nullptr;
};
thread_local Resuming resuming;

/// Finds the start of a graph launch: the label of `resume`, or the beginning; returns false with an error set.
bool find_start(const KernelObject *kernel, const Plan &plan, abi::GraphWords &words) {
    if (resuming.kernel != kernel) return true;
    words.resume_point = plan.graph->find(kernel->info, resuming.label);
    return words.resume_point >= 0;
}

/// Launches a kernel with levels or checkpoints.
PyObject *launch_graph(const Call &call) {
    abi::GraphWords words;
    if (!find_start(call.kernel, call.plan, words)) return nullptr;
    return launch_with(call, call.plan.graph->has_labels() ? &words : nullptr);
}

PyObject *launch_in_python(const Call &call) {
    KernelObject *kernel = call.kernel;
    PyObject *all = PyTuple_New(Py_ssize_t(kernel->params->size()));
    for (size_t i = 0; all && i < kernel->params->size(); i++)
        PyTuple_SET_ITEM(all, Py_ssize_t(i), Py_NewRef(call.args[i]));
    PyObject *run = all ? package_attr("quadrants._python_backend", "run_kernel") : nullptr;
    PyObject *result = run ? PyObject_CallFunctionObjArgs(run, kernel->info, all, nullptr) : nullptr;
    Py_XDECREF(run);
    Py_XDECREF(all);
    return result;
}

/// Most launches are short, so that function is inlined.
[[gnu::always_inline]] inline PyObject *launch(const Call &call) {
    if (call.plan.launch == launch_short) [[likely]]
        return launch_short(call);
    return call.plan.launch(call);
}

/// True if `stream`, the value of `qd_stream=`, accepts launches. They all go to the single queue of the device, in order.
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
    all.assign(std::max<size_t>(params.size(), 1), nullptr); // never empty, since a null pointer would mean failure
    std::copy_n(args, n, all.begin());
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, k));
        if (!name) return nullptr;
        auto at = std::find_if(params.begin(), params.end(), [&](const ParamSpec &p) { return p.name == name; });
        if (at == params.end()) {
            if (std::strcmp(name, "qd_stream") == 0) {
                if (kernel->mode != autodiff::Mode::none) {
                    raise(ErrorClass::runtime, "qd_stream is not compatible with autodiff kernels");
                    return nullptr;
                }
                if (has_graph(kernel)) {
                    raise(ErrorClass::runtime, "qd_stream is not compatible with graph=True kernels");
                    return nullptr;
                }
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

/// Sets the error for a call that lacks an argument.
void raise_missing(const KernelObject *kernel, const std::string &missing) {
    std::string all;
    for (const ParamSpec &param : *kernel->params) all += (all.empty() ? "" : ", ") + param.name;
    const auto found = frontend::PyRef::steal(PyObject_GetAttrString(kernel->info, "name"));
    const char *name = found ? PyUnicode_AsUTF8(found.get()) : nullptr;
    if (!name) PyErr_Clear();
    raise(ErrorClass::argument,
          "Missing argument '" + missing + "'. The kernel is " + (name ? name : "") + "(" + all + ").");
}

/// Returns positional and keyword arguments in the order of the parameters; null with an error set.
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
            raise_missing(kernel, params[i].name);
            return nullptr;
        }
    }
    return args;
}

PyObject *run_with(KernelObject *kernel, Plan &plan, const Copies &copies, abi::Launch &launch, const Arrays &arrays) {
    if (!copies.may_run(plan, launch.args())) return refused(kernel);
    const std::shared_ptr<Plan> alive = plan.shared_from_this();
    if (plan.kernel)
        kernel->last =
            std::ranges::count(*kernel->plans, alive) ? &plan : nullptr; // reading arguments may have dropped the plan
    PyObject *result = plan.launch({kernel, copies.args(), plan, launch, arrays});
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); // a failed launch also writes back what it has done so far
    if (!copies.write_back(plan)) Py_CLEAR(result);
    if (type) PyErr_Restore(type, value, trace);
    return result;
}

/// The plan used last does not fit: tries the others, then compiles.
PyObject *call_slowly(KernelObject *kernel, PyObject *const *args) {
    if (!need_program()) return nullptr;
    const Copies copies(kernel, args);
    if (copies.failed()) return nullptr;
    args = copies.args();
    abi::LaunchRecord record;
    Arrays arrays;
    Objects objects;
    const auto suits = [&](const Plan &plan) {
        record.resize(plan.slots);
        arrays = Arrays();
        if (!objects.fetch(plan, kernel->params->size(), args)) return Match::no;
        return match(plan, objects.all(), record.args(), &arrays);
    };
    for (const std::shared_ptr<Plan> &plan : plans_of(kernel)) {
        if (plan->generation != runtime.generation) continue;
        const Match f = suits(*plan);
        if (f == Match::error) return refused(kernel);
        if (f == Match::no) continue;
        return run_with(kernel, *plan, copies, record.head(), arrays);
    }
    const std::shared_ptr<Plan> plan = specialise(kernel, args);
    if (!plan) return refused(kernel);
    kernel->made_by_last = true;
    const Match f = suits(*plan);
    if (f == Match::yes) return run_with(kernel, *plan, copies, record.head(), arrays);
    if (f == Match::error) return refused(kernel);
    raise(ErrorClass::runtime, "the arguments changed while the kernel was compiled");
    return nullptr;
}

/// Calls with the plan of the last call, whose parameters include members of the arguments.
[[gnu::noinline]] PyObject *call_with_members(KernelObject *kernel, Plan &plan, PyObject *const *args) {
    abi::LaunchWith<stack_slots> record;
    uint64_t *const slots = record.slots;
    Arrays arrays;
    const size_t direct = kernel->params->size();
    Objects objects;
    Match f = Match::no;
    if (plan.immutable && recall(plan, args, slots, &arrays)) {
        f = match(plan, args, slots, &arrays, 0, direct);
    } else if (objects.fetch(plan, direct, args)) {
        f = match(plan, objects.all(), slots, &arrays, direct);
        const uint64_t inside = arrays.bytes;
        if (f == Match::yes) f = match(plan, objects.all(), slots, &arrays, 0, direct);
        if (f == Match::yes && plan.immutable) remember(plan, objects.all(), slots, inside);
    }
    if (f == Match::yes) return launch({kernel, args, plan, record.launch, arrays});
    return f == Match::error ? refused(kernel) : call_slowly(kernel, args);
}

/// Returns false, with an error set, if the compiler called this code.
[[gnu::cold, gnu::noinline]] bool may_launch() {
    if (!CalledByCompiler::here()) return true;
    if (stop_word) { // Python may run a signal handler wherever its code runs
        raise(ErrorClass::runtime, "A SIGINT handler cannot launch a kernel while another one is being compiled\nHint: "
                                   "set a flag in the handler, and launch the kernel elsewhere");
        return false;
    }
    raise(ErrorClass::syntax,
          "Kernels cannot call other kernels. I.e., nested kernels are not allowed. Python code that a "
          "kernel calls runs once, when the kernel is compiled.\nHint: move the common code into a @qd.func");
    return false;
}

/// Calls with the plan of the last call, if it fits.
[[gnu::always_inline]] inline PyObject *call_positional(KernelObject *kernel, PyObject *const *args) {
    Plan *plan = kernel->last;
    kernel->made_by_last = false;
    if (plan && plan->generation == runtime.generation && plan->slots <= stack_slots) [[likely]] {
        const PlanUse use(*plan);
        if (!plan->members.empty()) return call_with_members(kernel, *plan, args);
        abi::LaunchWith<stack_slots> record;
        Arrays arrays;
        switch (plan->params.empty() ? Match::yes : match(*plan, args, record.slots, &arrays)) {
        case Match::yes: return launch({kernel, args, *plan, record.launch, arrays});
        case Match::error: return refused(kernel);
        case Match::no: break;
        }
    }
    return call_slowly(kernel, args);
}

[[gnu::noinline]] PyObject *call_by_name(KernelObject *kernel, PyObject *const *args, size_t n, PyObject *names) {
    std::vector<PyObject *> all;
    args = bind_arguments(kernel, args, n, names, all);
    return args ? call_positional(kernel, args) : nullptr;
}

} // namespace

PyObject *call_kernel(PyObject *o, PyObject *const *args, size_t flags, PyObject *names) {
    KernelObject *kernel = reinterpret_cast<KernelObject *>(o);
    if (runtime.compiling && !may_launch()) [[unlikely]]
        return nullptr;
    const size_t n = size_t(PyVectorcall_NARGS(flags));
    if (names || n != kernel->params->size()) [[unlikely]]
        return call_by_name(kernel, args, n, names);
    return call_positional(kernel, args);
}

void choose_launch(Plan &plan) {
    const bool is_short = plan.short_running && plan.ret_bytes <= small_result;
    plan.launch = !plan.kernel ? launch_in_python : plan.graph ? launch_graph : is_short ? launch_short : launch_any;
}

/// resume(arguments, from_checkpoint=label)
PyObject *resume(PyObject *o, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    const Py_ssize_t given = names ? PyTuple_GET_SIZE(names) : 0;
    std::vector<PyObject *> values(args, args + n);
    std::vector<PyObject *> words;
    PyObject *label = nullptr;
    for (Py_ssize_t k = 0; k < given; k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        if (PyUnicode_CompareWithASCIIString(name, "from_checkpoint") == 0) {
            label = args[n + k];
            continue;
        }
        words.push_back(name);
        values.push_back(args[n + k]);
    }
    if (!label) {
        PyErr_SetString(PyExc_TypeError, "resume() missing 1 required keyword-only argument: 'from_checkpoint'");
        return nullptr;
    }
    const KernelObject *kernel = reinterpret_cast<KernelObject *>(o);
    if (!may_resume(kernel, label)) return nullptr;
    PyObject *rest = PyTuple_New(Py_ssize_t(words.size()));
    for (size_t i = 0; rest && i < words.size(); i++) PyTuple_SET_ITEM(rest, Py_ssize_t(i), Py_NewRef(words[i]));
    if (!rest) return nullptr;
    values.push_back(nullptr); // a valid pointer even if there are no values
    const Resuming before = std::exchange(resuming, Resuming{kernel, label});
    PyObject *result = call_kernel(o, values.data(), size_t(n), words.empty() ? nullptr : rest);
    resuming = before;
    Py_DECREF(rest);
    return result;
}

PyObject *bound_tuple(KernelObject *kernel, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    std::vector<PyObject *> all;
    args = bind_arguments(kernel, args, size_t(n), names, all);
    PyObject *tuple = args ? PyTuple_New(Py_ssize_t(kernel->params->size())) : nullptr;
    for (size_t i = 0; tuple && i < kernel->params->size(); i++)
        PyTuple_SET_ITEM(tuple, Py_ssize_t(i), Py_NewRef(args[i]));
    return tuple;
}

} // namespace qd::bind
