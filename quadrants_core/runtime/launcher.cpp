#include "runtime/launcher.h"

#include "runtime/faults.h"
#include "runtime/job.h"
#include "runtime/sections.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace qd::runtime {
namespace {

// In the unit of abi::Task::weight, simple operations. Waking a spinning worker costs about 500 operations, a sleeping one 20 times that;
// in addition both threads then share cache lines.
constexpr double inline_below = 10'000; ///< smaller tasks run on the caller alone
/// Smaller tasks take as long on one thread without locks as on several with locks.
constexpr double locks_from = 400'000;
constexpr double chunk_at_least = 8'192;     ///< smaller chunks spend their time on claiming
constexpr double chunk_wanted = 32'768;      ///< large enough that the cost of claiming is negligible
constexpr double chunk_at_most = 16'000'000; ///< Stop is checked between chunks: about 10 ms
/// Chunks; enough to keep threads busy to the end, in even loops and in short ones.
constexpr double few_per_thread = 8;
constexpr double many_per_thread = 64; ///< chunks; uneven loops benefit from more chunks if there is plenty of work
constexpr double least_per_thread = 2; ///< chunks, if each has a fixed cost that a larger chunk would pay only once
constexpr double worth_a_chunk = 256;  ///< the work of a chunk, as a multiple of that cost
constexpr int64_t one_vector = 16;     ///< maximum number of lanes of 32-bit numbers
constexpr int64_t whole_vectors = 64;  ///< large chunks are multiples of this: no scalar remainder inside the range

/// For tests: threads share loops of any length.
bool shares_all_loops() {
    const char *asked = std::getenv("QD_SHARE_LITTLE");
    return asked && *asked && *asked != '0';
}

} // namespace

int64_t chunk_size(int64_t n, abi::Weight estimate, uint32_t block_dim, int threads) {
    const double weight = std::max(0.1f, estimate.index);
    const double share = double(n) * weight / threads;
    double ops = std::max(share / many_per_thread, std::min(share / few_per_thread, chunk_wanted));
    ops = std::max(ops, std::min(share / least_per_thread, double(estimate.chunk) * worth_a_chunk));
    ops = std::clamp(ops, chunk_at_least, chunk_at_most);
    if (block_dim) ops = std::clamp(double(block_dim) * weight, chunk_at_least / 4, chunk_at_most);
    int64_t size = std::max<int64_t>(1, int64_t(ops / weight));
    size = std::max(size, (n + Pool::max_chunks - 1) / int64_t(Pool::max_chunks));
    if (block_dim) return (size + block_dim - 1) / block_dim * block_dim;
    // Chunks of costly iterations are short. They still consist of whole vectors, unless that leaves threads without work.
    const int64_t grain = size < 4 * whole_vectors ? one_vector : whole_vectors;
    const int64_t whole = (size + grain - 1) / grain * grain;
    return whole <= 4 * size && n >= 4 * threads * whole ? whole : size;
}

void Start::read_others(const abi::Launch *launch, abi::Thread *thread) {
    if (!task.range.factors) return bounds(launch, thread, range);
    range[0] = task.range.begin;
    range[1] = task.range.end(launch->args());
}

bool Start::is_small() const {
    return size() <= 1 || (double(size()) * double(task.weight.index) < inline_below && !shares_all_loops);
}

void Start::run(const abi::Launch *launch, abi::Thread *thread, int64_t self, int64_t) {
    Start &start = *reinterpret_cast<Start *>(self);
    start.read(launch, thread);
    if (start.range[0] < start.range[1] && start.is_small())
        start.code.body(launch, thread, start.range[0], start.range[1]);
}

bool TaskEntry::accumulates_like(const TaskEntry &other) const {
    return std::ranges::equal(accumulations, other.accumulations,
                              [](const auto &a, const auto &b) { return a.matches(b); });
}

static const uint32_t never = 0;

Job::Job(Launcher &launcher, const std::atomic<const TaskEntry *> &code, const abi::Launch &what, int64_t first,
         int64_t behind, int64_t step)
    : entry(code), launch(&what), stop(what.stream.stop ? what.stream.stop : &never),
      failed(what.stream.failed ? what.stream.failed : &never), states(launcher.states_.data()), begin(first),
      end(behind), chunk(step), begun(code.load(std::memory_order_acquire)), shown(begun) {}

void Job::run(const void *self, uint32_t thread, uint32_t index) {
    const Job &job = *static_cast<const Job *>(self);
    if (*job.stop || __atomic_load_n(job.failed, __ATOMIC_RELAXED)) {
        if (!*job.stop) return;
        job.states[thread].left_out++;
        job.states[thread].of = job.chunks();
        return;
    }
    const ChunkDraws draws(job.states[thread], job.draws, index);
    const int64_t from = job.begin + int64_t(index) * job.chunk;
    const TaskEntry *entry = job.entry.load(std::memory_order_acquire);
    if (entry != job.begun && !job.may_run(*entry)) entry = job.begun;
    try {
        call_guarded(job.launch, &job.states[thread], from, std::min(from + job.chunk, job.end), entry->body);
    } catch (const Fault &) {
        if (job.launch->stream.failed) __atomic_store_n(job.launch->stream.failed, 1, __ATOMIC_RELAXED);
        throw;
    }
}

