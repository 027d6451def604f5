// The hot path. Between the call and the first task: one uncontended atomic operation, filling in the launch, no allocation.
#include "engine/completion.h"
#include "engine/fault.h"
#include "engine/overlap.h"
#include "engine/program_impl.h"
#include "engine/stopped.h"
#include "engine/remote_launch.h"
#include "engine/stepping.h"
#include "engine/stopwatch.h"
#include "ir/serial.h"
#include "runtime/externals.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

namespace qd::engine {

namespace {

/// True if two arrays share bytes and at least one of them is written; written arrays come first.
bool overlap(const CompiledKernel &kernel, const uint64_t *args) {
    Bytes written[max_checked_arrays];
    const ArrayArg *array = kernel.arrays.data();
    const ArrayArg *end = array + kernel.arrays.size();
    Bytes *const last = written + kernel.written_arrays;
    for (Bytes *now = written; now != last; now++) {
        *now = bytes_of(*array++, args);
        for (const Bytes *other = written; other != now; other++)
            if (now->begin < other->end && other->begin < now->end) return true;
    }
    for (; array != end; array++) {
        const Bytes now = bytes_of(*array, args);
        for (const Bytes *other = written; other != last; other++)
            if (now.begin < other->end && other->begin < now.end) return true;
    }
    return false;
}

CompiledKernel &overlapping_variant(Program::Impl &p, CompiledKernel &kernel) {
    if (!kernel.overlapping) {
        Reader bytes(kernel.source);
        ir::Function source = ir::read(bytes);
        source.distinct_arrays = false;
        kernel.overlapping = compile(p, std::move(source), 0);
        entitle(*kernel.overlapping, kernel.title, !kernel.counters.empty() && kernel.counters[0].backward);
        if (kernel.completion) ask(*kernel.overlapping, kernel.completion->asked());
        set_stack_budget(*kernel.overlapping, kernel.stack_budget);
    }
    return *kernel.overlapping;
}

[[noreturn]] void fail_inert(const CompiledKernel &kernel) {
    fail_user(UserErrorKind::runtime,
              "kernel " + kernel.info.name + " was compiled before qd.init() or qd.reset() was called", {},
              "call the kernel through its Python function: it is compiled again");
}

void grow_tmp(Program::Impl &p, uint64_t bytes) {
    p.device->free(p.main.tmp);
    p.main.tmp = {};
    p.main.tmp_bytes = 0;
    p.main.tmp = p.device->alloc(bytes);
    p.main.tmp_bytes = bytes;
    p.update_launch_start();
}

/// Reports a fault of the task that `launch` names.
[[noreturn, gnu::noinline]] void fail_fault(Program::Impl &p, const CompiledKernel &called,
                                            const CompiledKernel &kernel, const abi::Launch &launch,
                                            const runtime::Fault &met) {
    p.main.queue->wait();
    runtime::end_if_heap_is_corrupted();
    __atomic_store_n(&p.main.failed, 0, __ATOMIC_RELEASE);
    p.main.failure = {};
    if (p.sparse) p.collect_cells();
    const auto &task = *static_cast<const KernelTask *>(met.task ? met.task : launch.host.task);
    KernelFault fault = describe_fault(called.info.name, met);
    fault.task = size_t(&task - kernel.tasks.data());
    fault.line = task.info->line;
    const std::span<const uint8_t> code = task.code->code_at(met.at);
    fault.code.assign(code.begin(), code.end());
    if (!code.empty()) fault.offset = met.at - reinterpret_cast<uintptr_t>(code.data());
    throw fault;
}

void announce_launch(Program::Impl &p, const CompiledKernel &kernel) {
    const std::lock_guard guard(p.watch_lock);
    for (Observer *observer : p.observers)
        if (observer->wants_launches()) observer->launched(kernel.info.name);
}

template <class Run>
[[gnu::always_inline]] inline void run_one(Program::Impl &p, KernelTask &task, abi::Launch &launch, const Run &run) {
    launch.data.counters = task.counters;
    __atomic_store_n(&launch.host.task, &task, __ATOMIC_RELAXED);
    run(task);
    if (stop_word | __atomic_load_n(&p.main.failed, __ATOMIC_RELAXED)) [[unlikely]]
        fail_launch(p);
    if (p.sparse && p.sparse->has_garbage()) p.collect_cells();
}

/// Returns false if the device runs one task at a time.
bool run_sections(Program::Impl &p, CompiledKernel &kernel, runtime::Region &region, abi::Launch &launch) {
    std::vector<runtime::SectionTask> tasks;
    tasks.reserve(region.end - region.first);
    __atomic_store_n(&launch.host.task, &kernel.tasks[region.first], __ATOMIC_RELAXED); // for observers
    for (size_t i = region.first; i < region.end; i++) {
        const KernelTask &task = kernel.tasks[i];
        tasks.push_back({task.code->current.load(std::memory_order_acquire), task.info, task.counters, &task});
    }
    const std::optional<double> saved = p.main.queue->launch_sections(tasks, launch);
    if (!saved) return false;
    region.saved(*saved);
    if (stop_word | __atomic_load_n(&p.main.failed, __ATOMIC_RELAXED)) fail_launch(p);
    return true;
}

/// True if the kernel uses no sparse tree. Memory of cells that its tasks remove from those is freed between tasks.
bool leaves_cells_alone(const Program::Impl &p, const CompiledKernel &kernel) {
    return !p.sparse || std::ranges::none_of(kernel.trees, [&](uint32_t slot) { return p.sparse->holds(slot); });
}

/// Runs the tasks of a kernel with flags or regions, if the host sees the flags.
template <class Run> struct FlaggedTasks {
    Program::Impl &p;
    CompiledKernel &kernel;
    abi::Launch &launch;
    const Run &run;
    bool side_by_side = false; ///< whether sections may run concurrently

    void task(int32_t index) { run_one(p, kernel.tasks[size_t(index)], launch, run); }
    void finish() { p.main.queue->wait(); }
    int32_t flag(uint32_t slot) {
        finish();
        return *reinterpret_cast<const volatile int32_t *>(launch.data.args[slot]);
    }
    bool region(int32_t index) {
        if (!side_by_side) return false;
        runtime::Region &region = kernel.regions[size_t(index)];
        if (region.pays() && run_sections(p, kernel, region, launch)) return true;
        if (!region.wants_time()) return false;
        const Stopwatch watch;
        for (size_t i = region.first; i < region.end; i++) task(int32_t(i));
        finish();
        region.took(watch.microseconds());
        return true;
    }
};

/// Counts the passes of each level, for observers.
struct CountedTurns : runtime::Unwatched {
    uint32_t *turns;
    explicit CountedTurns(uint32_t *all) : turns(all) {}
    void began(int32_t level) { __atomic_store_n(&turns[level], 1u, __ATOMIC_RELAXED); }
    void turned(int32_t level) { __atomic_store_n(&turns[level], turns[level] + 1, __ATOMIC_RELAXED); }
};

/// Follows the flags and regions of a kernel.
template <class Run> void run_steps(Program::Impl &p, CompiledKernel &kernel, abi::Launch &launch, const Run &run) {
    abi::GraphWords &words = p.main.words;
    const bool side_by_side = !kernel.regions.empty() && !p.times_tasks() && leaves_cells_alone(p, kernel);
    runtime::walk_graph(kernel.steps, 0, words, FlaggedTasks<Run>{p, kernel, launch, run, side_by_side},
                        CountedTurns{kernel.turns.data()});
    p.main.queue->wait();
}

/// `follow_flags`: the kernel may have flags or regions.
template <bool follow_flags, class Run>
inline void run_tasks(Program::Impl &p, CompiledKernel &kernel, abi::Launch &launch, const Run &run) {
    if constexpr (follow_flags)
        if (!kernel.steps.empty()) return run_steps(p, kernel, launch, run);
    for (KernelTask &task : kernel.tasks) run_one(p, task, launch, run);
    p.main.queue->wait();
}

inline void run_task(Program::Impl &p, const KernelTask &task, abi::Launch &launch) {
    p.main.queue->launch(*task.code->current.load(std::memory_order_acquire), *task.info, launch);
}

/// While a task with an adstack runs, exposes its heap use so far to observers.
class Keeping {
  public:
    Keeping(Program::Impl &p, const KernelTask &task) : p_(p), keeps_(!task.info->stacks.empty()) { show(&task); }
    ~Keeping() { show(nullptr); }
    Keeping(const Keeping &) = delete;

