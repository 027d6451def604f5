// The extension module quadrants._lib.core.quadrants_python. Ordinary functions are bound with pybind11; the types used during a launch
// (Kernel, NdarrayStorage, Place) use the C API directly.
#include "base/bytes.h"
#include "engine/compiler.h"
#include "engine/device_memory.h"
#include "engine/fault.h"
#include "engine/kept_code.h"
#include "engine/observation.h"
#include "engine/observers.h"
#include "engine/queues.h"
#include "engine/share_compilations.h"
#include "engine/timeline.h"
#include "frontend/collect.h"
#include "python/bind/arguments.h"
#include "python/bind/dlpack.h"
#include "python/bind/errors.h"
#include "python/bind/frames.h"
#include "python/bind/field.h"
#include "python/bind/interrupt.h"
#include "python/bind/running.h"
#include "python/bind/kernel.h"
#include "python/bind/memory.h"
#include "python/bind/ndarray.h"
#include "python/bind/observe.h"
#include "python/bind/options.h"
#include "python/bind/cache_entry.h"
#include "python/bind/samples.h"
#include "python/bind/pending_call.h"
#include "python/bind/state.h"
#include "python/bind/steps.h"
#include "python/bind/timeline.h"
#include "python/bind/tree.h"

#include <cstdlib>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <unistd.h>

namespace py = pybind11;
using namespace qd;

namespace {

engine::CoverageKind coverage_kind_of(const std::string &name) {
    if (name == "lines") return engine::CoverageKind::lines;
    return name == "arcs" ? engine::CoverageKind::arcs : engine::CoverageKind::counts;
}

/// Sets `options` by name; `language` holds settings that follow from the options. The third argument is the value from which the package
/// computed both.
void set_options(const py::dict &options, const py::dict &language, const py::object &source) {
    Py_CLEAR(bind::runtime.options_source);
    if (!bind::read_options(options.ptr(), &bind::runtime.options)) throw py::error_already_set();
    frontend::collects_garbage = bind::runtime.options.collect;
    bind::runtime.coverage = language["coverage"].cast<bool>();
    bind::runtime.coverage_kind = coverage_kind_of(language["coverage_kind"].cast<std::string>());
    bind::runtime.kernels_in_python = language["kernels_in_python"].cast<bool>();
    bind::runtime.checks_python = language["checks_python"].cast<bool>();
    bind::runtime.shown = language["show"].cast<std::vector<std::string>>();
    if (bind::runtime.program) bind::runtime.program->follow(bind::runtime.options);
    if (!source.is_none()) bind::runtime.options_source = Py_NewRef(source.ptr());
}

/// True if the current options were computed from exactly this value. The comparison may run code of the program.
bool made_from(const py::object &now) {
    const py::object source = py::reinterpret_borrow<py::object>(bind::runtime.options_source);
    const int same = source ? PyObject_RichCompareBool(source.ptr(), now.ptr(), Py_EQ) : 0;
    if (same < 0 && !PyErr_ExceptionMatches(PyExc_Exception)) throw py::error_already_set(); // Ctrl-C
    if (same < 0) PyErr_Clear(); // an option value that cannot be compared counts as changed
    return same == 1;
}

bool is_option_variable(std::string_view entry) { return entry.starts_with("QD_"); }

/// Hashes the option variables in the C environment, which os.environ updates.
uint64_t hash_of_environment() {
    uint64_t hash = 0;
    for (char **at = environ; at && *at; at++)
        if (is_option_variable(*at)) hash = hash_bytes(as_bytes(*at), hash);
    return hash;
}

/// Returns the variables that are hashed, as a dict.
py::dict option_variables() {
    py::dict all;
    for (char **at = environ; at && *at; at++) {
        const std::string_view entry = *at;
        const size_t sign = entry.find('=');
        if (!is_option_variable(entry) || sign == entry.npos) continue;
        const auto text = [](std::string_view s) {
            return py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefaultAndSize(s.data(), Py_ssize_t(s.size())));
        };
        const py::object name = text(entry.substr(0, sign)), value = text(entry.substr(sign + 1));
        if (!name || !value) throw py::error_already_set();
        all[name] = value;
    }
    return all;
}

/// Runs `f`; converts a C++ exception to the Python exception of the package.
template <class F> auto guarded(F f) -> decltype(f()) {
    try {
        return f();
    } catch (const py::error_already_set &) {
        throw;
    } catch (...) {
        bind::raise_current_exception();
        throw py::error_already_set();
    }
}

