#include "python/bind/steps.h"

#include "python/bind/errors.h"
#include "python/bind/match.h"
#include "python/bind/graph.h"
#include "python/bind/interrupt.h"
#include "python/bind/observe.h"
#include "python/bind/plan.h"
#include "python/bind/running.h"

#include "abi/record.h"
#include "engine/device_memory.h"
#include "engine/queues.h"
#include "engine/stepping.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace py = pybind11;

namespace qd::bind {
namespace {

using engine::GraphRun;

[[noreturn]] void refuse(const char *why) {
    raise(ErrorClass::runtime, why);
    throw py::error_already_set();
}

/// The specialisation of a kernel that accepts some arguments, compiled if there is none, and the converted arguments.
struct Bound {
    std::shared_ptr<Plan> plan;
    Objects objects;
    abi::LaunchRecord record;
    Arrays arrays;

    Bound(KernelObject *kernel, const py::tuple &args) {
        if (!are_arguments(kernel, args.ptr()) || !need_program()) throw py::error_already_set();
        PyObject *const *given = &PyTuple_GET_ITEM(args.ptr(), 0);
        for (const std::shared_ptr<Plan> &known : plans_of(kernel))
            if (known->generation == runtime.generation && known->kernel && suits(known, kernel, given)) return;
        const std::shared_ptr<Plan> made = specialise(kernel, given);
        if (!made) throw py::error_already_set();
        if (!made->kernel || !suits(made, kernel, given))
            refuse("the graph of a kernel needs an architecture that compiles kernels");
    }

  private:
    bool suits(const std::shared_ptr<Plan> &candidate, const KernelObject *kernel, PyObject *const *given) {
        plan = candidate;
        record.resize(plan->slots);
        arrays = Arrays();
        if (!objects.fetch(*plan, kernel->params->size(), given)) return false;
        const Match f = match(*plan, objects.all(), record.args(), &arrays);
        if (f == Match::error) throw py::error_already_set();
        return f == Match::yes;
    }
};

/// Builds the rows of an outline: steps, and the regions and sections that contain their tasks.
class Outline {
  public:
    explicit Outline(const abi::Kernel &kernel) : kernel_(kernel), steps_(runtime::graph_steps(kernel)) {}

    py::list rows() {
        using Kind = runtime::GraphStep::Kind;
        for (at_ = 0; at_ < steps_.size(); at_++) {
            const runtime::GraphStep &step = steps_[at_];
            const abi::Task *task = step.kind == Kind::task ? &kernel_.tasks[size_t(step.index)] : nullptr;
            enter(task ? task->graph : abi::GraphPosition());
            if (task)
                add("task", step.index, task->name.c_str(), task->line);
            else if (step.kind == Kind::level_end || step.kind == Kind::checkpoint_end)
                depth_--;
            else
                add(step.kind == Kind::level_begin ? "level" : "checkpoint", step.index), depth_++;
        }
        return std::move(rows_);
    }

  private:
    void enter(const abi::GraphPosition &where) {
        const bool other = where.region != inside_.region;
        if (other || where.section != inside_.section) {
            depth_ -= (inside_.section >= 0) + (other && inside_.region >= 0);
            if (other && where.region >= 0) add("region", where.region), depth_++;
            if (where.section >= 0) add("section", where.section), depth_++;
        }
        inside_ = where;
    }

    void add(const char *kind, int32_t index, const char *name = "", uint32_t line = 0) {
        rows_.append(py::make_tuple(kind, index, depth_, name, line, at_));
    }