Launcher::Launcher(int threads, uint32_t block_dim, NeedLocks need_locks)
    : pool_(Pool::shared(threads)), block_dim_(block_dim), need_locks_(need_locks),
      shares_all_loops_(shares_all_loops()), states_(size_t(pool_->threads())),
      copies_(pool_->threads(), shares_all_loops_) {
    for (uint32_t i = 0; i < states_.size(); i++) {
        states_[i].index = i;
        states_[i].random[0] = i + 1;
    }
}

Launcher::~Launcher() = default;

abi::HeapUse Launcher::take_heap_use() {
    abi::HeapUse sum;
    for (State &state : states_) state.memory.take_use(sum);
    return sum;
}

abi::HeapUse Launcher::heap_use_so_far() const {
    abi::HeapUse sum;
    for (const State &state : states_) state.memory.add_use(sum);
    return sum;
}

Progress Launcher::progress_so_far() const {
    const Pool::JobProgress begun = pool_->progress();
    if (!begun.work) {
        Progress ended;
        for (const State &state : states_) {
            ended.all = std::max(ended.all, state.of.exchange(0));
            ended.done += state.left_out.exchange(0);
        }
        ended.done = ended.all - std::min(ended.all, ended.done);
        return ended;
    }
    if (!runs_chunks(begun.work)) return {};
    const uint32_t under_way = std::min(begun.begun, uint32_t(threads()));
    return {begun.begun - under_way, begun.chunks};
}

void Launcher::run(const abi::Task &task, const std::atomic<const TaskEntry *> &entry, abi::Bounds bounds,
                   abi::Launch &launch) {
    const TaskEntry &now = *entry.load(std::memory_order_acquire);
    const FloatMode mode(now.subnormals,
                         now.depends_on_subnormals); // switching back and forth takes as long as a small task
    states_[0].alone = 1;                            // until the pool joins in
    try {
        if (!now.is_plain) {
            if (now.updates.order != abi::Order::free) {
                const FloatMode always(now.subnormals);
                return run_in_order(task, entry, bounds, launch);
            }
            now.note(UpdateMode::How::unlocked);
            if (task.kind == abi::TaskKind::serial) return call_guarded(&launch, &states_[0], 0, 1, now.body);
        }
        Start start{task, bounds, now, shares_all_loops_};
        call_guarded(&launch, &states_[0], reinterpret_cast<int64_t>(&start), 0, Start::run);
        if (start.is_small()) return;
        const FloatMode always(now.subnormals); // chunks may switch to other code
        const int64_t indices = start.size();
        const int64_t chunk = shares_all_loops_ ? indices / few_chunks + 1
                                                : chunk_size(indices, task.weight,
                                                             task.block_dim ? task.block_dim : block_dim_, threads());
        Job job(*this, entry, launch, start.range[0], start.range[1], chunk);
        job.work = double(indices) * double(task.weight.index);
        run_chunks(job);
    } catch (const Fault &) { // a fault leaves the task half done
        for (State &state : states_) state.memory.clear();
        throw;
    }
}

double Launcher::run_sections(std::span<const HostTask> tasks, const abi::Launch &launch) {
    const FloatMode mode(
        tasks[0].entry->load(std::memory_order_acquire)->subnormals); // all tasks of one kernel have the same
    try {
        return runtime::run_sections(*pool_, states_, block_dim_, tasks, launch);
    } catch (const Fault &) {
        for (State &state : states_) state.memory.clear();
        throw;
    }
}

void Launcher::run_chunks(Job &job) {
    const uint32_t chunks = job.chunks();
    if (chunks > 1 && threads() > 1) {
        const abi::Needs needs = job.begun->updates.needs;
        const auto &accumulations = job.begun->accumulations;
        if (needs != abi::Needs::alone && !accumulations.empty() &&
            copies_.begin(accumulations, *job.launch, job.end - job.begin) &&
            (needs == abi::Needs::nothing || copies_.are_all())) {
            job.copied = job.begun;
            job.met = needs;
            job.shown->note(UpdateMode::How::copies, copies_.count(), copies_.bytes());
            return run_in_copies(job, chunks);
        }
        if (needs != abi::Needs::nothing) return run_with_locks(job);
        job.met = abi::Needs::nothing;
        job.shown->note(UpdateMode::How::locked);
        states_[0].alone = 0;
    }
    pool_->run(Job::run, &job, chunks);
}

/// Runs other code of the task. If that does not pay or is unavailable, one thread runs everything.
void Launcher::run_with_locks(Job &job) {
    const bool pays = job.work >= locks_from || shares_all_loops_;
    if (pays && need_locks_ && !job.begun->locked) {
        const FloatMode as_elsewhere(Subnormals::kept); // for compiling, and the threads that it starts
        need_locks_(*job.launch);
    }
    const std::atomic<const TaskEntry *> *other = job.begun->locked.load(std::memory_order_acquire);
    if (pays && other) {
        Job again(*this, *other, *job.launch, job.begin, job.end, job.chunk);
        again.shown = job.shown;
        return run_chunks(again);
    }
    for (uint32_t index = 0; index < job.chunks(); index++) Job::run(&job, 0, index);
}

Launcher::Merge::~Merge() {
    for (State &state : launcher.states_) std::ranges::fill(state.copy_offset, 0);
    launcher.copies_.merge(*launcher.pool_);
}

void Launcher::run_in_copies(Job &job, uint32_t chunks) {
    const Merge merge{*this};
    states_[0].alone = 0;
    for (size_t thread = 0; thread < states_.size(); thread++) copies_.offsets_of(thread, states_[thread].copy_offset);
    pool_->run(Job::run, &job, chunks);
}

} // namespace qd::runtime