engine::Program &program() {
    engine::Program *p = bind::need_program();
    if (!p) throw py::error_already_set();
    return *p;
}

/// Returns `read(program)`, or an empty list if there is no program. Views read from other threads, while qd.init replaces the program, which
/// lives on until the reading has ended.
template <class Read> auto read_if_there(const Read &read) -> decltype(read(program())) {
    const std::shared_ptr<engine::Program> running = bind::runtime.program;
    if (!running) return {};
    return read(*running);
}

const char *counter_name(const engine::CounterValue &counter) {
    if (counter.backward) return "backward"; // counter of a line
    switch (counter.what) {
    case ir::Counter::What::line: return "line";
    case ir::Counter::What::taken: return "taken";
    case ir::Counter::What::not_taken: return "not_taken";
    case ir::Counter::What::entered: return "entered";
    case ir::Counter::What::zero_trips: return "zero_trips";
    case ir::Counter::What::broken: return "broken";
    case ir::Counter::What::finished: return "finished";
    case ir::Counter::What::endless: return "endless";
    }
    return "";
}

/// Reads counts without the GIL, since running tasks are given time to add their counts. Returns none if there is no program.
template <class Read> auto read_counts(const Read &read) {
    const std::shared_ptr<engine::Program> program = bind::runtime.program;
    decltype(read(*program)) counts;
    if (!program) return counts;
    const py::gil_scoped_release released;
    counts = read(*program);
    return counts;
}

/// Releases the GIL too, since launches may have to be waited for.
void clear_coverage() {
    const std::shared_ptr<engine::Program> program = bind::runtime.program;
    const py::gil_scoped_release released;
    if (program) program->observation().clear_coverage();
}

/// [(what, file, scope, line, column, end_line, end_column, count)]
py::list coverage() {
    py::list all;
    for (const engine::CounterValue &c : read_counts([](engine::Program &p) { return p.observation().coverage(); })) {
        all.append(py::make_tuple(counter_name(c), c.at.file, c.at.scope, c.at.line, c.at.column, c.at.end_line,
                                  c.at.end_column, c.count));
    }
    return all;
}

/// Connects two libraries of one process that do not link each other: functions are passed as capsules named after their signatures.
py::capsule set_fault_listener(const py::capsule &listener) {
    using Listener = void(const char *, size_t);
    void *function = PyCapsule_GetPointer(listener.ptr(), "void(const char *, size_t)");
    if (!function) throw py::error_already_set();
    const engine::Explain explain = engine::set_fault_listener(reinterpret_cast<Listener *>(function));
    return py::capsule(reinterpret_cast<void *>(explain), "void()");
}

/// Returns the current activity of the program: None, or {"what": "compiling", "kernel", "file", "seconds", "tasks", "done"} or
/// {"what": "running", "kernel", "file", "seconds", "tasks", "task", "number", "line", "chunks", "done", "iterations"}; see engine::Activity.
py::object activity() {
    using Kind = engine::Activity::Kind;
    using namespace py::literals;
    const std::shared_ptr<engine::Program> program = bind::runtime.program;
    if (!program) return py::none();
    const engine::Activity now = program->observation().activity();
    const bool compiling = now.kind == Kind::compiling;
    double seconds = now.seconds;
    const auto kernel = py::reinterpret_borrow<py::object>(bind::runtime.compiling);
    if (kernel && now.kind != Kind::running) {
        const auto since = std::chrono::steady_clock::now() - bind::runtime.compiling_since;
        seconds = std::max(seconds, std::chrono::duration<double>(since).count());
        if (!compiling) // its source is being read
            return py::dict("what"_a = "compiling", "kernel"_a = kernel.attr("name"), "file"_a = "",
                            "seconds"_a = seconds, "tasks"_a = 0, "done"_a = 0);
    }
    if (compiling)
        return py::dict("what"_a = "compiling", "kernel"_a = now.kernel, "file"_a = now.file, "seconds"_a = seconds,
                        "tasks"_a = now.tasks, "done"_a = now.done);
    if (now.kind == Kind::nothing) return py::none();
    return py::dict("what"_a = "running", "kernel"_a = now.kernel, "file"_a = now.file, "seconds"_a = seconds,
                    "tasks"_a = now.tasks, "task"_a = now.task, "number"_a = now.number, "line"_a = now.line,
                    "chunks"_a = now.chunks, "done"_a = now.chunks_done, "iterations"_a = now.passes);
}

