// There is one job at a time, described by one 64-bit word, the ticket: epoch << 32 | chunks. Each thread has a part of the chunks, the
// same in every job, so that its data is still in its caches. It claims them from the first on, and helps from the end of other parts when
// its own is done. The rest of a part is a word too: epoch << 32 | end << 16 | next; a word of an older epoch stands for the whole part.
// Claiming a chunk is a compare-and-swap of that word, so a late claim for a job that is over fails by its epoch. The caller waits only for
// claimed chunks: a worker that the system schedules late costs nothing. Idle workers spin for about 50 us, then sleep on the epoch.
#include "runtime/pool.h"

#include "base/fork.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include <climits>
#include <csignal>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/faults.h"
#include "runtime/float_mode.h"
#include "runtime/host_memory.h"
#include "runtime/launcher.h"

namespace qd::runtime {
namespace {

constexpr size_t cache_line = 64;
/// Threads that each thread wakes; those wake others, so that all are up after a few steps.
constexpr uint32_t wakes = 2;
constexpr auto spin_time = std::chrono::microseconds(50);
constexpr int pauses_before_yield = 2000;

inline void pause_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

uint32_t epoch_of(uint64_t word) { return uint32_t(word >> 32); }
uint32_t chunks_of(uint64_t ticket) { return uint32_t(ticket); }
uint64_t make_ticket(uint32_t epoch, uint32_t chunks) { return uint64_t(epoch) << 32 | chunks; }
uint32_t next_of(uint64_t left) { return uint32_t(left & 0xffff); }
uint32_t behind_of(uint64_t left) { return uint32_t(left >> 16 & 0xffff); }

long futex(const void *word, int op, uint32_t value) {
    return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

// Threads do not survive a fork: a pool whose generation differs from the process's starts new ones. Odd = being restarted.
std::atomic<uint32_t> process_generation{0};
ForkLockedMutex registry_lock;
auto &kept = *new std::shared_ptr<Pool>; // never destroyed: workers may sleep in it until the process ends
const ForkHooks hooks(nullptr, nullptr, [] { process_generation += 2; });

} // namespace

struct Pool::State : IsolatedPages {
    struct alignas(cache_line) Part {
        std::atomic<uint64_t> left{0};
    };
    struct Parts { // in separate pages too, as many as there are threads
        const size_t bytes;
        Part *const all;
        explicit Parts(size_t n) : bytes(n * sizeof(Part)), all(new (IsolatedPages::operator new(bytes)) Part[n]) {}
        ~Parts() { IsolatedPages::operator delete(all, bytes); }
        Parts(const Parts &) = delete;
        Part &operator[](size_t thread) const { return all[thread]; }
    };
    static constexpr uint32_t none = ~0u;

    const uint32_t threads; ///< threads that have a part, whether or not all could be started
    const Parts parts{threads};
    // One cache line: a thread that claims a chunk also gets the job's work.
    alignas(cache_line) std::atomic<uint64_t> ticket{0};
    std::atomic<Work> work = nullptr; ///< of the current job; may be used only after a successful claim
    const void *job = nullptr;
    Subnormals subnormals = Subnormals::kept; ///< the mode of the thread that started the job
    std::atomic<bool> quit{false};
    // Each of the next members is on its own line, as different threads write them.
    alignas(cache_line) std::atomic<uint32_t> done{0}; ///< chunks that workers finished
    alignas(cache_line) std::atomic<uint32_t> sleepers{0};
    alignas(cache_line) std::atomic<bool> taken{false}; // the rest is written only by the caller, job after job
    std::atomic<bool> threw{false};
    std::atomic<uint32_t> alone_begun{0}, alone_chunks{0}; ///< progress of the job of a pool with one thread
    std::exception_ptr error;                              ///< written by the thread that set `threw`
    std::atomic<uint32_t> generation{0};
    std::vector<pthread_t> workers;

