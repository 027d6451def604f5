// Each section has a ticket similar to that of the pool: number of the task << 32 | chunks << 16 | next chunk. The thread that completes
// the last chunk of a task continues the section: it runs small tasks itself, up to a range that is worth several threads, which it
// publishes. A section that has not begun has a task 0 of one chunk.
#include "runtime/sections.h"

#include "abi/record.h"
#include "runtime/chunks.h"
#include "runtime/faults.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace qd::runtime {
namespace {

constexpr auto spin_time = std::chrono::microseconds(50);

inline void pause_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

uint32_t next_of(uint64_t ticket) { return uint32_t(ticket & 0xffff); }
uint32_t chunks_of(uint64_t ticket) { return uint32_t(ticket >> 16 & 0xffff); }
bool is_fresh(uint64_t ticket) { return ticket >> 32 == 0; }
uint64_t make_ticket(size_t number, uint32_t chunks) { return uint64_t(number) << 32 | uint64_t(chunks) << 16; }

bool is_range(const HostTask &task) { return task.info->kind == abi::TaskKind::range; }

struct alignas(64) Section {
    std::atomic<uint64_t> ticket{make_ticket(0, 1)};
    std::atomic<uint32_t> left{0}; ///< chunks of the current range that are not done
    std::span<const HostTask> tasks;
    size_t next = 0; ///< the task after the current one
    abi::LaunchRecord launch;
    int64_t begin = 0, end = 0, chunk = 0; ///< the current range
    double alone = 0;                      ///< microseconds of tasks on one thread
};

/// One run of a region.
class Run {
  public:
    Run(std::span<Launcher::State> states, uint32_t block_dim, std::span<const HostTask> tasks,
        const abi::Launch &launch)
        : states_(states), block_dim_(block_dim), launch_(launch) {
        const auto number = [](const HostTask &task) { return task.info->graph.section; };
        for (size_t i = 0; i < tasks.size(); i++) count_ += i == 0 || number(tasks[i]) != number(tasks[i - 1]);
        sections_ = std::make_unique<Section[]>(count_);
        size_t at = 0;
        for (size_t i = 0; i < count_; i++) {
            const size_t first = at;
            while (at < tasks.size() && number(tasks[at]) == number(tasks[first])) at++;
            sections_[i].tasks = tasks.subspan(first, at - first);
            sections_[i].launch = abi::LaunchRecord::copy_of(launch, tasks[first].info->slots);
        }
        ranges_ = uint32_t(std::ranges::count_if(tasks, is_range));
    }

    uint32_t threads_wanted() const { return ranges_ ? uint32_t(states_.size()) : uint32_t(count_); }

    /// Works until there is nothing for this thread to do, now and later.
    void work(uint32_t thread) {
        for (;;) {
            const uint32_t seen = changes_.load(std::memory_order_acquire);
            // Read before the sections are checked: a thread that saw the last range published sees its chunks.
            const bool more_may_come = ranges_.load(std::memory_order_acquire) != 0;
            if (take(thread, true) || take(thread, false)) continue;
            if (!more_may_come) return;
            wait_for_change(seen);
        }
    }

    double saved() const {
        double sum = 0, longest = 0;
        for (const Section &section : std::span(sections_.get(), count_)) {
            sum += section.alone;
            longest = std::max(longest, section.alone);
        }
        return sum - longest;
    }

    void throw_fault() const {
        if (has_fault_) throw fault_;
    }

  private:
    /// Runs a chunk of some section, or begins a section. Returns false if there is no work.
    bool take(uint32_t thread, bool fresh) {
        for (size_t i = 0; i < count_; i++) {
            Section &section = sections_[(thread + i) % count_];
            uint64_t ticket = section.ticket.load(std::memory_order_acquire);
            while (next_of(ticket) < chunks_of(ticket) && (is_fresh(ticket) || !fresh)) {
                if (!section.ticket.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel,
                                                          std::memory_order_acquire))
                    continue;
                if (is_fresh(ticket))
                    go_on(section, thread);
                else
                    run_chunk(section, thread, next_of(ticket));
                return true;
            }
        }
        return false;
    }

    void run_chunk(Section &section, uint32_t thread, uint32_t chunk) {
        const HostTask &task = section.tasks[section.next - 1];
        const int64_t from = section.begin + int64_t(chunk) * section.chunk;
        if (!must_leave())
            guarded(section, task, thread, from, std::min(from + section.chunk, section.end), task.entry->load()->body);
        if (section.left.fetch_sub(1, std::memory_order_acq_rel) == 1) go_on(section, thread);
    }