/// Returns [(kernel, task, runs, shortest, longest, total)], in microseconds.
py::list task_times() {
    py::list all;
    for (const engine::TaskTimes &t : read_if_there([](engine::Program &p) { return p.observers().profile().times(); }))
        all.append(py::make_tuple(t.kernel, t.task, t.runs, t.shortest, t.longest, t.total));
    return all;
}

/// Returns [(kernel, specialisation, budget of an iteration or 0, [(task, line, peak of a thread, bytes of all threads, True if it runs,
///   [(frame, depth, loop's line, entries or None, lanes that share them, bytes of an entry, type,
///     file, line, column, end_line, end_column)])])]
py::list adstack_memory(bool wait) {
    py::list all;
    for (const engine::KernelMemory &kernel :
         read_if_there([&](engine::Program &p) { return p.observation().adstack_memory(wait); })) {
        py::list tasks;
        for (const engine::TaskMemory &task : kernel.tasks) {
            py::list stacks;
            for (const qd::abi::Stack &s : task.stacks) {
                const bool counted = s.number < task.use.entries.size();
                const uint64_t use = counted ? task.use.entries[s.number] : 0;
                const py::object entries = counted ? py::object(py::int_(uint32_t(use))) : py::object(py::none());
                const uint64_t lanes = std::max<uint64_t>(use >> 32, 1);
                stacks.append(py::make_tuple(s.frame, s.depth, s.loop_line, entries, lanes, s.entry_bytes,
                                             ir::to_string(ir::Scalar(s.type)), s.file, s.line, s.column, s.end_line,
                                             s.end_column));
            }
            tasks.append(py::make_tuple(task.task, task.line, task.use.peak, task.use.total, task.running, stacks));
        }
        all.append(py::make_tuple(kernel.kernel, kernel.specialisation, kernel.budget, tasks));
    }
    return all;
}

/// [(kernel, specialisation, [(task, how, copies, bytes)])]
py::list last_updates() {
    py::list all;
    for (const engine::KernelUpdates &kernel :
         read_if_there([](engine::Program &p) { return p.observation().last_updates(); })) {
        py::list tasks;
        for (const engine::TaskUpdates &t : kernel.tasks)
            tasks.append(py::make_tuple(t.task, t.how, t.copies, t.bytes));
        all.append(py::make_tuple(kernel.kernel, kernel.specialisation, tasks));
    }
    return all;
}

/// Returns [(index of the task in task_times, microseconds)].
py::list task_runs() {
    py::list all;
    for (const engine::TaskRun &run : read_if_there([](engine::Program &p) { return p.observers().profile().runs(); }))
        all.append(py::make_tuple(run.task, run.microseconds));
    return all;
}

/// Returns [(kernel, launches, True if one is running, passes by level, states by checkpoint, number of the one that yielded or -1)]
/// for the most recent launches of kernels with flags, as far as they were timed.
py::list graph_launches() {
    py::list all;
    for (const engine::GraphLaunch &one :
         read_if_there([](engine::Program &p) { return p.observers().profile().graphs(); })) {
        py::list states;
        for (const char *state : one.checkpoints) states.append(state);
        all.append(py::make_tuple(one.kernel, one.launches, one.running, one.passes, states, one.yielded));
    }
    return all;
}

/// Returns (number of this reading, [(kernel, specialisation, title, [(what, file, scope, line, column, end_line, copy, count)])]) for
/// kernels that changed since the reading with number `since`.
py::tuple coverage_by_kernel(uint64_t since) {
    py::list all;
    const auto [reading, kernels] =
        read_counts([&](engine::Program &p) { return p.observation().coverage_by_kernel(since); });
    for (const engine::KernelCoverage &kernel : kernels) {
        py::list rows;
        for (const engine::CounterValue &c : kernel.counts)
            rows.append(py::make_tuple(counter_name(c), c.at.file, c.at.scope, c.at.line, c.at.column, c.at.end_line,
                                       c.copy, c.count));
        all.append(py::make_tuple(kernel.kernel, kernel.specialisation, kernel.title, rows));
    }
    return py::make_tuple(reading, all);
}

/// Returns a value that changes whenever a kernel is compiled or a count grows.
py::tuple counted() {
    const auto [kernels, sum] = read_counts([](engine::Program &p) { return p.observation().counted(); });
    return py::make_tuple(bind::runtime.generation, kernels, sum);
}

