// The hot path. Before the first task, a launch takes one uncontended lock and fills in the head of its record; it allocates nothing.
#include "engine/completion.h"
#include "engine/fault.h"
#include "engine/overlap.h"
#include "engine/compiler.h"
#include "engine/program.h"
#include "engine/queues.h"
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

CompiledKernel &overlapping_variant(CompiledKernel &kernel) {
    if (!kernel.overlapping) {
        Reader bytes(kernel.source);
        ir::Function source = ir::read(bytes);
        source.distinct_arrays = false;
        kernel.overlapping = kernel.lifetime->program->compiler().compile(std::move(source), 0);
        set_title(*kernel.overlapping, kernel.title, !kernel.counters.empty() && kernel.counters[0].backward);
        if (kernel.completion) ask_for_coverage(*kernel.overlapping, kernel.completion->kind());
        set_stack_budget(*kernel.overlapping, kernel.stack_budget);
    }
    return *kernel.overlapping;
}

[[noreturn]] void fail_compiled_before_reset(const CompiledKernel &kernel) {
    fail_user(UserErrorKind::runtime,
              "kernel " + kernel.info.name + " was compiled before qd.init() or qd.reset() was called", {},
              "call the kernel through its Python function: it is compiled again");
}

/// Throws a fault as a KernelFault. The task is that of the fault, or else the one in `launch`.
[[noreturn, gnu::noinline]] void fail_fault(Queues &q, const CompiledKernel &called, const CompiledKernel &kernel,
                                            const abi::Launch &launch, const runtime::Fault &met) {
    q.main.queue->wait();
    __atomic_store_n(&q.main.polled->failed, 0, __ATOMIC_RELEASE);
    q.main.failure = {};
    if (q.sparse) q.collect_cells();
    const auto &task = *static_cast<const KernelTask *>(met.task ? met.task : launch.task);
    KernelFault fault = describe_fault(called.info.name, met);
    fault.task = size_t(&task - kernel.tasks.data());
    fault.line = task.info->line;
    const std::span<const uint8_t> code = task.code->code_at(met.at);
    fault.code.assign(code.begin(), code.end());
    if (!code.empty()) fault.offset = met.at - reinterpret_cast<uintptr_t>(code.data());
    throw fault;
}

/// Before a task.
inline void begin_task(Queues &q, const KernelTask &task, abi::Launch &launch) {
    launch.counters = task.counters;
    launch.task = &task;
    __atomic_store_n(&q.main.task, &task, __ATOMIC_RELAXED);
}

/// After a task.
inline void end_task(Queues &q) {
    if (stop_word | __atomic_load_n(&q.main.polled->failed, __ATOMIC_RELAXED)) [[unlikely]]
        fail_launch(q);
    if (q.sparse && q.sparse->has_garbage()) q.collect_cells();
}

/// Returns false if the device runs one task at a time.
bool run_sections(Queues &q, CompiledKernel &kernel, runtime::Region &region, abi::Launch &launch) {
    std::vector<runtime::SectionTask> tasks;
    tasks.reserve(region.end - region.first);
    __atomic_store_n(&q.main.task, &kernel.tasks[region.first], __ATOMIC_RELAXED); // for observers
    for (size_t i = region.first; i < region.end; i++) {
        const KernelTask &task = kernel.tasks[i];
        tasks.push_back({task.code->current.load(std::memory_order_acquire), task.info, task.counters, &task});
    }
    const std::optional<double> saved = q.main.queue->launch_sections(tasks, launch);
    if (!saved) return false;
    region.saved(*saved);
    if (stop_word | __atomic_load_n(&q.main.polled->failed, __ATOMIC_RELAXED)) fail_launch(q);
    return true;
}

/// True if the kernel uses no sparse tree. Otherwise its tasks cannot run concurrently, because the memory of removed cells is freed
/// between tasks.
bool leaves_cells_alone(const Queues &q, const CompiledKernel &kernel) {
    return !q.sparse || std::ranges::none_of(kernel.trees, [&](uint32_t slot) { return q.sparse->holds(slot); });
}

