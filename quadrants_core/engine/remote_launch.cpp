#include "engine/remote_launch.h"

#include "base/stop.h"
#include "engine/compiled_kernel.h"
#include "engine/device_memory.h"
#include "engine/fault.h"
#include "engine/stopwatch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace qd::engine {
namespace {

constexpr size_t max_pending = 256; ///< launches; their blocks, and memory freed meanwhile, are held until they end

/// Byte offsets in the block: counters from 0 on, results.
struct Places {
    uint64_t results, end;
    explicit Places(const CompiledKernel &kernel)
        : results(8 * kernel.counts.size()), end(results + kernel.info.ret_bytes) {}
};

LaunchBlock take_block(Queues &q, uint64_t bytes) {
    if (bytes == 0) return {};
    std::vector<LaunchBlock> &spare = q.main.spare;
    const auto large_enough = [&](const LaunchBlock &block) { return block.bytes >= bytes; };
    if (const auto found = std::ranges::find_if(spare, large_enough); found != spare.end()) {
        LaunchBlock block = std::move(*found);
        spare.erase(found);
        return block;
    }
    const uint64_t rounded = std::bit_ceil(std::max<uint64_t>(bytes, 256));
    try {
        return {q.device.alloc(rounded), rounded, {}};
    } catch (const DeviceError &) {
        if (q.main.pending.empty()) throw;
    }
    finish_launches(q); // some memory may be free then
    return {q.device.alloc(rounded), rounded, {}};
}

template <class T> T *at(uint64_t address) { return reinterpret_cast<T *>(address); }

/// True if a launch ends before it returns.
bool is_waited_for(const Queues &q, const CompiledKernel &kernel) {
    return kernel.info.ret_bytes || kernel.has_side_effects || kernel.has_adstack || q.sparse ||
           q.observers.time_tasks() || !kernel.steps.empty();
}

/// Submits the tasks of one launch to the stream.
class Submission {
  public:
    Submission(Queues &q, const PendingLaunch &pending, const Places &places, abi::Launch &launch)
        : q_(q), stream_(q.main), pending_(pending), kernel_(*pending.kernel), launch_(launch),
          counters_(pending.block.memory.address) {
        launch_.stream = stream_.shared;
        launch_.ret = at<char>(counters_ + places.results);
    }

    void task(int32_t index) {
        const KernelTask &task = kernel_.tasks[size_t(index)];
        const uint64_t first = uint64_t(task.counters - kernel_.counts.data());
        launch_.counters = kernel_.counts.empty() ? nullptr : at<uint64_t>(counters_) + first;
        launch_.task = &task;
        __atomic_store_n(&stream_.task, &task, __ATOMIC_RELAXED); // for observers
        const Stopwatch watch;
        stream_.queue->launch(*task.code->current.load(std::memory_order_acquire), *task.info, launch_);
        if (!q_.observers.time_tasks() && !kernel_.has_adstack) return;
        stream_.queue->wait();
        note_heap_use(q_, kernel_, task);
        q_.observers.note_time(pending_.called->info.name, task.info->name, watch.microseconds());
    }

    void finish() { stream_.queue->wait(); }
    bool region(int32_t) { return false; }

