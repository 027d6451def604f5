// Makes the plan at the first call with new argument types: from a cache entry on disk, or else by parsing the source, walking it in the
// frontend and calling Compiler::compile.
#include "python/bind/binder.h"
#include "python/bind/call.h"
#include "python/bind/short_kernels.h"
#include "python/bind/dumps.h"
#include "python/bind/errors.h"
#include "python/bind/predicted.h"
#include "python/bind/interrupt.h"
#include "python/bind/memory.h"
#include "python/bind/observe.h"
#include "python/bind/cache_entry.h"
#include "engine/compiler.h"
#include "engine/timeline.h"
#include "engine/weight.h"
#include "python/bind/tree.h"

#include "autodiff/old_values.h"
#include "base/bytes.h"
#include "base/fork.h"
#include "base/stack.h"
#include "frontend/collect.h"
#include "ir/text.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

namespace qd::bind {
namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(PyObject *o) {
    const char *s = PyUnicode_AsUTF8(o);
    if (!s) throw frontend::PythonError{};
    return s;
}

/// Reads the tuple (tree, file, first_line, name, text, counted) that quadrants._source.Source.tree returns.
frontend::Source read_source(PyObject *tuple) {
    if (!tuple || !PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != 6) throw frontend::PythonError{};
    frontend::Source source;
    source.tree = tree_of(PyTuple_GET_ITEM(tuple, 0))->root;
    source.file = text_of(PyTuple_GET_ITEM(tuple, 1));
    source.first_line = int(PyLong_AsLong(PyTuple_GET_ITEM(tuple, 2)));
    source.name = text_of(PyTuple_GET_ITEM(tuple, 3));
    source.text = text_of(PyTuple_GET_ITEM(tuple, 4));
    source.counted = PyTuple_GET_ITEM(tuple, 5) == Py_True;
    return source;
}

/// While this object exists, observers can see which kernel is being compiled. Compilations of several threads may overlap.
class Compiling {
  public:
    explicit Compiling(const KernelObject *kernel) : info_(kernel->info) {
        begun_.push_back(this);
        publish();
    }
    ~Compiling() {
        std::erase(begun_, this);
        publish();
    }
    Compiling(const Compiling &) = delete;

  private:
    static void publish() {
        runtime.compiling = begun_.empty() ? nullptr : begun_.back()->info_;
        if (!begun_.empty()) runtime.compiling_since = begun_.back()->since_;
    }

    PyObject *info_;
    Clock::time_point since_ = Clock::now();
    pthread_t thread_ = pthread_self();
    static inline std::vector<const Compiling *> begun_;
    /// In a forked child, the compilations of other threads never end.
    static inline const ForkHooks hooks_{
        nullptr, nullptr, [] {
            std::erase_if(begun_, [](const Compiling *one) { return !pthread_equal(one->thread_, pthread_self()); });
            publish();
        }};
};

frontend::Result walk(const frontend::Request &request) {
    const CalledByCompiler called;
    return frontend::lower(request);
}

/// Throws if the program has ended: the walk may call Python code that ends it.
void check_program(const Plan &plan) {
    if (plan.generation != runtime.generation || !runtime.program)
        fail_user(UserErrorKind::runtime, "qd.init() or qd.reset() ran while the kernel was compiled; call it again");
}

class Specialiser {
  public:
    /// Takes the arguments of a call, or parameters that are already bound.
    Specialiser(KernelObject *kernel, PyObject *const *args, const std::vector<BoundParam> *like = nullptr)
        : kernel_(kernel), args_(args), like_(like) {}

    std::shared_ptr<Plan> run() {
        const Compiling compiling(kernel_);
        frontend::Request request = make_request();
        frontend::collect_if_asked();
        check_program(*plan_);
        CacheEntries entries(kernel_, request);
        const bool keyed = entries.has_name();
        for (size_t i = 0; i < entries.size() && !plan_->kernel; i++) {
            if (!recall(entries, i, request)) request = make_request(); // drops the members that this entry bound
        }
        plan_->provenance.recalled = plan_->kernel != nullptr;
        plan_->provenance.matched = matched_;
        if (!plan_->kernel) lower(entries, request);
        plan_->provenance.keyed = keyed;
        entries.note_in(plan_.get());
        plan_->provenance.cached = last_compile_was_cached();
        if (request.options.coverage) announce_counters();
        if (request.mode == autodiff::Mode::reverse)
            engine::set_stack_budget(*plan_->kernel, request.options.ad_stack_budget_bytes);
        if (request.options.coverage && !asks_for_counts())
            engine::ask_for_coverage(*plan_->kernel, runtime.coverage_kind);
        assign_slots();
        frontend::collect_if_asked();
        if (runtime.options.timeline) {
            plan_->short_running = false; // launches that keep the GIL are not timed
            engine::add_to_timeline("compile", engine::kernel_info(*plan_->kernel).name, "", start_, Clock::now());
        }
        choose_launch(*plan_);
        return std::move(plan_);
    }