void run_noted(Queues &q, const CompiledKernel &called, CompiledKernel &kernel, const KernelTask &task,
               abi::Launch &launch);

/// Runs the tasks of a kernel with flags or regions on a device whose memory the host can read.
struct HostTasks {
    Queues &q;
    const CompiledKernel &called;
    CompiledKernel &kernel;
    abi::Launch &launch;
    bool side_by_side = false; ///< whether sections may run concurrently

    void task(int32_t index) {
        const KernelTask &task = kernel.tasks[size_t(index)];
        begin_task(q, task, launch);
        run_noted(q, called, kernel, task, launch);
        end_task(q);
    }
    void finish() { q.main.queue->wait(); }
    int32_t flag(uint32_t slot) {
        finish();
        return *reinterpret_cast<const volatile int32_t *>(launch.args()[slot]);
    }
    bool region(int32_t index) {
        if (!side_by_side) return false;
        runtime::Region &region = kernel.regions[size_t(index)];
        if (region.pays() && run_sections(q, kernel, region, launch)) return true;
        if (!region.wants_time()) return false;
        const Stopwatch watch;
        for (size_t i = region.first; i < region.end; i++) task(int32_t(i));
        finish();
        region.took(watch.microseconds());
        return true;
    }
};

/// Counts the passes of each level, for observers.
struct CountedPasses : runtime::Unwatched {
    uint32_t *passes;
    explicit CountedPasses(uint32_t *all) : passes(all) {}
    void began(int32_t level) { __atomic_store_n(&passes[level], 1u, __ATOMIC_RELAXED); }
    void repeated(int32_t level) { __atomic_store_n(&passes[level], passes[level] + 1, __ATOMIC_RELAXED); }
};

inline void run_task(Queues &q, const KernelTask &task, abi::Launch &launch) {
    q.main.queue->launch(*task.code->current.load(std::memory_order_acquire), *task.info, launch);
}

/// Lets observers read the heap use of a task with an adstack while it runs.
class AdstackWatch {
  public:
    explicit AdstackWatch(const KernelTask &task) : task_(task.info->stacks.empty() ? nullptr : &task) { show(task_); }
    ~AdstackWatch() { show(nullptr); }
    AdstackWatch(const AdstackWatch &) = delete;

  private:
    void show(const KernelTask *task) {
        if (task_) task_->program->observation().show_adstack(task);
    }

    const KernelTask *const task_; ///< null: it has no adstack
};

/// Runs a task and records the data for the profile, the timeline and observers of adstacks.
void run_noted(Queues &q, const CompiledKernel &called, CompiledKernel &kernel, const KernelTask &task,
               abi::Launch &launch) {
    if (!q.observers.time_tasks() && !kernel.has_adstack) return run_task(q, task, launch);
    const AdstackWatch adstack_watch(task);
    const TaskWatch watch;
    run_task(q, task, launch);
    q.main.queue->wait();
    q.observers.note_time(called.info.name, task.info->name, watch.microseconds());
    note_heap_use(q, kernel, task);
}

/// Returns the state of a launch before its first task, without `kernel` and `tmp`.
GraphRun graph_run(CompiledKernel &kernel) {
    const abi::Kernel &info = kernel.info;
    GraphRun run;
    run.shown_passes = kernel.passes.data();
    run.steps = runtime::graph_steps(info);
    run.passes.resize(info.graph.levels.size());
    run.checkpoints.resize(info.graph.checkpoints.size());
    run.runs.resize(info.tasks.size());
    run.microseconds.resize(info.tasks.size());
    return run;
}