    /// Runs the tasks of a section from its next one on. No other thread touches the section until a range is published.
    void go_on(Section &section, uint32_t thread) {
        const auto since = std::chrono::steady_clock::now();
        const auto note_time = [&] {
            section.alone +=
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - since).count();
        };
        uint32_t ranges = 0; // ranges that did not become chunks
        while (section.next < section.tasks.size() && !must_leave()) {
            const HostTask &task = section.tasks[section.next++];
            section.launch.head().counters = task.counters;
            section.launch.head().task = task.record;
            if (!is_range(task)) {
                guarded(section, task, thread, 0, 1, task.entry->load()->body);
                continue;
            }
            Start start{*task.info, task.bounds, *task.entry->load()};
            const bool is_read = guarded(section, task, thread, reinterpret_cast<int64_t>(&start), 0, Start::run);
            if (!is_read || start.is_small()) {
                ranges++;
                continue;
            }
            note_time();
            publish(section, start, task);
            return forget_ranges(ranges + 1);
        }
        note_time();
        for (; section.next < section.tasks.size(); section.next++) ranges += is_range(section.tasks[section.next]);
        forget_ranges(ranges);
    }

    void publish(Section &section, const Start &start, const HostTask &task) {
        section.begin = start.range[0];
        section.end = start.range[1];
        section.chunk = chunk_size(start.size(), task.info->weight,
                                   task.info->block_dim ? task.info->block_dim : block_dim_, int(states_.size()));
        const uint32_t chunks = uint32_t((start.size() + section.chunk - 1) / section.chunk);
        section.left.store(chunks, std::memory_order_relaxed);
        section.ticket.store(make_ticket(section.next, chunks), std::memory_order_release);
    }

    /// Reduces the number of ranges that may still become chunks.
    void forget_ranges(uint32_t count) {
        if (count == 0) return;
        ranges_.fetch_sub(count, std::memory_order_acq_rel);
        changes_.fetch_add(1, std::memory_order_release);
        changes_.notify_all();
    }

    void wait_for_change(uint32_t seen) {
        const auto sleep_at = std::chrono::steady_clock::now() + spin_time;
        for (int i = 0; changes_.load(std::memory_order_acquire) == seen; i++) {
            pause_briefly();
            if (i % 32 == 31 && std::chrono::steady_clock::now() >= sleep_at)
                return changes_.wait(seen, std::memory_order_acquire);
        }
    }

    bool must_leave() const {
        const abi::StreamWords &words = launch_.stream;
        return (words.stop && *words.stop) || (words.failed && __atomic_load_n(words.failed, __ATOMIC_RELAXED));
    }

    bool guarded(Section &section, const HostTask &task, uint32_t thread, int64_t begin, int64_t end, abi::Body body) {
        try {
            call_guarded(&section.launch.head(), &states_[thread], begin, end, body);
            return true;
        } catch (const Fault &met) {
            if (!has_fault_.exchange(true)) {
                fault_ = met;
                fault_.task = task.record;
            }
            if (launch_.stream.failed) __atomic_store_n(launch_.stream.failed, 1, __ATOMIC_RELAXED);
            return false;
        }
    }

    std::span<Launcher::State> states_;
    uint32_t block_dim_;
    const abi::Launch &launch_;
    size_t count_ = 0;
    std::unique_ptr<Section[]> sections_;
    std::atomic<uint32_t> ranges_{0};  ///< ranges that may still become chunks
    std::atomic<uint32_t> changes_{0}; ///< number of changes that a waiting thread must check for
    std::atomic<bool> has_fault_{false};
    Fault fault_;
};

} // namespace

double run_sections(Pool &pool, std::span<Launcher::State> states, uint32_t block_dim, std::span<const HostTask> tasks,
                    const abi::Launch &launch) {
    Run run(states, block_dim, tasks, launch);
    const auto work = [](const void *job, uint32_t thread, uint32_t) {
        const_cast<Run *>(static_cast<const Run *>(job))->work(thread);
    };
    pool.run(work, &run, std::min(run.threads_wanted(), uint32_t(states.size())));
    run.throw_fault();
    return run.saved();
}

} // namespace qd::runtime