  private:
    void show(const KernelTask *task) {
        if (!keeps_) return;
        const std::lock_guard guard(p_.watch_lock);
        p_.keeping = task;
    }

    Program::Impl &p_;
    const bool keeps_;
};

/// Runs a task and records the data for the profile, the timeline and observers of adstacks.
void run_noted(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel, const KernelTask &task,
               abi::Launch &launch) {
    if (!p.times_tasks() && !kernel.has_adstack) return run_task(p, task, launch);
    const Keeping keeping(p, task);
    const TaskWatch watch;
    run_task(p, task, launch);
    p.main.queue->wait();
    p.note_time(called.info.name, task.info->name, watch.microseconds());
    note_heap_use(p, kernel, task);
}

/// A launch of which no task has run yet; without its kernel and the values that cross tasks.
GraphRun graph_run(CompiledKernel &kernel) {
    const abi::Kernel &info = kernel.info;
    GraphRun run;
    run.shown_turns = kernel.turns.data();
    run.steps = runtime::graph_steps(info);
    run.turns.resize(info.graph.levels.size());
    run.checkpoints.resize(info.graph.checkpoints.size());
    run.runs.resize(info.tasks.size());
    run.microseconds.resize(info.tasks.size());
    return run;
}

/// Records in the profile the path that the launch of a graph takes.
class ProfiledWatch {
  public:
    ProfiledWatch(Profile &profile, const CompiledKernel &called, GraphRun &run)
        : profile_(profile), called_(called), run_(run), watch_(run, Until::end) {
        profile_.begin_graph(called.info.name, run);
    }
    ~ProfiledWatch() { profile_.note_graph(called_.info.name, run_, false); }
    ProfiledWatch(const ProfiledWatch &) = delete;

