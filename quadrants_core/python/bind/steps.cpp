#include "python/bind/steps.h"

#include "python/bind/errors.h"
#include "python/bind/fit.h"
#include "python/bind/interrupt.h"
#include "python/bind/observe.h"
#include "python/bind/plan.h"

#include "engine/stepping.h"

#include <algorithm>
#include <deque>

namespace py = pybind11;

namespace qd::bind {
namespace {

using engine::GraphRun;

/// A launch of a kernel, and what came before in memory so that it can go back.
class Steps {
  public:
    Steps(py::object kernel, py::tuple args, uint64_t most_kept)
        : kernel_(std::move(kernel)), args_(std::move(args)), most_kept_(most_kept) {
        if (!need_program()) throw py::error_already_set();
        find_plan();
        if (arrays_.staged) {
            raise(ErrorClass::runtime, "a launch in steps takes arrays of this package alone on this architecture");
            throw py::error_already_set();
        }
        ret_.resize(plan_->ret_bytes);
        begin(0);
    }

    /// A launch anew, on the same arrays; what was kept stays.
    void begin(int32_t resume_point) {
        check();
        GraphRun run;
        guarded([&] { runtime.program->begin_run(*plan_->kernel, slots_.data(), run); });
        run.words.resume_point = resume_point;
        if (run_.kernel) keep();
        run_ = std::move(run);
    }

    /// The number of the checkpoint with this label.
    int32_t find(const py::object &label) const {
        if (!plan_->graph) return -1;
        const int32_t found = plan_->graph->find(self()->info, label.ptr());
        if (found < 0) throw py::error_already_set();
        return found;
    }

    void advance(int until) {
        check();
        if (run_.is_over()) return;
        keep();
        const bool ok = unlocked(
            [&](engine::Program &program) { program.advance(run_, slots_.data(), ret_.data(), engine::Until(until)); });
        if (!ok) {
            run_.at = run_.steps.size();
            throw py::error_already_set();
        }
    }

    /// False if nothing is kept.
    bool back() {
        check();
        if (kept_.empty()) return false;
        Kept &last = kept_.back();
        size_t at = 0;
        each_written([&](const runtime::Buffer &buffer, uint64_t) {
            const std::vector<char> &bytes = last.arrays[at++];
            runtime.program->upload(buffer, 0, bytes.data(), bytes.size());
        });
        ret_ = last.ret;
        run_ = std::move(last.run);
        bytes_kept_ -= last.bytes();
        kept_.pop_back();
        return true;
    }

    py::dict state() const {
        constexpr const char *names[] = {"pending", "skipped", "running", "done", "yielded"};
        py::list turns, checkpoints, runs, microseconds;
        for (const uint64_t n : run_.turns) turns.append(n);
        for (const GraphRun::State s : run_.checkpoints) checkpoints.append(names[size_t(s)]);
        for (const uint64_t n : run_.runs) runs.append(n);
        for (const double t : run_.microseconds) microseconds.append(t);
        py::dict out;
        out["at"] = run_.at;
        out["over"] = run_.is_over();
        out["yielded"] = run_.words.yielded;
        out["turns"] = turns;
        out["checkpoints"] = checkpoints;
        out["runs"] = runs;
        out["microseconds"] = microseconds;
        out["kept"] = kept_.size();
        return out;
    }

    /// As `_graph()` of kernels.
    py::object graph() const { return py::reinterpret_steal<py::object>(describe_graph(*plan_)); }

    /// [(kind, index, depth, name, line)] of the steps
    py::list plan() const {
        constexpr const char *names[] = {"task", "level", "level_end", "checkpoint", "checkpoint_end"};
        py::list out;
        int depth = 0;
        for (const runtime::GraphStep &step : run_.steps) {
            using Kind = runtime::GraphStep::Kind;
            if (step.kind == Kind::level_end || step.kind == Kind::checkpoint_end) depth--;
            const bool is_task = step.kind == Kind::task;
            const abi::Task *task = is_task ? &run_.kernel->info.tasks[size_t(step.index)] : nullptr;
            out.append(py::make_tuple(names[size_t(step.kind)], step.index, depth, task ? task->name : "",
                                      task ? task->line : 0));
            if (step.kind == Kind::level_begin || step.kind == Kind::checkpoint_begin) depth++;
        }
        return out;
    }

    /// Sets the flag of a checkpoint to 0.
    void clear_flag(int32_t checkpoint) {
        const abi::Kernel &info = engine::kernel_info(*plan_->kernel);
        const uint32_t flag = info.graph.checkpoints[size_t(checkpoint)].flag;
        if (flag == abi::no_flag) return;
        const int32_t none = 0;
        runtime.program->upload(buffer_at(slots_[info.params[flag].slot]), 0, &none, sizeof none);
    }

    int32_t flag_at(uint32_t parameter) const {
        int32_t value = 0;
        const uint32_t slot = engine::kernel_info(*plan_->kernel).params[parameter].slot;
        runtime.program->download(&value, buffer_at(slots_[slot]), 0, sizeof value);
        return value;
    }

