#pragma once
// A launch that runs in steps under inspection: its position and its history so far.
#include "engine/compiled_kernel.h"
#include "engine/stopwatch.h"

namespace qd::engine {

struct GraphRun {
    enum class State : uint8_t { pending, skipped, running, done, yielded };

    std::shared_ptr<CompiledKernel> kernel; ///< the build that runs
    std::vector<runtime::GraphStep> steps;
    size_t at = 0; ///< the next step
    abi::GraphWords words;
    uint32_t *shown_passes = nullptr; ///< CompiledKernel::passes
    std::vector<uint64_t> passes;     ///< by level: passes begun since it was entered
    std::vector<State> checkpoints;   ///< by checkpoint
    std::vector<uint64_t> runs;       ///< by task
    std::vector<double> microseconds; ///< by task: its last run
    std::vector<char> tmp;            ///< values that cross tasks
    bool is_over() const { return at >= steps.size(); }
};

inline const char *name_of(GraphRun::State state) {
    constexpr const char *names[] = {"pending", "skipped", "running", "done", "yielded"};
    return names[size_t(state)];
}

/// The point that `Queues::advance` runs to: past one task; to the end of a pass of a level, or of a checkpoint, whether run or skipped; to the end
/// of the launch.
enum class Until : uint8_t { task, iteration, checkpoint, end };

/// Records in `run` what a walk does, and ends the walk where `until` says.
class StepWatch {
  public:
    StepWatch(GraphRun &run, Until until) : run_(run), until_(until) {}

    bool before(size_t at) {
        if (last_ != none && passed(at)) return false;
        last_ = at;
        const runtime::GraphStep &step = run_.steps[at];
        if (step.kind == runtime::GraphStep::Kind::level_begin) count(step.index, 1);
        return true;
    }
    void began(int32_t) {}
    void yielded(int32_t checkpoint) { run_.checkpoints[size_t(checkpoint)] = GraphRun::State::yielded; }
    void repeated(int32_t level) {
        count(level, run_.passes[size_t(level)] + 1);
        mark(run_.steps[last_].target, last_, GraphRun::State::pending);
    }
    /// Called when the walk has ended before step `at`.
    void ended(size_t at) {
        if (last_ != none && at >= run_.steps.size()) passed(at);
        run_.at = at;
    }

  private:
    static constexpr size_t none = SIZE_MAX;

    void count(int32_t level, uint64_t passes) {
        run_.passes[size_t(level)] = passes;
        __atomic_store_n(&run_.shown_passes[level], uint32_t(passes), __ATOMIC_RELAXED);
    }

    /// Called when the last step is done. Returns whether the walk should end.
    bool passed(size_t at) {
        using Kind = runtime::GraphStep::Kind;
        using State = GraphRun::State;
        const runtime::GraphStep &step = run_.steps[last_];
        switch (step.kind) {
        case Kind::task: return until_ == Until::task;
        case Kind::level_begin: {
            if (at == last_ + 1) return false;
            run_.passes[size_t(step.index)] = 0;
            return mark(last_, at, State::skipped) && until_ == Until::checkpoint;
        }
        case Kind::region: return false;
        case Kind::level_end: return until_ == Until::iteration;
        case Kind::checkpoint_begin: {
            const bool skipped = at != last_ + 1;
            run_.checkpoints[size_t(step.index)] = skipped ? State::skipped : State::running;
            return skipped && until_ == Until::checkpoint;
        }
        case Kind::checkpoint_end: {
            State &state = run_.checkpoints[size_t(step.index)];
            if (state != State::yielded || run_.words.yielded != step.index) state = State::done;
            return until_ == Until::checkpoint;
        }
        }
        return false;
    }

    /// Marks the checkpoints that begin in [begin, end). Returns whether there are any.
    bool mark(size_t begin, size_t end, GraphRun::State state) {
        bool any = false;
        for (size_t i = begin; i < end; i++) {
            const runtime::GraphStep &step = run_.steps[i];
            if (step.kind != runtime::GraphStep::Kind::checkpoint_begin) continue;
            run_.checkpoints[size_t(step.index)] = state;
            any = true;
        }
        return any;
    }

    GraphRun &run_;
    Until until_;
    size_t last_ = none;
};

/// Runs tasks one after another and times them. `Runner` is as for a walk, plus `finish`, which waits.
template <class Runner> struct Timed {
    Runner &runner;
    GraphRun &run;

    void task(int32_t index) {
        const TaskWatch watch;
        runner.task(index);
        runner.finish();
        run.microseconds[size_t(index)] = watch.microseconds();
        run.runs[size_t(index)]++;
    }
    int32_t flag(uint32_t slot) { return runner.flag(slot); }
    bool region(int32_t) { return false; }
};

} // namespace qd::engine
