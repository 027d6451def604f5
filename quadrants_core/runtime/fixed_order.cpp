// Runs tasks that must give the same bits for any number of threads (ir::Wish::ordered).
//
// The code for SIMD lanes and the remainder loop of a chunk may round differently, so ranges are cut only by their length. Sums then take
// one of two ways, chosen by lengths and sizes, never by the number of threads:
//  - The range is cut into parts, runs of chunks. Each part accumulates in its own copies, chunk after chunk, on one thread;
//    then the copies are added to the arrays in the order of the parts.
//  - One thread runs all chunks in order, if copies would cost more than the work is worth, if old values are used, or if
//    the result of one index depends on others.
// Sums of integers, minima, maxima and bit operations give the same result in any order, and are done in any order.
//
// Random numbers start again in each chunk, seeded from the seed, the number of such tasks launched before, and the chunk.
#include "runtime/faults.h"
#include "runtime/job.h"

#include "device_lib/random.h"

#include <algorithm>

namespace qd::runtime {
namespace {

constexpr int as_many_threads = 16; ///< ranges are cut as for this many

void read_range(const abi::Launch *launch, abi::Thread *thread, int64_t self, int64_t) {
    Start &start = *reinterpret_cast<Start *>(self);
    start.read(launch, thread);
}

struct Parts {
    const Job &job;
    const PrivateCopies &copies;
    uint32_t chunks, parts;

    static void run(const void *self, uint32_t thread, uint32_t part) {
        const Parts &all = *static_cast<const Parts *>(self);
        all.copies.offsets_of(part, all.job.states[thread].copy_offset);
        const auto first = [&](uint32_t p) { return uint32_t(uint64_t(p) * all.chunks / all.parts); };
        for (uint32_t chunk = first(part); chunk < first(part + 1); chunk++) Job::run(&all.job, thread, chunk);
    }
};

} // namespace

void ChunkDraws::begin(uint64_t seed, uint32_t chunk) {
    std::copy_n(thread_.random, 2, own_);
    device_lib::seed_random(thread_.random, seed, chunk);
}

bool runs_chunks(Pool::Work work) { return work == Job::run || work == Parts::run; }

void Launcher::run_in_order(const abi::Task &task, const std::atomic<const TaskEntry *> &entry, abi::Bounds bounds,
                            abi::Launch &launch) {
    uint64_t draws[2];
    device_lib::seed_random(draws, draws_.seed, draws_.launches++);
    const TaskEntry &code = *entry.load(std::memory_order_acquire);
    Start start{task, bounds, code, shares_all_loops_, {0, 1}};
    if (task.kind == abi::TaskKind::range)
        call_guarded(&launch, &states_[0], reinterpret_cast<int64_t>(&start), 0, read_range);
    if (start.size() <= 0) return;
    const bool is_whole = task.kind == abi::TaskKind::serial || start.is_small();
    const int64_t chunk =
        is_whole ? start.size()
        : shares_all_loops_
            ? start.size() / few_chunks + 1
            : chunk_size(start.size(), task.weight, task.block_dim ? task.block_dim : block_dim_, as_many_threads);
    Job job(*this, entry, launch, start.range[0], start.range[1], chunk);
    job.draws = draws;
    const uint32_t chunks = job.chunks();
    if (code.updates.order == abi::Order::same) {
        code.note(UpdateMode::How::unlocked); // unless run_chunks notes another way
        return run_chunks(job);
    }
    const double work = double(start.size()) * double(std::max(0.1f, task.weight.index));
    const uint32_t parts = chunks > 1 && code.updates.order == abi::Order::sums
                               ? copies_.begin_parts(code.accumulations, launch, start.size(), work, chunks)
                               : 0;
    if (parts) {
        states_[0].alone = threads() == 1;
        code.note(UpdateMode::How::parts, parts, copies_.bytes());
        const Merge merge{*this};
        const Parts all{job, copies_, chunks, parts};
        return pool_->run(Parts::run, &all, parts);
    }
    code.note(UpdateMode::How::one_thread);
    for (uint32_t index = 0; index < chunks; index++) Job::run(&job, 0, index);
}

} // namespace qd::runtime