/// Records in the profile which steps the launch of a graph executes.
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
    void repeated(int32_t level) {
        watch_.repeated(level);
        profile_.note_graph(called_.info.name, run_, true);
    }
    void ended(size_t at) { watch_.ended(at); }

  private:
    Profile &profile_;
    const CompiledKernel &called_;
    GraphRun &run_;
    StepWatch watch_;
};

void walk_profiled(Queues &q, HostTasks tasks) {
    GraphRun run = graph_run(tasks.kernel);
    run.words = q.main.words;
    ProfiledWatch watch(q.observers.profile(), tasks.called, run);
    watch.ended(runtime::walk_graph(run.steps, 0, run.words, tasks, watch));
    q.main.words = run.words;
}

/// Runs the tasks of any kernel, in order or by its flags and regions, and notifies observers. `called` is the kernel that the user called,
/// `kernel` the variant of it that runs.
[[gnu::noinline]] void walk_tasks(Queues &q, const CompiledKernel &called, CompiledKernel &kernel,
                                  abi::Launch &launch) {
    if (q.observers.watch_launches()) q.observers.announce_launch(called.info.name);
    if (kernel.has_adstack) q.main.queue->take_heap_use();
    HostTasks tasks{q, called, kernel, launch};
    if (kernel.steps.empty()) {
        for (size_t i = 0; i < kernel.tasks.size(); i++) tasks.task(int32_t(i));
    } else if (q.observers.time_tasks()) {
        walk_profiled(q, tasks);
    } else {
        tasks.side_by_side = !kernel.regions.empty() && leaves_cells_alone(q, kernel);
        runtime::walk_graph(kernel.steps, 0, q.main.words, tasks, CountedPasses{kernel.passes.data()});
    }
}

inline void make_room(Queues &q, const CompiledKernel &kernel) {
    if (kernel.info.tmp_bytes > q.main.tmp_bytes) [[unlikely]]
        q.grow_tmp(kernel.info.tmp_bytes);
}

/// Calls `work`, which runs the tasks of `launch`, and waits for them.
template <class Work>
[[gnu::always_inline]] inline void run_on_host(Queues &q, const CompiledKernel &called, CompiledKernel &kernel,
                                               abi::Launch &launch, void *ret, const Work &work) {
    make_room(q, kernel);
    launch.stream = q.main.shared;
    launch.ret = static_cast<char *>(ret);
    try {
        work();
        q.main.queue->wait();
    } catch (const runtime::Fault &met) {
        fail_fault(q, called, kernel, launch, met);
    }
    q.main.last_tasks = int(kernel.tasks.size());
}

// The functions that CompiledKernel::run points to.

[[gnu::always_inline]] inline void run_in_order(Queues &q, const CompiledKernel &called, CompiledKernel &kernel,
                                                abi::Launch &launch, void *ret) {
    run_on_host(q, called, kernel, launch, ret, [&] {
        if (q.observers.watch_launches()) [[unlikely]]
            return walk_tasks(q, called, kernel, launch);
        for (const KernelTask &task : kernel.tasks) {
            begin_task(q, task, launch);
            run_task(q, task, launch);
            end_task(q);
        }
    });
}

/// Runs a kernel with flags, regions or adstacks.
void run_walk(Queues &q, const CompiledKernel &called, CompiledKernel &kernel, abi::Launch &launch, void *ret) {
    run_on_host(q, called, kernel, launch, ret, [&] { walk_tasks(q, called, kernel, launch); });
}

/// Runs a launch on a device whose memory the host cannot access.
void run_on_remote_device(Queues &q, const CompiledKernel &called, CompiledKernel &kernel, abi::Launch &launch,
                          void *ret) {
    if (q.observers.watch_launches()) q.observers.announce_launch(called.info.name);
    q.main.last_tasks = int(kernel.tasks.size());
    make_room(q, kernel);
    launch_remote(q, called, kernel, launch, ret);
}