    explicit State(int count) : threads(uint32_t(count)) {}
    void start(int count);
    void stop();
    bool renew(int workers_wanted);
    uint64_t part_of(uint32_t thread, uint64_t ticket) const;
    uint32_t claim(uint32_t from, uint64_t ticket, bool own);
    uint32_t claim_all(uint64_t ticket, uint32_t thread);
    uint32_t left_of(uint64_t ticket) const;
    uint64_t wait_for_job(uint64_t seen);
    void work_until_quit(uint32_t thread);
    void run_chunk(uint32_t thread, uint32_t chunk);
    void run_alone(Work work, const void *job, uint32_t chunks);
    void wake(uint32_t chunks);
};

namespace {
struct Birth {
    void *state;
    uint32_t thread;
};
} // namespace

void Pool::State::run_chunk(uint32_t thread, uint32_t chunk) {
    try {
        work.load(std::memory_order_relaxed)(job, thread, chunk);
    } catch (...) {
        if (!threw.exchange(true)) error = std::current_exception();
    }
}

void Pool::State::run_alone(Work what, const void *of, uint32_t chunks) {
    const struct Over {
        std::atomic<uint32_t> &chunks;
        ~Over() { chunks.store(0, std::memory_order_relaxed); }
    } over{alone_chunks};
    work.store(what, std::memory_order_relaxed);
    alone_chunks.store(chunks, std::memory_order_relaxed);
    for (uint32_t c = 0; c < chunks; c++) {
        alone_begun.store(c + 1, std::memory_order_relaxed);
        what(of, 0, c);
    }
}

/// The chunks of a thread, none of them claimed.
uint64_t Pool::State::part_of(uint32_t thread, uint64_t of) const {
    const auto bound = [&](uint32_t t) { return uint64_t(chunks_of(of)) * t / threads; };
    return make_ticket(epoch_of(of), 0) | bound(thread + 1) << 16 | bound(thread);
}

/// Claims a chunk of the job `of` from a thread's part: the first for its owner, the last for others.
uint32_t Pool::State::claim(uint32_t from, uint64_t of, bool own) {
    std::atomic<uint64_t> &left = parts[from].left;
    uint64_t seen = left.load(std::memory_order_acquire);
    for (;;) {
        uint64_t now = seen;
        if (epoch_of(seen) != epoch_of(of)) {
            // The word is older, unless the job is over. If the job were over by the time of the swap, the word would have changed.
            if (epoch_of(ticket.load(std::memory_order_acquire)) != epoch_of(of)) return none;
            now = part_of(from, of);
        }
        if (next_of(now) == behind_of(now)) return none;
        if (left.compare_exchange_weak(seen, own ? now + 1 : now - (1u << 16), std::memory_order_acq_rel,
                                       std::memory_order_acquire))
            return own ? next_of(now) : behind_of(now) - 1;
    }
}

/// Claims and runs chunks of the job `of` until none is left. Returns how many it ran.
uint32_t Pool::State::claim_all(uint64_t of, uint32_t thread) {
    uint32_t ran = 0;
    for (uint32_t k = 0; k < threads && ticket.load(std::memory_order_relaxed) == of; k++) {
        const uint32_t from = thread + k < threads ? thread + k : thread + k - threads;
        for (uint32_t chunk; (chunk = claim(from, of, k == 0)) != none; ran++) {
            if (!ran) set_subnormals(subnormals); // the claim makes the mode visible
            run_chunk(thread, chunk);
        }
    }
    return ran;
}

/// The number of unclaimed chunks of the job `of`, which is not over.
uint32_t Pool::State::left_of(uint64_t of) const {
    uint32_t sum = 0;
    for (uint32_t t = 0; t < threads; t++) {
        const uint64_t seen = parts[t].left.load(std::memory_order_acquire);
        const uint64_t now = epoch_of(seen) == epoch_of(of) ? seen : part_of(t, of);
        sum += behind_of(now) - next_of(now);
    }
    return sum;
}

/// Wakes some sleeping workers, at most as many as there are chunks.
void Pool::State::wake(uint32_t chunks) {
    const uint32_t asleep = sleepers.load(std::memory_order_seq_cst);
    if (!asleep || !chunks) return;
    const auto *epoch_word = reinterpret_cast<const uint32_t *>(&ticket) + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    futex(epoch_word, FUTEX_WAKE, std::min({asleep, chunks, wakes}));
}

/// Waits for the first ticket of an epoch other than that of `seen`.
uint64_t Pool::State::wait_for_job(uint64_t seen) {
    const auto *epoch_word = reinterpret_cast<const uint32_t *>(&ticket) + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    const auto sleep_at = std::chrono::steady_clock::now() + spin_time;
    for (int i = 0;; i++) {
        const uint64_t now = ticket.load(std::memory_order_acquire);
        if (epoch_of(now) != epoch_of(seen)) return now;
        pause_briefly();
        if (i % 32 == 31 && std::chrono::steady_clock::now() >= sleep_at) break;
    }
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    uint64_t now;
    while (epoch_of(now = ticket.load(std::memory_order_seq_cst)) == epoch_of(seen))
        futex(epoch_word, FUTEX_WAIT, epoch_of(seen));
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
    const uint32_t left = chunks_of(now) ? left_of(now) : 0;
    wake(left - std::min(left, 1u)); // one is for this thread
    return now;
}

void Pool::State::work_until_quit(uint32_t thread) {
    prepare_thread_for_faults();
    uint64_t seen = ticket.load(std::memory_order_acquire);
    while (!quit.load(std::memory_order_relaxed)) {
        if (const uint32_t ran = claim_all(seen, thread)) done.fetch_add(ran, std::memory_order_release);
        seen = wait_for_job(seen);
    }
}

void Pool::State::start(int count) {
    sigset_t all, before; // signals belong to the threads of the program
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; i < count; i++) {
        auto *birth = new Birth{this, uint32_t(i + 1)};
        pthread_t handle;
        auto entry = [](void *arg) -> void * {
            const std::unique_ptr<Birth> own(static_cast<Birth *>(arg));
            static_cast<State *>(own->state)->work_until_quit(own->thread);
            return nullptr;
        };
        if (pthread_create(&handle, nullptr, entry, birth) != 0) { // fewer workers: the caller takes over their share
            delete birth;
            break;
        }
        pthread_setname_np(handle, "qd-worker");
        workers.push_back(handle);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Pool::State::stop() {
    if (generation.load() != process_generation.load()) return; // these threads belong to the parent process
    quit = true;
    ticket.store(make_ticket(epoch_of(ticket.load()) + 1, 0));
    futex(reinterpret_cast<uint32_t *>(&ticket) + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__), FUTEX_WAKE, INT_MAX);
    for (pthread_t worker : workers) pthread_join(worker, nullptr);
    workers.clear();
}

/// After a fork: discards the parent's threads and starts as many. Returns false while another thread does so.
bool Pool::State::renew(int workers_wanted) {
    uint32_t old = generation.load();
    const uint32_t now = process_generation.load();
    if (old == now) return true;
    if ((old & 1 && old == now + 1) || !generation.compare_exchange_strong(old, now + 1)) return false;
    workers.clear();
    ticket = make_ticket(epoch_of(ticket.load()) + 1, 0);
    done = 0;
    sleepers = 0;
    threw = false;
    taken = false;
    start(workers_wanted);
    generation = now;
    return true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
Pool::Pool(int threads) : threads_(threads < 1 ? 1 : threads), state_(std::make_unique<State>(threads_)) {
    constexpr auto line_of = [](size_t offset) { return offset / cache_line; };
    static_assert(line_of(offsetof(State, threads)) < line_of(offsetof(State, ticket)));
    static_assert(line_of(offsetof(State, ticket)) == line_of(offsetof(State, quit)));
    static_assert(line_of(offsetof(State, quit)) < line_of(offsetof(State, done)));
    static_assert(line_of(offsetof(State, done)) < line_of(offsetof(State, sleepers)));
    static_assert(line_of(offsetof(State, sleepers)) < line_of(offsetof(State, taken)));
    state_->generation = process_generation.load();
    state_->start(threads_ - 1);
}
#pragma GCC diagnostic pop

Pool::~Pool() { state_->stop(); }

void Pool::run(Work work, const void *job, uint32_t chunks) {
    State &s = *state_;
    const bool fresh =
        s.generation.load(std::memory_order_relaxed) == process_generation.load(std::memory_order_relaxed) ||
        s.renew(threads_ - 1);
    if (threads_ == 1) return s.run_alone(work, job, chunks);
    if (chunks <= 1 || !fresh || s.taken.exchange(true, std::memory_order_acquire)) {
        for (uint32_t c = 0; c < chunks; c++) work(job, 0, c);
        return;
    }
    s.work.store(work, std::memory_order_relaxed);
    s.job = job;
    s.subnormals = subnormals_now();
    s.done.store(0, std::memory_order_relaxed);
    const uint64_t ticket = make_ticket(epoch_of(s.ticket.load(std::memory_order_relaxed)) + 1, chunks);
    s.ticket.store(ticket, std::memory_order_seq_cst);
    s.wake(chunks - 1);
    const uint32_t others = chunks - s.claim_all(ticket, 0);
    for (int pauses = 0; s.done.load(std::memory_order_acquire) != others; pauses++)
        pauses < pauses_before_yield ? pause_briefly() : void(sched_yield());
    std::exception_ptr error;
    if (s.threw.load(std::memory_order_relaxed)) [[unlikely]] {
        error = std::exchange(s.error, nullptr);
        s.threw = false;
    }
    s.taken.store(false, std::memory_order_release);
    if (error) std::rethrow_exception(error);
}

Pool::JobProgress Pool::progress() const {
    const State &s = *state_;
    if (threads_ == 1) {
        const uint32_t chunks = s.alone_chunks.load(std::memory_order_relaxed);
        const Work work = chunks ? s.work.load(std::memory_order_relaxed) : nullptr;
        return {work, std::min(s.alone_begun.load(std::memory_order_relaxed), chunks), chunks};
    }
    const uint64_t ticket = s.ticket.load(std::memory_order_acquire);
    const Work work = s.work.load(std::memory_order_acquire);
    const uint32_t left = s.left_of(ticket);
    const bool same = s.ticket.load(std::memory_order_relaxed) == ticket;
    if (!same || !s.taken.load(std::memory_order_relaxed)) return {};
    return {work, chunks_of(ticket) - left, chunks_of(ticket)};
}

std::shared_ptr<Pool> Pool::shared(int threads) {
    if (threads < 1) threads = usable_cores();
    std::shared_ptr<Pool> replaced; // its threads are joined outside the lock
    const std::lock_guard guard(registry_lock);
    if (!kept || kept->threads() != threads) replaced = std::exchange(kept, std::make_shared<Pool>(threads));
    return kept;
}

int usable_cores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        if (const int count = CPU_COUNT(&set)) return count;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? int(online) : 1;
}

} // namespace qd::runtime