/// Returns a dict for each file in the cache on disk; `content`: includes the content of cache entries.
py::list kept_files(bool content) {
    py::list list;
    for (const engine::CachedFile &file : program().kept_code().files(content)) {
        py::dict one;
        one["folder"] = file.folder;
        one["name"] = file.name;
        one["kernel"] = file.kernel;
        one["problem"] = file.problem;
        one["bytes"] = file.bytes;
        one["changed"] = double(file.changed) / 1e9;
        one["used"] = file.used;
        one["entry"] = py::reinterpret_steal<py::object>(bind::describe_cache_file(file.content));
        if (PyErr_Occurred()) throw py::error_already_set();
        list.append(one);
    }
    return list;
}

void define_program(py::module_ &m) {
    m.def("create_program", [](const py::dict &options, const py::dict &language) {
        set_options(options, language, py::none());
        if (!guarded([] { return bind::create_program(); })) throw py::error_already_set();
    });
    m.def("set_options", set_options);
    m.def("made_from", made_from);
    m.def("hash_of_environment", hash_of_environment);
    m.def("option_variables", option_variables);
    m.def("options", [] { return py::reinterpret_steal<py::object>(bind::options_dict(bind::runtime.options)); });
    m.def("builtins", [] {
        py::dict all;
        for (const auto &[name, parameters] : frontend::builtin_parameters())
            all[py::str(std::string(name))] = std::string(parameters);
        return all;
    });
    m.def("stop_launches", [] { bind::stop_launches(); });
    m.def("destroy_program", [] {
        if (!guarded([] { return bind::destroy_program(); })) throw py::error_already_set();
    });
    m.def("initialised", [] { return bind::runtime.program != nullptr; });
    m.def("generation", [] { return bind::runtime.generation; });
    m.def("sync", [] {
        if (program().memory().host_visible()) return; // all launches have completed
        PyObject *done = bind::done_unlocked([](engine::Program &p) { p.queues().wait(); });
        if (!done) throw py::error_already_set();
        Py_DECREF(done);
    });
    m.def("settle", [] {
        guarded([] {
            std::shared_ptr<engine::Program> p = (program(), bind::runtime.program);
            py::gil_scoped_release release;
            p->compiler().settle();
        });
    });
    m.def("target", [] { return program().compiler().target(); });
    m.def("lanes", [] { return program().compiler().lanes(); });
    m.def("host_visible", [] { return program().memory().host_visible(); });
    m.def("device_calls", [] {
        py::dict calls;
        for (const auto &[verb, count] : program().memory().device_calls()) calls[py::str(verb)] = count;
        return calls;
    });
    m.def("allocated_bytes", [] { return program().memory().allocated_bytes(); });
    m.def("tasks_on_last_call", [] { return program().queues().tasks_on_last_call(); });
    m.def("yielded_on_last_call", [] { return program().queues().yielded_on_last_call(); });
    m.def("ndarray_memory", [] {
        const bind::NdarrayMemory memory = bind::ndarray_memory();
        return std::pair(memory.count, memory.bytes);
    });
    m.def("add_external",
          [](uint64_t id, uintptr_t address) { engine::add_external(id, reinterpret_cast<void *>(address)); });
    m.def("environment", [](const char *name) -> py::object {
        const char *value = std::getenv(name);
        return value ? py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(value)) : py::none();
    });
    m.def("clock_frequency", engine::clock_frequency);
    m.def("publish", [] {
        const std::shared_ptr<engine::Program> running = (program(), bind::runtime.program);
        py::gil_scoped_release release;
        running->kept_code().publish();
    });
    m.def("share_compilations", engine::share_compilations, py::arg("wanted"));
    m.def("kept_files", kept_files);
    m.def("use_helper", [](const std::string &name, const py::bytes &description, const std::string &shown_as) {
        program().kept_code().use_helper(name, std::string_view(description), shown_as);
    });
    m.def("cache_dir", [] {
        const std::string &path = program().options().offline_cache_file_path;
        return py::reinterpret_steal<py::object>(
            PyUnicode_DecodeFSDefaultAndSize(path.data(), Py_ssize_t(path.size())));
    });
    m.def("live_ndarrays", [] { return bind::ndarray_memory().count; });
    m.def("compiling", [] {
        PyObject *info = bind::runtime.compiling;
        return info ? py::reinterpret_borrow<py::object>(info) : py::object(py::none());
    });
}