/// Runs a kernel with counters, or its clean build once everything has been covered.
void run_until_complete(Queues &q, const CompiledKernel &called, CompiledKernel &kernel, abi::Launch &launch,
                        void *ret) {
    Completion &completion = *kernel.completion;
    if (CompiledKernel *clean = completion.clean(kernel.lifetime->program->observation().cleared()))
        return clean->run(q, called, *clean, launch, ret);
    make_room(q, kernel); // a launch that fails for lack of memory counts nothing
    completion.begin();
    kernel.run(q, called, kernel, launch, ret);
    if (!q.host_visible) finish_launches(q); // the counts are read next
    completion.end(kernel);
}

/// Reports suppressed messages at the end of a launch, also of one that fails.
struct LimitedMessageReport {
    Queues &queues;
    explicit LimitedMessageReport(Queues &of) : queues(of) {}
    ~LimitedMessageReport() {
        if (!queues.main.limited_messages.times.empty()) report_suppressed_messages(queues);
    }
};

/// Runs any build of a kernel.
[[gnu::noinline]] void run_build(Queues &q, const CompiledKernel &called, CompiledKernel &build, abi::Launch &launch,
                                 void *ret) {
    const LimitedMessageReport report(q);
    if (build.completion)
        run_until_complete(q, called, build, launch, ret);
    else
        build.run(q, called, build, launch, ret);
}

/// Returns the variant of the kernel for these arrays: `called`, or one that allows arrays to overlap. `own_arrays`: none of them overlaps a
/// field tree.
[[gnu::always_inline]] inline CompiledKernel &variant_for(CompiledKernel &called, const uint64_t *args,
                                                          bool own_arrays) {
    if (called.arrays.empty()) return called;
    const bool in_trees = called.arrays_beside_trees != 0 && !own_arrays && overlaps_trees(called, args);
    return in_trees || overlap(called, args) ? overlapping_variant(called) : called;
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

inline std::lock_guard<LaunchLock> begin_launch(Queues &q, const CompiledKernel &called) {
    if (called.program_id != q.program_id) [[unlikely]]
        fail_compiled_before_reset(called);
    return std::lock_guard(q.main.launching);
}

// The functions that CompiledKernel::launch points to.

/// Launches a kernel whose tasks run in order on the host. Most kernels are launched by this function.
void launch_in_order(Queues &q, CompiledKernel &called, abi::Launch &launch, void *ret, bool own_arrays,
                     abi::GraphWords *) {
    const std::lock_guard guard = begin_launch(q, called);
    CompiledKernel &build = variant_for(called, launch.args(), own_arrays);
    if (&build != &called) [[unlikely]]
        return run_build(q, called, build, launch, ret);
    run_in_order(q, called, called, launch, ret);
}

/// Launches any kernel without flags.
void launch_build(Queues &q, CompiledKernel &called, abi::Launch &launch, void *ret, bool own_arrays,
                  abi::GraphWords *) {
    const std::lock_guard guard = begin_launch(q, called);
    run_build(q, called, variant_for(called, launch.args(), own_arrays), launch, ret);
}

/// Launches a kernel with flags. `words` is null unless its checkpoints may yield.
void launch_graph(Queues &q, CompiledKernel &called, abi::Launch &launch, void *ret, bool own_arrays,
                  abi::GraphWords *words) {
    const std::lock_guard guard = begin_launch(q, called);
    check_flags(called, launch.args());
    q.main.words = words ? *words : abi::GraphWords();
    run_build(q, called, variant_for(called, launch.args(), own_arrays), launch, ret);
    if (!words) return;
    *words = q.main.words;
    q.main.last_yielded = words->yielded;
}

void advance_on_host(Queues &q, GraphRun &run, abi::Launch &launch, void *ret, Until until) {
    CompiledKernel &kernel = *run.kernel;
    const LimitedMessageReport report(q);
    run_on_host(q, kernel, kernel, launch, ret, [&] {
        if (!run.tmp.empty()) std::memcpy(q.main.tmp.host, run.tmp.data(), run.tmp.size());
        HostTasks tasks{q, kernel, kernel, launch};
        StepWatch watch(run, until);
        watch.ended(runtime::walk_graph(run.steps, run.at, run.words, Timed<HostTasks>{tasks, run}, watch));
        if (!run.tmp.empty()) std::memcpy(run.tmp.data(), q.main.tmp.host, run.tmp.size());
    });
}

} // namespace