  protected:
    Queues &q_;
    Stream &stream_;
    const PendingLaunch &pending_;
    CompiledKernel &kernel_;
    abi::Launch &launch_;
    const uint64_t counters_; ///< address in the block
};

/// Thrown when the launch has failed or the user pressed Stop: no further flags are read.
struct Ended {};

/// The same for a kernel with flags; waits for each flag.
struct FlaggedSubmission : Submission {
    explicit FlaggedSubmission(const Submission &first) : Submission(first) {}
    int32_t flag(uint32_t slot) {
        int32_t value = 0;
        stream_.queue->download(&value, launch_.args()[slot], sizeof value);
        stream_.queue->wait();
        if (__atomic_load_n(&stream_.polled->failed, __ATOMIC_ACQUIRE) || stop_word) throw Ended{};
        return value;
    }
};

void submit_tasks(Queues &q, const PendingLaunch &pending, const Places &places, abi::Launch &launch) {
    Submission submission(q, pending, places, launch);
    const CompiledKernel &kernel = *pending.kernel;
    if (kernel.has_adstack) {
        q.main.queue->wait();
        q.main.queue->take_heap_use();
    }
    if (kernel.steps.empty()) {
        for (size_t i = 0; i < kernel.tasks.size(); i++) submission.task(int32_t(i));
        return;
    }
    try {
        runtime::walk_graph(kernel.steps, 0, q.main.words, FlaggedSubmission(submission));
    } catch (const Ended &) { // the end of the launch reports the reason
    }
}

/// Copies the counters and results of a completed launch to the host.
void retrieve(const PendingLaunch &ended) {
    if (!ended.comes_back) return;
    CompiledKernel &kernel = *ended.kernel;
    const char *from = ended.block.back.data();
    for (uint64_t &count : kernel.counts) {
        uint64_t more;
        std::memcpy(&more, from, sizeof more);
        from += sizeof more;
        if (more) __atomic_fetch_add(&count, more, __ATOMIC_RELAXED);
    }
    if (kernel.info.ret_bytes) std::memcpy(ended.ret, from, kernel.info.ret_bytes);
}

/// Describes a fault as an error that names its kernel. For asynchronous launches the source location is attached here, since the caller
/// has returned.
KernelFault name_fault(const std::vector<PendingLaunch> &launches, const PendingLaunch *waited_for,
                       const runtime::Fault &met) {
    for (const PendingLaunch &one : launches) {
        const std::vector<KernelTask> &tasks = one.kernel->tasks;
        const auto task = std::ranges::find_if(tasks, [&](const KernelTask &t) { return &t == met.task; });
        if (task == tasks.end()) continue;
        const bool earlier = &one != waited_for;
        KernelFault fault = describe_fault(one.called->info.name, met, earlier);
        fault.task = size_t(task - tasks.begin());
        fault.line = task->info->line;
        if (earlier) fault.trace.push_back({one.called->file, one.called->info.name, fault.line, 0, fault.line, 0});
        return fault;
    }
    return describe_fault("of a launch before", met, true);
}

/// Waits for the launches in `stream.ended`, and takes over their results. `last_is_waited_for`: the call of the last one has not returned
/// yet.
void settle_ended(Queues &q, bool last_is_waited_for) {
    Stream &stream = q.main;
    std::vector<PendingLaunch> &ended = stream.ended;
    const auto note = [&](std::exception_ptr trouble) {
        if (!stream.trouble) stream.trouble = std::move(trouble);
    };
    if (const auto &tasks = ended.front().kernel->tasks; !tasks.empty())
        __atomic_store_n(&stream.task, &tasks.front(), __ATOMIC_RELAXED);
    try {
        stream.queue->wait();
    } catch (const runtime::Fault &met) {
        stream.failure = {};
        note(std::make_exception_ptr(name_fault(ended, last_is_waited_for ? &ended.back() : nullptr, met)));
    } catch (...) {
        note(std::current_exception());
    }
    stream.has_pending = false;
    report_suppressed_messages(q);
    for (PendingLaunch &one : ended) {
        retrieve(one);
        if (one.block.bytes) stream.spare.push_back(std::move(one.block));
    }
    q.memory->free_retired();
    if (q.sparse && q.sparse->has_garbage()) q.collect_cells();
    if (!__atomic_load_n(&stream.polled->failed, __ATOMIC_ACQUIRE) && !stop_word) return;
    try {
        fail_launch(q);
    } catch (...) {
        note(std::current_exception());
    }
}

void settle(Queues &q, bool last_is_waited_for) {
    if (q.main.pending.empty()) return;
    q.main.ended.swap(q.main.pending);
    settle_ended(q, last_is_waited_for);
    q.main.ended.clear();
}

/// Downloads counters and results when the tasks submitted so far are done.
void bring_back(Stream &stream, PendingLaunch &pending, const Places &places) {
    if (places.end == 0) return;
    std::vector<char> &back = pending.block.back;
    back.resize(places.end);
    stream.queue->download(back.data(), pending.block.memory.address, back.size());
    pending.comes_back = true;
}

/// Adds a launch to the pending ones, with counters of 0.
PendingLaunch &begin(Stream &stream, PendingLaunch launch, const Places &places) {
    stream.has_pending = true;
    PendingLaunch &pending = stream.pending.emplace_back(std::move(launch));
    if (places.results) stream.queue->fill(pending.block.memory.address, 0, places.results);
    return pending;
}

void rethrow_trouble(Stream &stream) {
    if (stream.trouble) std::rethrow_exception(std::exchange(stream.trouble, nullptr));
}

} // namespace

void settle_launches(Queues &q) { settle(q, false); }

void finish_launches(Queues &q) {
    settle(q, false);
    rethrow_trouble(q.main);
}

void launch_remote(Queues &q, const CompiledKernel &called, CompiledKernel &kernel, abi::Launch &launch, void *ret) {
    Stream &stream = q.main;
    if (stream.pending.size() >= max_pending || !kernel.steps.empty()) settle(q, false);
    rethrow_trouble(stream); // reports errors known by now
    const Places places(kernel);
    PendingLaunch &pending =
        begin(stream, {called.shared_from_this(), kernel.shared_from_this(), take_block(q, places.end), ret}, places);
    try {
        submit_tasks(q, pending, places, launch);
    } catch (const runtime::Fault &met) { // the fault surfaced in a wait
        stream.trouble = std::make_exception_ptr(name_fault(stream.pending, &pending, met));
    }
    const bool waited_for = is_waited_for(q, kernel);
    if (waited_for || !kernel.counts.empty()) bring_back(stream, pending, places);
    if (!waited_for) return;
    settle(q, true);
    rethrow_trouble(stream);
}

void advance_remote(Queues &q, GraphRun &run, abi::Launch &launch, void *ret, Until until) {
    Stream &stream = q.main;
    settle(q, false);
    rethrow_trouble(stream);
    CompiledKernel &kernel = *run.kernel;
    const Places places(kernel);
    PendingLaunch &pending = begin(stream, {run.kernel, run.kernel, take_block(q, places.end), ret}, places);
    if (kernel.info.ret_bytes)
        stream.queue->upload(pending.block.memory.address + places.results, ret, kernel.info.ret_bytes);
    if (!run.tmp.empty()) stream.queue->upload(stream.tmp.address, run.tmp.data(), run.tmp.size());
    StepWatch watch(run, until);
    try {
        FlaggedSubmission tasks(Submission(q, pending, places, launch));
        watch.ended(runtime::walk_graph(run.steps, run.at, run.words, Timed<FlaggedSubmission>{tasks, run}, watch));
    } catch (const Ended &) { // the end of the launch reports the reason
    } catch (const runtime::Fault &met) {
        stream.trouble = std::make_exception_ptr(name_fault(stream.pending, &pending, met));
    }
    bring_back(stream, pending, places);
    if (!run.tmp.empty()) stream.queue->download(run.tmp.data(), stream.tmp.address, run.tmp.size());
    stream.last_tasks = int(kernel.tasks.size());
    settle(q, true);
    rethrow_trouble(stream);
}

} // namespace qd::engine