    bool before(size_t at) { return watch_.before(at); }
    void began(int32_t level) { watch_.began(level); }
    void yielded(int32_t checkpoint) { watch_.yielded(checkpoint); }
    void turned(int32_t level) {
        watch_.turned(level);
        profile_.note_graph(called_.info.name, run_, true);
    }
    void ended(size_t at) { watch_.ended(at); }

  private:
    Profile &profile_;
    const CompiledKernel &called_;
    GraphRun &run_;
    StepWatch watch_;
};

template <class Run>
void run_profiled_steps(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel, abi::Launch &launch,
                        const Run &run) {
    GraphRun walk = graph_run(kernel);
    walk.words = p.main.words;
    ProfiledWatch watch(p.profile, called, walk);
    watch.ended(runtime::walk_graph(walk.steps, 0, walk.words, FlaggedTasks<Run>{p, kernel, launch, run}, watch));
    p.main.queue->wait();
    p.main.words = walk.words;
}

/// Runs a launch that is observed, or one of a kernel with adstacks; `called` is the kernel as the user knows it.
[[gnu::noinline]] void run_watched(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel,
                                   abi::Launch &launch) {
    if (p.watched.load(std::memory_order_relaxed)) announce_launch(p, called);
    if (kernel.has_adstack) p.main.queue->take_heap_use();
    const auto run = [&](const KernelTask &task) { run_noted(p, called, kernel, task, launch); };
    if (p.times_tasks() && !kernel.steps.empty()) return run_profiled_steps(p, called, kernel, launch, run);
    run_tasks<true>(p, kernel, launch, run);
}

inline void make_room(Program::Impl &p, const CompiledKernel &kernel) {
    if (kernel.info.tmp_bytes > p.main.tmp_bytes) [[unlikely]]
        grow_tmp(p, kernel.info.tmp_bytes);
}

/// Runs on a device whose memory the host does not see.
[[gnu::noinline]] void run_on_remote_device(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel,
                                            const uint64_t *args, void *ret) {
    if (p.watched.load(std::memory_order_relaxed)) announce_launch(p, called);
    p.main.last_tasks = int(kernel.tasks.size());
    launch_remote(p, called, kernel, args, ret);
}

/// `called` is the kernel as the user knows it; `special`: it may have flags, regions or adstacks.
template <bool special>
[[gnu::always_inline]] inline void run(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel,
                                       uint64_t *args, void *ret) {
    if (!p.host_visible) [[unlikely]]
        return run_on_remote_device(p, called, kernel, args, ret);
    make_room(p, kernel);
    abi::Launch &launch = p.main.now; // its task is set for each task
    launch.data.args = args;
    launch.data.ret = static_cast<char *>(ret);
    try {
        if ((special && kernel.has_adstack) || p.watched.load(std::memory_order_relaxed)) [[unlikely]]
            run_watched(p, called, kernel, launch);
        else
            run_tasks<special>(p, kernel, launch, [&](const KernelTask &task) { run_task(p, task, launch); });
    } catch (const runtime::Fault &met) {
        fail_fault(p, called, kernel, launch, met);
    }
    p.main.last_tasks = int(kernel.tasks.size());
}

/// Runs a kernel that counts until everything has been covered.
[[gnu::noinline]] void run_until_complete(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel,
                                          uint64_t *args, void *ret) {
    Completion &completion = *kernel.completion;
    if (CompiledKernel *clean = completion.clean(p.cleared.load(std::memory_order_acquire)))
        return run<true>(p, called, *clean, args, ret);
    if (p.host_visible) make_room(p, kernel); // a launch that fails for lack of memory counts nothing
    completion.begin();
    run<true>(p, called, kernel, args, ret);
    if (!p.host_visible) finish_launches(p); // the counts are read next
    completion.end(p, kernel);
}

/// Reports suppressed messages at the end of a launch, also of one that fails.
struct RemarkReport {
    Program::Impl &p;
    explicit RemarkReport(Program::Impl &program) : p(program) {}
    ~RemarkReport() {
        if (!p.main.has_limited_messages.times.empty()) report_suppressed_messages(p);
    }
};

/// Runs a kernel that counts, reports diagnostics, has adstacks or regions, or follows flags.
[[gnu::noinline]] void run_special(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel,
                                   uint64_t *args, void *ret) {
    const RemarkReport report(p);
    if (kernel.completion)
        run_until_complete(p, called, kernel, args, ret);
    else
        run<true>(p, called, kernel, args, ret);
}

/// The build that may run on these arrays. `foreign`: some of them may overlap field trees.
template <bool foreign>
[[gnu::always_inline]] inline CompiledKernel &variant_for(Program::Impl &p, CompiledKernel &called,
                                                          const uint64_t *args) {
    const bool in_trees = foreign && called.arrays_beside_trees != 0 && overlaps_trees(p, called, args);
    const bool overlaps = in_trees || (!called.arrays.empty() && overlap(called, args));
    return overlaps ? overlapping_variant(p, called) : called;
}

/// Checks that each flag has one element.
void check_flags(const CompiledKernel &kernel, const uint64_t *args) {
    for (const runtime::FlagExtents &flag : kernel.flag_extents) {
        uint64_t elements = 1;
        for (uint32_t axis = 0; axis < flag.ndim; axis++) elements *= args[abi::extent_slot(flag.slot, axis)];
        if (elements != 1)
            fail_user(UserErrorKind::runtime,
                      "kernel " + kernel.info.name + ": an array used as the flag of a graph has " +
                          (elements == 0 ? "no" : std::to_string(elements)) + " elements; a flag must have one");
    }
}

/// Runs a kernel with flags. `words` is null unless its checkpoints may yield.
[[gnu::noinline]] void launch_graph(Program::Impl &p, CompiledKernel &called, uint64_t *args, void *ret,
                                    abi::GraphWords *words) {
    check_flags(called, args);
    p.main.words = words ? *words : abi::GraphWords();
    run_special(p, called, variant_for<true>(p, called, args), args, ret);
    if (!words) return;
    *words = p.main.words;
    p.main.last_yielded = words->yielded;
}

void advance_here(Program::Impl &p, GraphRun &run, uint64_t *args, void *ret, Until until) {
    CompiledKernel &kernel = *run.kernel;
    make_room(p, kernel);
    if (!run.tmp.empty()) std::memcpy(p.main.tmp.host, run.tmp.data(), run.tmp.size());
    abi::Launch &launch = p.main.now;
    launch.data.args = args;
    launch.data.ret = static_cast<char *>(ret);
    const auto one = [&](const KernelTask &task) { run_noted(p, kernel, kernel, task, launch); };
    FlaggedTasks<decltype(one)> tasks{p, kernel, launch, one};
    StepWatch watch(run, until);
    const RemarkReport report(p);
    try {
        watch.ended(runtime::walk_graph(run.steps, run.at, run.words, Timed<decltype(tasks)>{tasks, run}, watch));
    } catch (const runtime::Fault &met) {
        fail_fault(p, kernel, kernel, launch, met);
    }
    if (!run.tmp.empty()) std::memcpy(run.tmp.data(), p.main.tmp.host, run.tmp.size());
    p.main.last_tasks = int(kernel.tasks.size());
}

template <bool foreign>
[[gnu::always_inline]] inline void launch(Program::Impl &p, CompiledKernel &called, uint64_t *args, void *ret,
                                          abi::GraphWords *words = nullptr) {
    if (called.program_id != p.id) [[unlikely]]
        fail_inert(called);
    const std::lock_guard guard(p.main.launching);
    CompiledKernel *kernel = &called;
    if (called.has_variants) {
        if (called.follows_flags) [[unlikely]]
            return launch_graph(p, called, args, ret, words);
        kernel = &variant_for<foreign>(p, called, args);
        if (kernel->is_special) [[unlikely]]
            return run_special(p, called, *kernel, args, ret);
    }
    run<false>(p, called, *kernel, args, ret);
}

} // namespace

void note_heap_use(Program::Impl &p, CompiledKernel &kernel, const KernelTask &task) {
    if (task.info->stacks.empty()) return;
    const size_t number = size_t(&task - kernel.tasks.data());
    {
        const std::lock_guard guard(p.watch_lock);
        kernel.heap_use[number] = p.main.queue->take_heap_use();
        p.keeping = nullptr;
    }
    if (p.options.debug_adstack) print_heap_use(kernel, number);
    const uint64_t peak = kernel.heap_use[number].peak;
    if (!kernel.stack_budget || peak <= std::max(kernel.stack_budget, 2 * kernel.reported_peak)) return;
    kernel.reported_peak = peak;
    const std::lock_guard guard(p.watch_lock);
    for (Observer *observer : p.observers) observer->stack_budget_exceeded();
}

void fail_launch(Program::Impl &p) {
    p.main.queue->wait();
    const bool failed = __atomic_exchange_n(&p.main.failed, 0, __ATOMIC_ACQUIRE);
    if (p.sparse) p.collect_cells();
    if (!failed) {
        Activity at;
        const std::lock_guard guard(p.watch_lock);
        describe_launch(p, at);
        throw StoppedLaunch(std::move(at));
    }
    if (p.sparse) p.sparse->rethrow();
    Failure failure = std::exchange(p.main.failure, {});
    fail_user(failure.kind, std::move(failure.text), std::move(failure.trace));
}

void Program::launch(CompiledKernel &kernel, uint64_t *args, void *ret) {
    engine::launch<true>(*impl_, kernel, args, ret);
}

void Program::launch_on_own_arrays(CompiledKernel &kernel, uint64_t *args, void *ret) {
    engine::launch<false>(*impl_, kernel, args, ret);
}

void Program::launch_from(CompiledKernel &kernel, uint64_t *args, void *ret, abi::GraphWords &words) {
    engine::launch<true>(*impl_, kernel, args, ret, &words);
}

void Program::begin_run(CompiledKernel &kernel, const uint64_t *args, GraphRun &run) {
    Impl &p = *impl_;
    if (kernel.program_id != p.id) fail_inert(kernel);
    const std::lock_guard guard(p.main.launching);
    check_flags(kernel, args);
    for (const uint32_t slot : kernel.trees)
        if (p.sparse && p.sparse->holds(slot))
            fail_user(UserErrorKind::runtime, "kernel " + kernel.info.name +
                                                  " uses sparse fields, whose changes a stepwise launch cannot undo");
    run.kernel = variant_for<true>(p, kernel, args).shared_from_this();
    std::shared_ptr<CompiledKernel> runs = std::move(run.kernel);
    run = graph_run(*runs);
    run.kernel = std::move(runs);
    run.tmp.resize(run.kernel->info.tmp_bytes);
    if (p.times_tasks()) p.profile.begin_graph(kernel.info.name, run);
}

void Program::advance(GraphRun &run, uint64_t *args, void *ret, Until until) {
    Impl &p = *impl_;
    if (run.kernel->program_id != p.id) fail_inert(*run.kernel);
    const std::lock_guard guard(p.main.launching);
    if (p.host_visible)
        advance_here(p, run, args, ret, until);
    else
        advance_remote(p, run, args, ret, until);
    if (run.is_over()) p.main.last_yielded = run.words.yielded;
    if (p.times_tasks()) p.profile.note_graph(run.kernel->info.name, run, !run.is_over());
}

} // namespace qd::engine