  private:
    struct Kept {
        GraphRun run;
        std::vector<std::vector<char>> arrays;
        std::vector<char> ret;
        uint64_t bytes() const {
            uint64_t sum = 0;
            for (const std::vector<char> &array : arrays) sum += array.size();
            return sum;
        }
    };

    KernelObject *self() const { return reinterpret_cast<KernelObject *>(kernel_.ptr()); }

    void check() const {
        if (plan_->generation == runtime.generation) return;
        raise(ErrorClass::runtime, "this launch is of a program that has ended");
        throw py::error_already_set();
    }

    void find_plan() {
        KernelObject *kernel = self();
        PyObject *const *given = &PyTuple_GET_ITEM(args_.ptr(), 0);
        const auto suits = [&](const Plan &plan) {
            slots_.assign(plan.slots + 1, 0);
            arrays_ = Arrays();
            if (!objects_.fetch(plan, kernel->params->size(), given)) return false;
            const Fit f = fit(plan, objects_.all(), slots_.data(), &arrays_);
            if (f == Fit::error) throw py::error_already_set();
            return f == Fit::yes;
        };
        for (const std::shared_ptr<Plan> &plan : *kernel->plans)
            if (plan->generation == runtime.generation && plan->kernel && suits(*plan)) {
                plan_ = plan;
                return;
            }
        Plan *made = specialise(kernel, given);
        if (!made) throw py::error_already_set();
        plan_ = made->shared_from_this();
        if (made->kernel && suits(*made)) return;
        raise(ErrorClass::runtime, "a launch in steps needs an architecture that compiles kernels");
        throw py::error_already_set();
    }

    /// Where a device sees this address, the host does or does not.
    static runtime::Buffer buffer_at(uint64_t address) {
        return {nullptr, address, runtime.program->host_visible() ? reinterpret_cast<char *>(address) : nullptr};
    }

    /// Whether a checkpoint has this array as its flag, which `clear_flag` writes.
    bool is_flag(const BoundParam &p) const {
        const abi::Kernel &info = engine::kernel_info(*plan_->kernel);
        return std::ranges::any_of(info.graph.checkpoints, [&](const abi::Checkpoint &checkpoint) {
            return checkpoint.flag != abi::no_flag && info.params[checkpoint.flag].slot == p.slot;
        });
    }

    /// Arrays that tasks may write, flags of checkpoints, and field trees.
    template <class Visit> void each_written(const Visit &visit) const {
        for (const BoundParam &p : plan_->params)
            if ((p.written || is_flag(p)) && frontend::passes(p.kind) == frontend::Passes::array)
                visit(buffer_at(slots_[p.slot]), array_bytes(p, slots_.data()));
        std::vector<uint32_t> seen; // a tree is there once for each of its places
        for (const std::shared_ptr<TreeMemory> &tree : plan_->trees) {
            if (std::ranges::find(seen, tree->slot) != seen.end()) continue;
            seen.push_back(tree->slot);
            visit(tree->memory, tree->bytes);
        }
    }

    /// Keeps what it was before what comes next, and drops the oldest that are too much.
    void keep() {
        Kept now{run_, {}, ret_};
        each_written([&](const runtime::Buffer &buffer, uint64_t bytes) {
            std::vector<char> &to = now.arrays.emplace_back(bytes);
            runtime.program->download(to.data(), buffer, 0, bytes);
        });
        bytes_kept_ += now.bytes();
        kept_.push_back(std::move(now));
        while (bytes_kept_ > most_kept_ && !kept_.empty()) {
            bytes_kept_ -= kept_.front().bytes();
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
        const InterruptScope scope;
        keep_watching();
        if (!no_interrupt_waits()) return false;
        std::shared_ptr<engine::Program> program = runtime.program;
        std::exception_ptr failure;
        if (runtime.active_launches++ == 0) set_output_may_lock(true);
        Py_BEGIN_ALLOW_THREADS;
        try {
            work(*program);
        } catch (...) {
            failure = std::current_exception();
        }
        program.reset();
        if (--runtime.active_launches == 0) set_output_may_lock(false);
        Py_END_ALLOW_THREADS;
        if (failure) {
            try {
                std::rethrow_exception(failure);
            } catch (...) {
                raise_current_exception();
            }
        }
        if (output_waiting()) flush_output();
        return settle_interrupt(!failure);
    }

    py::object kernel_;
    py::tuple args_;
    std::shared_ptr<Plan> plan_;
    Objects objects_;
    std::vector<uint64_t> slots_;
    Arrays arrays_;
    std::vector<char> ret_;
    GraphRun run_;
    std::deque<Kept> kept_;
    uint64_t bytes_kept_ = 0, most_kept_;
};

} // namespace

void define_steps(py::module_ &m) {
    py::class_<Steps>(m, "Steps")
        .def(py::init<py::object, py::tuple, uint64_t>())
        .def("begin", &Steps::begin)
        .def("find", &Steps::find)
        .def("advance", &Steps::advance)
        .def("back", &Steps::back)
        .def("state", &Steps::state)
        .def("plan", &Steps::plan)
        .def("graph", &Steps::graph)
        .def("clear_flag", &Steps::clear_flag)
        .def("flag_at", &Steps::flag_at);
}

} // namespace qd::bind