    const abi::Kernel &kernel_;
    const std::vector<runtime::GraphStep> steps_;
    py::list rows_;
    abi::GraphPosition inside_;
    size_t at_ = 0;
    int depth_ = 0;
};

py::object outline(const Plan &plan) {
    const auto graph = py::reinterpret_steal<py::tuple>(describe_graph(plan));
    if (!graph) throw py::error_already_set();
    const abi::Kernel &kernel = engine::kernel_info(*plan.kernel);
    return py::make_tuple(graph[0], graph[1], Outline(kernel).rows());
}

/// A launch of a kernel, with saved states of memory so that it can go back.
class Steps {
  public:
    Steps(py::object kernel, py::tuple args, uint64_t max_kept)
        : kernel_(checked(std::move(kernel))), args_(std::move(args)), bound_(self(), args_), max_kept_(max_kept) {
        if (bound_.arrays.has_staged()) refuse("on this architecture, a stepwise launch accepts only Quadrants arrays");
        ret_.resize(plan().ret_bytes);
        choose_kept();
        begin(abi::GraphWords::from_the_start);
    }

    /// Begins the launch again on the same arrays; saved states stay.
    void begin(int32_t resume_point) {
        check();
        const auto count = int64_t(engine::kernel_info(*plan().kernel).graph.checkpoints.size());
        if (resume_point < abi::GraphWords::from_the_start || resume_point >= count)
            throw std::invalid_argument("no such checkpoint");
        GraphRun run;
        guarded([&] { runtime.program->queues().begin_run(*plan().kernel, slots(), run); });
        run.words.resume_point = resume_point;
        if (run_.kernel) keep();
        run_ = std::move(run);
    }

    /// Returns the number of the checkpoint with this label.
    int32_t find(const py::object &label) const {
        if (!plan().graph) return -1;
        const int32_t found = plan().graph->find(self()->info, label.ptr());
        if (found < 0) throw py::error_already_set();
        return found;
    }

    /// Runs steps up to `until`, and clears the flag of a checkpoint that yields. Returns the number of the checkpoint that yielded, or -1.
    int32_t advance(int until) {
        check();
        if (until < 0 || until > int(engine::Until::end)) throw std::invalid_argument("no such place to end at");
        if (run_.is_over()) return run_.words.yielded;
        keep();
        const Moving moving(*this);
        const bool ok = unlocked([&](engine::Program &program) {
            program.queues().advance(run_, bound_.record.head(), ret_.data(), engine::Until(until));
        });
        if (!ok) {
            run_.at = run_.steps.size();
            throw py::error_already_set();
        }
        if (run_.words.yielded >= 0) clear_flag(run_.words.yielded);
        return run_.words.yielded;
    }

    /// Restores the last saved state; returns false if there is none.
    bool undo() {
        check();
        if (kept_.empty()) return false;
        Kept &last = kept_.back();
        size_t at = 0;
        each_kept([&](const runtime::Buffer &buffer, uint64_t) {
            const std::vector<char> &bytes = *last.arrays[at++];
            runtime.program->memory().upload(buffer, 0, bytes.data(), bytes.size());
        });
        ret_ = last.ret;
        run_ = std::move(last.run);
        bytes_kept_ -= own_bytes(last);
        kept_.pop_back();
        return true;
    }

    /// Returns (kernel, specialisation, True if the launch is over), from any thread.
    py::tuple launch() const {
        const engine::CompiledKernel &kernel = *plan().kernel;
        return py::make_tuple(engine::kernel_info(kernel).name, engine::kernel_specialisation(kernel),
                              run_.is_over() || plan().generation != runtime.generation);
    }

    py::dict state() const {
        refuse_other_thread();
        py::list iterations, checkpoints, runs, microseconds;
        for (const uint64_t n : run_.passes) iterations.append(n);
        for (const GraphRun::State s : run_.checkpoints) checkpoints.append(name_of(s));
        for (const uint64_t n : run_.runs) runs.append(n);
        for (const double t : run_.microseconds) microseconds.append(t);
        py::dict out;
        out["at"] = run_.at;
        const bool ends = !run_.is_over() && run_.steps[run_.at].kind == runtime::GraphStep::Kind::level_end;
        out["ends"] = ends ? run_.steps[run_.at].index : -1;
        out["over"] = run_.is_over();
        out["yielded"] = run_.words.yielded;
        out["iterations"] = iterations;
        out["checkpoints"] = checkpoints;
        out["runs"] = runs;
        out["microseconds"] = microseconds;
        out["kept"] = kept_.size();
        return out;
    }