    /// Makes the plan of a kernel that runs as Python, which has no code. The walk rejects what compiled kernels do not support.
    std::shared_ptr<Plan> check() {
        const Compiling compiling(kernel_);
        if (kernel_->mode != autodiff::Mode::none)
            fail_user(UserErrorKind::runtime, "Derivatives of kernels need an architecture that compiles them", {},
                      "qd.init(arch=qd.cpu)");
        frontend::Request request = make_request();
        request.options.coverage = false;
        if (runtime.checks_python) {
            request.source = source_of(kernel_->info);
            frontend::Result result = walk(request);
            leaves_ = std::move(result.leaves);
            mark_written(result.fn);
        }
        for (BoundParam &p : plan_->params) {
            p.slot = plan_->slots;
            const bool is_array = frontend::passes(p.kind) == frontend::Passes::array;
            plan_->slots += is_array ? abi::argument_slots(true, p.ndim) : leaves_of(p);
        }
        choose_launch(*plan_);
        return std::move(plan_);
    }

    /// Returns the code for these parameters as text.
    std::string show(engine::Form form) {
        frontend::Request request = make_request();
        request.source = source_of(kernel_->info);
        const ir::Function fn = walked(request).fn;
        check_program(*plan_);
        std::string text;
        unlocked([&](engine::Program &program) { text = program.compiler().show(fn, form); });
        return text;
    }

    /// Returns the location of a fault.
    std::vector<Location> locate(const engine::KernelFault &fault) {
        frontend::Request request = make_request();
        request.warn = [](const std::string &, const std::string &, const Location &) {};
        const frontend::Source source = source_of(kernel_->info);
        request.source = source;
        std::vector<Location> trace;
        try {
            const frontend::Result result = walked(request);
            unlocked([&](engine::Program &program) { trace = program.compiler().locate(result.fn, fault); });
        } catch (const Interrupted &) { // Stop was pressed as well
        }
        if (trace.empty()) trace.push_back({source.file, source.name, fault.line, 0, fault.line, 0});
        return trace;
    }

  private:
    PyObject *keep(PyObject *owned) {
        if (!owned) throw frontend::PythonError{};
        plan_->kept.push_back(owned);
        return owned;
    }

    frontend::Request make_request() {
        plan_ = std::make_shared<Plan>();
        plan_->generation = runtime.generation;
        plan_->number = kernel_->made;
        plan_->returns = *kernel_->returns;
        binder_.emplace(kernel_, *plan_);
        frontend::Request request;
        request.mode = kernel_->mode;
        const bool derived = request.mode != autodiff::Mode::none;
        keep(PyObject_CallMethod(kernel_->info, derived ? "prepare_derivative" : "prepare", nullptr));
        static_cast<LanguageOptions &>(request.options) =
            LanguageOptions(runtime.options); // brought up to date by prepare()
        request.function = keep(PyObject_GetAttrString(kernel_->info, "fn"));
        request.options.coverage = wants_coverage(runtime.coverage);
        if (request.mode == autodiff::Mode::reverse) // backward code is only counted if counts are wanted
            request.options.coverage &= runtime.coverage_kind == engine::CoverageKind::counts || asks_for_counts();
        request.options.pure = keep(PyObject_GetAttrString(kernel_->info, "fastcache")) == Py_True;
        if (PyObject *budget = keep(PyObject_GetAttrString(kernel_->info, "ad_stack_budget_bytes")); budget != Py_None)
            request.options.ad_stack_budget_bytes = PyLong_AsUnsignedLongLong(budget);
        request.options.graph = keep(PyObject_GetAttrString(kernel_->info, "graph")) == Py_True;
        request.options.checkpoints = keep(PyObject_GetAttrString(kernel_->info, "checkpoints")) == Py_True;
        checkpoints_ = request.options.checkpoints;
        plan_->return_shapes.clear();
        for (frontend::ReturnType &r : plan_->returns) {
            r.elem = resolve(r.elem);
            plan_->return_shapes.push_back(r.structure ? shape_of(r.structure) : nullptr);
            if (r.structure && !plan_->return_shapes.back()) throw frontend::PythonError{};
        }
        request.returns = plan_->returns;
        if (request.mode == autodiff::Mode::reverse) { // a gradient kernel returns nothing
            plan_->returns.clear();
            plan_->return_shapes.clear();
        }
        request.companion = [this](int id) { return companion_of(id, kernel_->mode); };
        request.place = [this](int id) { return describe_place(id); };
        request.source_of = [this](PyObject *func) { return source_of(func); };
        request.warn = [this](const std::string &category, const std::string &message, const Location &at) {
            warnings_.push_back({category, message, at});
            warn(category, message, at);
        };
        request.member = [this](int node, PyObject *key, bool item) { return binder_->member(node, key, item); };
        for (size_t i = 0; i < kernel_->params->size(); i++) bind_param(request, i);
        return request;
    }