void define_observation(py::module_ &m) {
    m.def("coverage", coverage);
    m.def("coverage_by_kernel", coverage_by_kernel, py::arg("since") = 0);
    m.def("counted", counted);
    m.def("outside_of_kernels", [](const py::function &work) {
        const bind::CalledByCompiler called(false);
        return work();
    }); // for work of the package that a kernel needs while it is compiled
    m.def("clear_coverage", clear_coverage);
    m.def("take_reports", [] { return py::reinterpret_steal<py::object>(bind::take_reports()); });
    m.def("timeline", [] { return py::reinterpret_steal<py::object>(bind::timeline()); });
    m.def("clear_timeline", engine::clear_timeline);
    m.def("phase_times", [] { return py::reinterpret_steal<py::object>(bind::phase_times()); });
    m.def("clear_phase_times", bind::clear_phase_times);
    m.def("task_times", task_times);
    m.def("graph_launches", graph_launches);
    m.def("task_runs", task_runs);
    m.def("last_updates", last_updates);
    m.def("adstack_memory", adstack_memory, py::arg("wait") = true);
    m.def("clear_task_times", [] { program().observers().profile().clear(); });
    m.def("flush_output", [] { bind::flush_output(); });
    py::module_::import("os").attr("register_at_fork")(py::arg("before") = py::cpp_function(bind::await_output));
    m.def("stop_output", [] {
        py::gil_scoped_release release;
        bind::stop_output();
    });
    m.def("reports_since",
          [](uint64_t known) { return py::reinterpret_steal<py::object>(bind::reports_since(known)); });
    m.def("listen_to_output", [](const py::object &listener) { bind::listen_to_output(listener.ptr()); });
    m.def("add_pending_call", [](const py::function &work) { return bind::add_pending_call(work.ptr()); });
    m.def("observe_launches", [](const py::object &tell) { bind::observe_launches(tell.ptr()); });
    m.def("activity", activity);
    m.def("set_fault_listener", set_fault_listener);
    m.def("hiding_frames", [](const py::function &function) {
        return py::reinterpret_steal<py::object>(bind::hiding_frames(function.ptr()));
    });
    m.def("launches_now", [] { return bind::runtime.active_launches.load(); });
    m.def("launches_made", bind::launches_made);
    m.def("elements_written", [] { return bind::runtime.elements_written; });
    m.def("running_launches", [] { return py::reinterpret_steal<py::object>(bind::running_launches()); });
    m.def("watch_interrupts", bind::watch_interrupts);
    m.def("stop_what_runs", bind::stop_what_runs);
    m.def("interrupts_received", bind::interrupts_received);
    m.def("request_stop", [] { request_stop(); });
    m.def("clear_stop", [] { clear_stop(); });
}

void define_fields(py::module_ &m) {
    py::class_<bind::FieldTree>(m, "FieldTree", py::module_local())
        .def(py::init<>())
        .def("add_node", &bind::FieldTree::add_node)
        .def("add_member", &bind::FieldTree::add_member)
        .def("finish",
             [](bind::FieldTree &tree) {
                 program();
                 guarded([&] { tree.finish(); });
             })
        .def("place",
             [](bind::FieldTree &tree, int member) { return py::reinterpret_steal<py::object>(tree.place(member)); })
        .def("level",
             [](bind::FieldTree &tree, int node) { return py::reinterpret_steal<py::object>(tree.level(node)); })
        .def("destroy", &bind::FieldTree::destroy)
        .def_property_readonly("slot", &bind::FieldTree::slot)
        .def("node_bytes", &bind::FieldTree::node_bytes);
}

PyMethodDef interop[] = {
    {"dlpack_export", bind::export_dlpack, METH_VARARGS, nullptr},
    {"hold_program", bind::hold_program, METH_NOARGS, nullptr},
    {"sample", bind::sample, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

void define_interop(py::module_ &m) {
    if (PyModule_AddFunctions(m.ptr(), interop) != 0) throw py::error_already_set();
    // The classes by which arguments are recognised; the package defines them in Python.
    m.def("set_tensor_class",
          [](py::type cls) { bind::tensor_type = reinterpret_cast<PyTypeObject *>(cls.release().ptr()); });
    m.def("set_buffer_view_class",
          [](py::type cls) { bind::buffer_view_type = reinterpret_cast<PyTypeObject *>(cls.release().ptr()); });
}

} // namespace

PYBIND11_MODULE(quadrants_python, m) {
    define_program(m);
    define_observation(m);
    define_fields(m);
    define_interop(m);
    bind::define_steps(m);
    if (!bind::add_ndarray_type(m.ptr()) || !bind::add_place_type(m.ptr()) || !bind::add_kernel_type(m.ptr()) ||
        !bind::add_tree_type(m.ptr())) {
        throw py::error_already_set();
    }
}