    /// Returns (levels, checkpoints, steps), as `_outline` of kernels gives them.
    py::object graph() const { return outline(plan()); }

    int32_t flag_at(uint32_t parameter) const {
        refuse_other_thread();
        int32_t value = 0;
        const auto &params = engine::kernel_info(*plan().kernel).params;
        if (parameter >= params.size()) throw std::invalid_argument("no such parameter");
        if (plan().generation != runtime.generation) refuse("this launch belongs to a program that has ended");
        const uint32_t slot = params[parameter].slot;
        runtime.program->memory().download(&value, buffer_at(slots()[slot]), 0, sizeof value);
        return value;
    }

  private:
    using Bytes = std::shared_ptr<const std::vector<char>>;

    /// A saved state; an array that did not change is shared with the previous state.
    struct Kept {
        GraphRun run;
        std::vector<Bytes> arrays;
        std::vector<char> ret;
    };

    /// Exists while a thread advances the launch without the GIL.
    struct Moving {
        explicit Moving(Steps &steps) : steps(steps) { steps.moves_ = true; }
        ~Moving() { steps.moves_ = false; }
        Moving(const Moving &) = delete;
        Steps &steps;
    };

    static py::object checked(py::object kernel) {
        if (!is_kernel(kernel.ptr())) throw py::type_error("a kernel is needed");
        return kernel;
    }

    KernelObject *self() const { return reinterpret_cast<KernelObject *>(kernel_.ptr()); }
    const Plan &plan() const { return *bound_.plan; }
    const uint64_t *slots() const { return bound_.record.args(); }

    void refuse_other_thread() const {
        if (moves_) refuse("another thread is advancing this launch; use a Stepper from one thread at a time");
    }

    void check() const {
        refuse_other_thread();
        if (plan().generation != runtime.generation) refuse("this launch belongs to a program that has ended");
    }

    /// Returns the buffer at a device address, with its host pointer if the host can access device memory.
    static runtime::Buffer buffer_at(uint64_t address) {
        return {nullptr, address,
                runtime.program->memory().host_visible() ? reinterpret_cast<char *>(address) : nullptr};
    }

    /// Sets the flag of a checkpoint to 0.
    void clear_flag(int32_t checkpoint) {
        const abi::Kernel &info = engine::kernel_info(*plan().kernel);
        const uint32_t flag = info.graph.checkpoints[size_t(checkpoint)].flag;
        if (flag == abi::no_flag) return;
        const int32_t none = 0;
        runtime.program->memory().upload(buffer_at(slots()[info.params[flag].slot]), 0, &none, sizeof none);
    }

    /// True if the array is the flag of a checkpoint, which `clear_flag` writes.
    bool is_flag(const BoundParam &p) const {
        const abi::Kernel &info = engine::kernel_info(*plan().kernel);
        return std::ranges::any_of(info.graph.checkpoints, [&](const abi::Checkpoint &checkpoint) {
            return checkpoint.flag != abi::no_flag && info.params[checkpoint.flag].slot == p.slot;
        });
    }

    /// Selects the arrays to save: those that tasks may write, and flags of checkpoints. Arrays that are only read are saved as well, since
    /// the program may write them between two steps, unless they would take more than a quarter of the memory for saved states.
    void choose_kept() {
        uint64_t read = 0;
        for (const BoundParam &p : plan().params)
            if (frontend::passes(p.kind) == frontend::Passes::array && !p.written) read += array_bytes(p, slots());
        for (const BoundParam &p : plan().params)
            if (frontend::passes(p.kind) == frontend::Passes::array &&
                (p.written || is_flag(p) || read <= max_kept_ / 4))
                arrays_.push_back(&p);
    }

    /// Visits these arrays and the field trees.
    template <class Visit> void each_kept(const Visit &visit) const {
        for (const BoundParam *p : arrays_) visit(buffer_at(slots()[p->slot]), array_bytes(*p, slots()));
        std::vector<uint32_t> seen; // a tree is listed once for each of its places
        for (const std::shared_ptr<TreeMemory> &tree : plan().trees) {
            if (std::ranges::find(seen, tree->slot) != seen.end()) continue;
            seen.push_back(tree->slot);
            visit(tree->memory, tree->bytes);
        }
    }