    /// Walks the kernel; returns its IR or that of its derivative, as the request says.
    frontend::Result walked(const frontend::Request &request) {
        frontend::Result result = walk(request);
        if (request.mode == autodiff::Mode::none) return result;
        check_program(*plan_);
        std::vector<Location> lost;
        unlocked([&](engine::Program &program) {
            const auto &options = request.options;
            const autodiff::Stacks stacks{options.ad_stack_experimental_enabled, uint64_t(options.ad_stack_size),
                                          options.ad_stack_budget_bytes};
            if (request.mode == autodiff::Mode::reverse)
                with_stack(engine::stack_for(result.fn),
                           [&] { lost = autodiff::lost_old_values(result.fn, result.companions); });
            result.fn = program.compiler().differentiate(std::move(result.fn), std::move(result.companions),
                                                         request.mode, stacks);
        });
        for (const Location &at : lost) request.warn("UserWarning", autodiff::lost_old_value, at);
        return result;
    }

    frontend::Source source_of(PyObject *object) {
        PyObject *source = keep(PyObject_GetAttrString(object, "_qd_source_"));
        return read_source(keep(PyObject_CallMethod(source, "tree", nullptr)));
    }

    double microseconds() const { return std::chrono::duration<double, std::micro>(Clock::now() - start_).count(); }

    bool recall(const CacheEntries &entries, size_t which, const frontend::Request &request) {
        CachedPlan made;
        if (!entries.recall(which, request, &made) || made.written.size() != plan_->params.size()) return false;
        matched_ = true;
        unlocked(
            [&](engine::Program &program) { plan_->kernel = program.compiler().load(made.image, microseconds()); });
        if (!plan_->kernel) return false;
        leaves_ = std::move(made.leaves);
        for (size_t i = 0; i < made.written.size(); i++) plan_->params[i].written = made.written[i];
        plan_->short_running = made.short_running;
        hold_graph(std::move(made.graph));
        for (const Warning &w : made.warnings) warn(w.category, w.message, w.at);
        return true;
    }

    void lower(CacheEntries &entries, frontend::Request &request) {
        request.source = source_of(kernel_->info);
        frontend::Result result = walked(request);
        for (const frontend::PyRef &func : result.funcs) plan_->kept.push_back(Py_NewRef(func.get()));
        frontend::collect_if_asked();
        leaves_ = std::move(result.leaves);
        mark_written(result.fn);
        check_program(*plan_);
        show_forms(result.fn, request.source);
        take_edited(result.fn);
        plan_->short_running = is_short_running(result.fn);
        const double frontend_us = microseconds();
        std::vector<uint8_t> image;
        const std::string shown_as = shown_name(request.source.name, result.fn.name);
        unlocked([&](engine::Program &program) {
            plan_->kernel = program.compiler().compile(
                std::move(result.fn), frontend_us, result.dependencies.empty() ? nullptr : &image, variant(), shown_as);
        });
        CachedPlan made{{}, leaves_, plan_->short_running, std::move(warnings_), PlanGraph(result.graph), image};
        for (const BoundParam &p : plan_->params) made.written.push_back(p.written);
        plan_->provenance.kept = entries.keep(result.dependencies, made);
        if (request.options.pure && entries.has_name() && result.dependencies.empty()) report_uncacheable();
        hold_graph(std::move(made.graph));
    }

    /// Reports a kernel with fastcache=True that cannot be cached, because the value of one of its dependencies cannot be compared later.
    void report_uncacheable() {
        PyObject *report = keep(package_attr("quadrants._language.kernel", "report_fastcache"));
        keep(PyObject_CallFunctionObjArgs(report, kernel_->info, keep(describe_params(*plan_)), nullptr));
    }