void choose_launch(bool host_visible, CompiledKernel &kernel) {
    const bool in_order = !kernel.has_adstack && kernel.steps.empty();
    const bool plain = in_order && host_visible && !kernel.completion && !kernel.has_limited_messages;
    kernel.run = !host_visible ? run_on_remote_device : in_order ? run_in_order : run_walk;
    kernel.launch = runtime::has_flags(kernel.info.graph) ? launch_graph : plain ? launch_in_order : launch_build;
}

void note_heap_use(Queues &q, CompiledKernel &kernel, const KernelTask &task) {
    if (task.info->stacks.empty()) return;
    const size_t number = size_t(&task - kernel.tasks.data());
    task.program->observation().note_heap_use(kernel, number);
    if (task.program->options().debug_adstack) print_heap_use(kernel, number);
    const uint64_t peak = kernel.heap_use[number].peak;
    if (!kernel.stack_budget || peak <= std::max(kernel.stack_budget, 2 * kernel.reported_peak)) return;
    kernel.reported_peak = peak;
    q.observers.stack_budget_exceeded();
}

void fail_launch(Queues &q) {
    q.main.queue->wait();
    const bool failed = __atomic_exchange_n(&q.main.polled->failed, 0, __ATOMIC_ACQUIRE);
    if (q.sparse) q.collect_cells();
    if (!failed) {
        const auto *task = static_cast<const KernelTask *>(__atomic_load_n(&q.main.task, __ATOMIC_RELAXED));
        throw StoppedLaunch(task ? task->program->observation().launch_in_progress() : Activity());
    }
    if (q.sparse) q.sparse->rethrow();
    Failure failure = std::exchange(q.main.failure, {});
    fail_user(failure.kind, std::move(failure.text), std::move(failure.trace));
}

void Queues::launch(CompiledKernel &kernel, abi::Launch &launch, void *ret, bool own_arrays, abi::GraphWords *words) {
    kernel.launch(*this, kernel, launch, ret, own_arrays, words);
}

void Queues::begin_run(CompiledKernel &kernel, const uint64_t *args, GraphRun &run) {
    Queues &q = *this;
    const std::lock_guard guard = begin_launch(q, kernel);
    check_flags(kernel, args);
    for (const uint32_t slot : kernel.trees)
        if (q.sparse && q.sparse->holds(slot))
            fail_user(UserErrorKind::runtime, "kernel " + kernel.info.name +
                                                  " uses sparse fields, whose changes a stepwise launch cannot undo");
    run.kernel = variant_for(kernel, args, false).shared_from_this();
    std::shared_ptr<CompiledKernel> runs = std::move(run.kernel);
    run = graph_run(*runs);
    run.kernel = std::move(runs);
    run.tmp.resize(run.kernel->info.tmp_bytes);
    if (q.observers.time_tasks()) q.observers.profile().begin_graph(kernel.info.name, run);
}

void Queues::advance(GraphRun &run, abi::Launch &launch, void *ret, Until until) {
    Queues &q = *this;
    const std::lock_guard guard = begin_launch(q, *run.kernel);
    if (q.host_visible) {
        advance_on_host(q, run, launch, ret, until);
    } else {
        make_room(q, *run.kernel);
        advance_remote(q, run, launch, ret, until);
    }
    if (run.is_over()) q.main.last_yielded = run.words.yielded;
    if (q.observers.time_tasks()) q.observers.profile().note_graph(run.kernel->info.name, run, !run.is_over());
}

} // namespace qd::engine