    /// Returns the number of bytes that a state does not share with any other.
    static uint64_t own_bytes(const Kept &kept) {
        uint64_t sum = 0;
        for (const Bytes &bytes : kept.arrays) sum += bytes.use_count() == 1 ? bytes->size() : 0;
        return sum;
    }

    /// Saves the state before the next step, and drops the oldest states that exceed the limit.
    void keep() {
        Kept now{run_, {}, ret_};
        each_kept([&](const runtime::Buffer &buffer, uint64_t bytes) {
            std::vector<char> held(bytes);
            runtime.program->memory().download(held.data(), buffer, 0, bytes);
            const Bytes *before = kept_.empty() ? nullptr : &kept_.back().arrays[now.arrays.size()];
            const bool same = before && **before == held;
            now.arrays.push_back(same ? *before : std::make_shared<const std::vector<char>>(std::move(held)));
        });
        bytes_kept_ += own_bytes(now);
        kept_.push_back(std::move(now));
        while (bytes_kept_ > max_kept_ && !kept_.empty()) {
            bytes_kept_ -= own_bytes(kept_.front());
            kept_.pop_front();
        }
    }

    template <class Work> void guarded(const Work &work) {
        try {
            work();
        } catch (...) {
            raise_current_exception();
            throw py::error_already_set();
        }
    }

    template <class Work> bool unlocked(const Work &work) {
        const bool ran = carried_out(work);
        if (output_waiting()) flush_output();
        return settle_interrupt(ran);
    }

    template <class Work> bool carried_out(const Work &work) {
        const InterruptScope scope;
        keep_watching();
        if (!no_interrupt_waits()) return false;
        std::shared_ptr<engine::Program> program = runtime.program;
        std::exception_ptr failure;
        const RunningLaunch running(*plan().kernel, nullptr);
        Py_BEGIN_ALLOW_THREADS;
        try {
            work(*program);
        } catch (...) {
            failure = std::current_exception();
        }
        program.reset();
        Py_END_ALLOW_THREADS;
        if (!failure) return true;
        try {
            std::rethrow_exception(failure);
        } catch (...) {
            raise_current_exception();
        }
        return false;
    }

    py::object kernel_;
    py::tuple args_;
    Bound bound_;
    std::vector<const BoundParam *> arrays_; ///< arrays that are saved
    std::vector<char> ret_;
    GraphRun run_;
    std::deque<Kept> kept_;
    uint64_t bytes_kept_ = 0, max_kept_;
    bool moves_ = false;
};

} // namespace

PyObject *describe_steps(PyObject *o, PyObject *args) {
    KernelObject *kernel = reinterpret_cast<KernelObject *>(o);
    try {
        if (args != Py_None && !are_arguments(kernel, args)) return nullptr;
        if (args != Py_None)
            return outline(*Bound(kernel, py::reinterpret_borrow<py::tuple>(args)).plan).release().ptr();
        const Plan *plan = newest_plan(kernel);
        if (!plan || !plan->kernel || plan->generation != runtime.generation) Py_RETURN_NONE;
        return outline(*plan).release().ptr();
    } catch (py::error_already_set &error) {
        error.restore();
    } catch (...) {
        raise_current_exception();
    }
    return nullptr;
}

void define_steps(py::module_ &m) {
    py::class_<Steps>(m, "Steps")
        .def(py::init<py::object, py::tuple, uint64_t>())
        .def("begin", &Steps::begin)
        .def("find", &Steps::find)
        .def("advance", &Steps::advance)
        .def("undo", &Steps::undo)
        .def("state", &Steps::state)
        .def("launch", &Steps::launch)
        .def("graph", &Steps::graph)
        .def("flag_at", &Steps::flag_at);
}

} // namespace qd::bind