    /// Returns the name that QD_SHOW_COMPILING shows for the kernel `name` of the function `function`: `k_c60_0` is the first
    /// specialisation of the kernel that was defined 61st, `k_c60_0_reverse_grad` computes its gradients.
    std::string shown_name(const std::string &function, const std::string &name) {
        if (!runtime.options.show_compiling || !name.starts_with(function)) return name;
        PyObject *number = keep(PyObject_GetAttrString(kernel_->info, "number"));
        return function + "_c" + std::to_string(PyLong_AsLong(number)) + "_" + std::to_string(plan_->number) +
               name.substr(function.size());
    }

    /// Returns a hash of the properties of parameters that are not part of the IR but must distinguish kernels on disk.
    uint64_t variant() const {
        Writer w;
        for (const BoundParam &p : plan_->params)
            for (const bool flag : {p.with_gradient, p.clamp}) w.number(flag);
        return hash_bytes(w.bytes, 31);
    }

    void hold_graph(PlanGraph graph) {
        if (graph.levels.empty() && graph.checkpoints.empty() && !checkpoints_) return;
        graph.restore_labels(keep(PyObject_GetAttrString(kernel_->info, "fn")));
        for (PlanGraph::Checkpoint &checkpoint : graph.checkpoints)
            if (checkpoint.label) keep(Py_NewRef(checkpoint.label.get()));
        plan_->graph = std::make_unique<const PlanGraph>(std::move(graph));
    }

    bool wants_coverage(bool otherwise) {
        PyObject *choice = keep(PyObject_GetAttrString(kernel_->info, "coverage"));
        return choice == Py_None ? otherwise : PyObject_IsTrue(choice) == 1;
    }

    /// True if coverage was requested for this kernel by its own option, which asks for counts.
    bool asks_for_counts() { return keep(PyObject_GetAttrString(kernel_->info, "coverage")) == Py_True; }

    /// Reports the counted lines of the kernel to the package, and sets the title of the specialisation, which the package makes.
    void announce_counters() {
        PyObject *lines = keep(PyList_New(0));
        for (const engine::CounterValue &c : engine::kernel_counters(*plan_->kernel)) {
            if (c.what != ir::Counter::What::line || kernel_->mode == autodiff::Mode::reverse) continue;
            PyObject *line = Py_BuildValue("(sI)", c.at.file.c_str(), c.at.line);
            if (!line || PyList_Append(lines, line) < 0) throw frontend::PythonError{};
            Py_DECREF(line);
        }
        PyObject *report = keep(package_attr("quadrants._coverage.counts", "_compiled"));
        keep(PyObject_CallFunctionObjArgs(report, lines, nullptr));
        PyObject *name = keep(package_attr("quadrants._coverage.counts", "_title"));
        PyObject *params = keep(describe_params(*plan_));
        const char *title = PyUnicode_AsUTF8(keep(PyObject_CallOneArg(name, params)));
        if (!title) throw frontend::PythonError{};
        engine::set_title(*plan_->kernel, title, kernel_->mode == autodiff::Mode::reverse);
    }

    ir::Place describe_place(int id) {
        const PlaceEntry &entry = place_entry(id);
        std::shared_ptr<TreeMemory> memory = entry.memory.lock();
        if (!memory) fail_user(UserErrorKind::runtime, "The memory of this field has been freed");
        memory->add_user(plan_);
        plan_->trees.push_back(std::move(memory));
        return entry.place;
    }

    static void warn(const std::string &category, const std::string &message, const Location &at) {
        const CalledByCompiler called(false); // warnings may be shown by user code
        PyObject *function = package_attr("quadrants._exceptions", "warn");
        PyObject *done = function ? PyObject_CallFunction(function, "sssI", category.c_str(), message.c_str(),
                                                          at.file.c_str(), at.line)
                                  : nullptr;
        Py_XDECREF(function);
        if (!done) throw frontend::PythonError{}; // the warning was turned into an error
        Py_DECREF(done);
    }

    void bind_param(frontend::Request &request, size_t i) {
        request.params.push_back(like_ ? binder_->like(i, (*like_)[i]) : binder_->argument(i, args_[i]));
    }

    /// Marks array parameters that the kernel stores to, so that a read-only numpy array is refused for these only.
    void mark_written(const ir::Function &fn) {
        std::vector<size_t> owner; // maps an IR parameter to a parameter of the plan
        for (int leaf : leaves_) owner.insert(owner.end(), leaves_of(plan_->params[size_t(leaf)]), size_t(leaf));
        const std::vector<bool> written = engine::written_parameters(fn);
        for (size_t p = 0; p < written.size() && p < owner.size(); p++)
            if (written[p]) plan_->params[owner[p]].written = true;
    }

