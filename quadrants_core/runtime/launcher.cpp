#include "runtime/launcher.h"

#include "runtime/faults.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace qd::runtime {
namespace {

// In the unit of abi::Task::weight, simple operations. Waking a spinning worker costs what some 500 operations cost, a
// sleeping one 20 times that; both threads then share cache lines.
constexpr double inline_below = 10'000;      ///< less than this runs on the caller alone
constexpr double chunk_at_least = 8'192;     ///< smaller chunks spend their time on the ticket
constexpr double chunk_wanted = 32'768;      ///< so large that claiming it costs nothing to speak of
constexpr double chunk_at_most = 16'000'000; ///< Stop is looked at between chunks: about 10 ms
constexpr double few_per_thread = 8;         ///< chunks that keep both an even loop and a short one busy to the end
constexpr double many_per_thread = 64;       ///< an uneven loop is worth more chunks, where work is plenty
constexpr int64_t one_vector = 16;           ///< most lanes of 32-bit numbers
constexpr int64_t whole_vectors = 64;        ///< large chunks are multiples of this: no scalar tails inside the range

const uint32_t never = 0;

int64_t chunk_size(int64_t n, double weight, uint32_t block_dim, int threads) {
    const double share = double(n) * weight / threads;
    double ops = std::max(share / many_per_thread, std::min(share / few_per_thread, chunk_wanted));
    ops = std::clamp(ops, chunk_at_least, chunk_at_most);
    if (block_dim) ops = std::clamp(double(block_dim) * weight, chunk_at_least / 4, chunk_at_most);
    int64_t size = std::max<int64_t>(1, int64_t(ops / weight));
    size = std::max(size, (n + Pool::max_chunks - 1) / int64_t(Pool::max_chunks));
    if (block_dim) return (size + block_dim - 1) / block_dim * block_dim;
    // Costly iterations come in few per chunk: still whole vectors, unless that leaves threads without work.
    const int64_t grain = size < 4 * whole_vectors ? one_vector : whole_vectors;
    const int64_t whole = (size + grain - 1) / grain * grain;
    return whole <= 4 * size && n >= 4 * threads * whole ? whole : size;
}

} // namespace

struct Job {
    const std::atomic<abi::Body> &body;
    const abi::Launch *launch;
    const volatile uint32_t *stop;
    const uint32_t *failed;
    Launcher::State *states;
    int64_t begin, end, chunk;

    static void run(const void *self, uint32_t thread, uint32_t index) {
        const Job &job = *static_cast<const Job *>(self);
        if (*job.stop || __atomic_load_n(job.failed, __ATOMIC_RELAXED)) return;
        const int64_t from = job.begin + int64_t(index) * job.chunk;
        const abi::Body body = job.body.load(std::memory_order_acquire);
        try {
            call_guarded(job.launch, &job.states[thread], from, std::min(from + job.chunk, job.end), body);
        } catch (const Fault &) {
            if (job.launch->data.failed) __atomic_store_n(job.launch->data.failed, 1, __ATOMIC_RELAXED);
            throw;
        }
    }
};

Launcher::Launcher(int threads) : pool_(Pool::shared(threads)), states_(size_t(pool_->threads())) {
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

/// Reads the range, and runs the task if it is not worth the pool. One guard for both.
struct Start {
    abi::Bounds bounds;
    const std::atomic<abi::Body> &body;
    float weight;
    int64_t range[2] = {0, 0};

    bool is_small() const {
        const int64_t n = range[1] - range[0];
        return n <= 1 || double(n) * double(weight) < inline_below;
    }
    static void run(const abi::Launch *launch, abi::Thread *thread, int64_t self, int64_t) {
        Start &start = *reinterpret_cast<Start *>(self);
        start.bounds(launch, thread, start.range);
        if (start.range[0] < start.range[1] && start.is_small())
            start.body.load(std::memory_order_acquire)(launch, thread, start.range[0], start.range[1]);
    }
};

void Launcher::run(const abi::Task &task, const std::atomic<abi::Body> &body, abi::Bounds bounds, abi::Launch &launch) {
    const FlushDenormals flush;
    try {
        if (task.kind == abi::TaskKind::serial) {
            call_guarded(&launch, &states_[0], 0, 1, body.load(std::memory_order_acquire));
            return;
        }
        Start start{bounds, body, task.weight};
        call_guarded(&launch, &states_[0], reinterpret_cast<int64_t>(&start), 0, Start::run);
        if (start.is_small()) return;
        run_chunks(body, launch, start.range[0], start.range[1],
                   chunk_size(start.range[1] - start.range[0], std::max(0.1f, task.weight), task.block_dim, threads()));
    } catch (const Fault &) { // which leaves a task in its midst
        for (State &state : states_) state.memory.clear();
        throw;
    }
}

void Launcher::run_chunks(const std::atomic<abi::Body> &body, abi::Launch &launch, int64_t begin, int64_t end,
                          int64_t chunk) {
    const Job job{body,
                  &launch,
                  launch.data.stop ? launch.data.stop : &never,
                  launch.data.failed ? launch.data.failed : &never,
                  states_.data(),
                  begin,
                  end,
                  chunk};
    pool_->run(Job::run, &job, uint32_t((end - begin + chunk - 1) / chunk));
}

#if defined(__x86_64__)
constexpr uint64_t flush_bits = 0x8040; // flush to zero, denormals are zero
static uint64_t float_control() { return _mm_getcsr(); }
static void set_float_control(uint64_t bits) { _mm_setcsr(uint32_t(bits)); }
#elif defined(__aarch64__)
constexpr uint64_t flush_bits = 1u << 24; // FZ
static uint64_t float_control() {
    uint64_t bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
}
static void set_float_control(uint64_t bits) { asm volatile("msr fpcr, %0" ::"r"(bits)); }
#endif

FlushDenormals::FlushDenormals() : before_(float_control()) {
    if ((before_ & flush_bits) != flush_bits) set_float_control(before_ | flush_bits);
}
FlushDenormals::~FlushDenormals() {
    if ((before_ & flush_bits) != flush_bits) set_float_control(before_);
}

} // namespace qd::runtime