    /// Runs `work` without the GIL.
    template <class Work> void unlocked(const Work &work) {
        check_program(*plan_);
        const std::shared_ptr<engine::Program> program = runtime.program;
        const struct Counted {
            Counted() { runtime.active_launches++; }
            ~Counted() { runtime.active_launches--; }
        } counted;
        without_gil(*program, work);
    }

    /// Sets the slot of every parameter, as the compiled kernel defines it.
    void assign_slots() {
        const abi::Kernel &info = engine::kernel_info(*plan_->kernel);
        plan_->slots = info.slots;
        plan_->ret_bytes = info.ret_bytes;
        size_t next = 0;
        for (int leaf : leaves_) {
            QD_CHECK(next < info.params.size(), "parameters of " + info.name);
            plan_->params[size_t(leaf)].slot = info.params[next].slot;
            next += leaves_of(plan_->params[size_t(leaf)]);
        }
    }

    KernelObject *kernel_;
    PyObject *const *args_;
    const std::vector<BoundParam> *like_;
    std::shared_ptr<Plan> plan_;
    std::optional<Binder> binder_;
    std::vector<int> leaves_; ///< parameters of the plan in the order of the IR parameters
    std::vector<Warning> warnings_;
    bool matched_ = false;     ///< the dependencies of some cache entry were unchanged
    bool checkpoints_ = false; ///< the kernel may have checkpoints
    Clock::time_point start_ = Clock::now();
};

/// Drops plans of ended Programs, and plans for template arguments that no longer exist.
void drop_dead_plans(KernelObject *kernel) {
    kernel->last = nullptr;
    const auto lives = [](const std::shared_ptr<Plan> &plan) {
        const auto is_gone = [](const BoundParam &p) { return p.weak && PyWeakref_GetObject(p.weak) == Py_None; };
        return plan->generation == runtime.generation &&
               std::none_of(plan->params.begin(), plan->params.end(), is_gone);
    };
    std::vector<std::shared_ptr<Plan>> &plans = *kernel->plans;
    const auto first_dead = std::stable_partition(plans.begin(), plans.end(), lives);
    std::vector<std::shared_ptr<Plan>> dead(std::make_move_iterator(first_dead), std::make_move_iterator(plans.end()));
    plans.erase(first_dead, plans.end());
    bury(std::move(dead)); // last, when the list is consistent, since it may run Python code that calls this kernel
}

} // namespace

int specialise_ahead(KernelObject *kernel, const KernelObject *before) {
    if (!need_program()) return -1;
    drop_dead_plans(kernel);
    int made = 0;
    const std::vector<std::shared_ptr<Plan>> like = before ? plans_of(before) : std::vector<std::shared_ptr<Plan>>();
    const bool ok = interruptible([&] {
        for (const std::vector<BoundParam> &params :
             predicted_params(kernel, before)) { // `like` keeps their values alive
            std::shared_ptr<Plan> plan = Specialiser(kernel, nullptr, &params).run();
            if (plan->generation != runtime.generation) break;
            kernel->plans->push_back(std::move(plan));
            kernel->made++;
            made++;
        }
    });
    return ok ? made : -1;
}

bool show_code(KernelObject *kernel, engine::Form form, std::string *out) {
    if (!need_program()) return false;
    const std::vector<std::shared_ptr<Plan>> like = plans_of(kernel);
    return interruptible([&] {
        for (const std::vector<BoundParam> &params :
             predicted_params(kernel, kernel)) { // `like` keeps their values alive
            if (!out->empty()) *out += "\n";
            *out += Specialiser(kernel, nullptr, &params).show(form);
        }
    });
}

void locate_fault(KernelObject *kernel, PyObject *const *args, engine::KernelFault &fault) {
    try {
        fault.trace = Specialiser(kernel, args).locate(fault);
    } catch (const frontend::PythonError &) { // the error being reported takes precedence
        PyErr_Clear();
    } catch (const std::exception &) {
    }
}

std::shared_ptr<Plan> specialise(KernelObject *kernel, PyObject *const *args) {
    drop_dead_plans(kernel);
    std::shared_ptr<Plan> made;
    const bool ok = interruptible([&] {
        Specialiser specialiser(kernel, args);
        std::shared_ptr<Plan> plan = runtime.kernels_in_python ? specialiser.check() : specialiser.run();
        check_program(*plan);
        kernel->plans->push_back(plan);
        kernel->made++;
        made = std::move(plan);
    });
    return ok ? made : nullptr;
}

} // namespace qd::bind
