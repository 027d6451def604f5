#include "runtime/chunks.h"
#include "abi/record.h"
#include "runtime/launcher.h"
#include "runtime/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace qd::runtime {
namespace {

struct Counting {
    mutable std::vector<std::atomic<int>> hits;
    explicit Counting(size_t n) : hits(n) {}
    static void work(const void *job, uint32_t, uint32_t chunk) { static_cast<const Counting *>(job)->hits[chunk]++; }
    bool all_once(size_t n) const {
        for (size_t i = 0; i < n; i++)
            if (hits[i] != 1) return false;
        return true;
    }
};

TEST(Pool, every_chunk_runs_once) {
    for (int threads : {1, 2, 3, 8}) {
        Pool pool(threads);
        for (uint32_t chunks : {0u, 1u, 2u, 3u, 15u, 16u, 17u, 1000u, Pool::max_chunks}) {
            Counting job(chunks + 1);
            pool.run(Counting::work, &job, chunks);
            ASSERT_TRUE(job.all_once(chunks)) << threads << " threads, " << chunks << " chunks";
            ASSERT_EQ(job.hits[chunks], 0);
        }
    }
}

struct Looking {
    Pool &pool;
    uint32_t chunks;
    std::atomic<int> wrong{0};
    std::atomic<uint32_t> entered{0};
    static void work(const void *job, uint32_t, uint32_t) {
        Looking &own = *const_cast<Looking *>(static_cast<const Looking *>(job));
        const uint32_t at_least = ++own.entered;
        const Pool::JobProgress begun = own.pool.progress();
        own.wrong += begun.work != work || begun.chunks != own.chunks || begun.begun < at_least ||
                     begun.begun > std::min(own.chunks, own.entered + uint32_t(own.pool.threads()));
    }
};

TEST(Pool, reports_how_much_of_a_job_has_begun) {
    for (int threads : {1, 3}) {
        Pool pool(threads);
        EXPECT_EQ(pool.progress().work, nullptr);
        Looking job{pool, 1000};
        pool.run(Looking::work, &job, job.chunks);
        EXPECT_EQ(job.wrong, 0) << threads << " threads";
        EXPECT_EQ(pool.progress().work, nullptr) << "it is over";
    }
}

TEST(Pool, many_jobs_in_a_row_and_after_sleep) {
    Pool pool(3);
    std::atomic<long> total{0};
    auto add = [](const void *job, uint32_t, uint32_t) {
        ++*const_cast<std::atomic<long> *>(static_cast<const std::atomic<long> *>(job));
    };
    long expected = 0;
    for (int i = 0; i < 30000; i++) {
        pool.run(add, &total, uint32_t(1 + i % 7));
        expected += 1 + i % 7;
        if (i % 3000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ASSERT_EQ(total, expected);
    }
}

TEST(Pool, sleeping_threads_wake_while_there_is_work) {
    constexpr int threads = 9;
    Pool pool(threads);
    struct Meeting {
        mutable std::atomic<int> begun{0}, missed{0};
        static void work(const void *job, uint32_t, uint32_t) {
            const auto &here = *static_cast<const Meeting *>(job);
            here.begun++;
            const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (here.begun < threads) {
                if (std::chrono::steady_clock::now() > late) {
                    here.missed++;
                    return;
                }
                std::this_thread::yield();
            }
        }
    };
    for (int i = 0; i < 20; i++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2)); // longer than the workers spin
        Meeting meeting;
        pool.run(Meeting::work, &meeting, threads);
        ASSERT_EQ(meeting.missed, 0);
    }
}

TEST(Pool, thread_numbers_are_in_range_and_exclusive) {
    Pool pool(4);
    struct Job {
        mutable std::atomic<int> inside[4] = {};
        mutable std::atomic<bool> bad{false};
    } job;
    pool.run(
        [](const void *j, uint32_t thread, uint32_t) {
            const Job &job = *static_cast<const Job *>(j);
            if (thread >= 4 || job.inside[thread]++ != 0) job.bad = true;
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            if (thread < 4) job.inside[thread]--;
        },
        &job, 200);
    EXPECT_FALSE(job.bad);
}

struct Shared {
    uint32_t threads;
    mutable std::vector<std::atomic<uint32_t>> by; ///< thread that ran the chunk
    mutable std::atomic<uint32_t> met{0};
    static void work(const void *job, uint32_t thread, uint32_t chunk) {
        const Shared &own = *static_cast<const Shared *>(job);
        own.by[chunk] = thread;
        const uint32_t part = uint32_t(own.by.size()) / own.threads;
        if (chunk % part != part / 4) return;
        own.met++; // no thread helps others before all have reached this point
        const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (own.met < own.threads && std::chrono::steady_clock::now() < late) std::this_thread::yield();
    }
};

TEST(Pool, a_thread_runs_the_same_part_of_each_job) {
    constexpr uint32_t threads = 3, part = 20;
    Pool pool(threads);
    for (int i = 0; i < 5; i++) {
        Shared job{threads, std::vector<std::atomic<uint32_t>>(threads * part)};
        pool.run(Shared::work, &job, threads * part);
        for (uint32_t t = 0; t < threads; t++)
            for (uint32_t c = 0; c <= part / 4; c++) // other threads may have taken some of the later chunks
                ASSERT_EQ(job.by[t * part + c], t) << "chunk " << c << " of its part";
    }
}

TEST(Pool, others_run_the_part_of_a_delayed_thread) {
    Pool pool(3);
    struct Job {
        mutable std::atomic<uint32_t> ran{0}, missed{0};
        static void work(const void *j, uint32_t, uint32_t chunk) {
            const Job &job = *static_cast<const Job *>(j);
            job.ran++;
            const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (chunk == 0 && job.ran < 300) { // the first chunk of a part waits for all others of the part
                if (std::chrono::steady_clock::now() > late) {
                    job.missed++;
                    return;
                }
                std::this_thread::yield();
            }
        }
    };
    for (int i = 0; i < 20; i++) {
        Job job;
        pool.run(Job::work, &job, 300);
        ASSERT_EQ(job.ran, 300u);
        ASSERT_EQ(job.missed, 0u);
    }
}

TEST(Pool, old_parts_of_earlier_jobs_are_ignored) {
    Pool pool(8);
    for (int i = 0; i < 3000; i++) {
        const uint32_t chunks = i % 100 == 99 ? 64 : 2;
        Counting job(chunks);
        pool.run(Counting::work, &job, chunks);
        ASSERT_TRUE(job.all_once(chunks)) << i;
    }
}

TEST(Pool, a_nested_job_runs_inline) {
    Pool pool(2);
    struct Job {
        Pool *pool;
        mutable std::atomic<int> inner{0};
    } job{&pool};
    pool.run(
        [](const void *j, uint32_t, uint32_t) {
            const Job &job = *static_cast<const Job *>(j);
            job.pool->run([](const void *k, uint32_t, uint32_t) { static_cast<const Job *>(k)->inner++; }, j, 10);
        },
        &job, 20);
    EXPECT_EQ(job.inner, 200);
}

TEST(Pool, jobs_of_several_threads_do_not_mix) {
    Pool pool(2);
    std::atomic<int> bad{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; t++)
        callers.emplace_back([&] {
            for (int i = 0; i < 500; i++) {
                Counting job(33);
                pool.run(Counting::work, &job, 33);
                bad += !job.all_once(33);
            }
        });
    for (std::thread &caller : callers) caller.join();
    EXPECT_EQ(bad, 0);
}

TEST(Pool, the_first_exception_reaches_the_caller_after_the_job) {
    Pool pool(2);
    struct Job {
        mutable std::atomic<int> ran{0};
    } job;
    auto work = [](const void *j, uint32_t, uint32_t chunk) {
        static_cast<const Job *>(j)->ran++;
        if (chunk % 10 == 3) throw std::runtime_error("chunk");
    };
    for (int i = 0; i < 20; i++) EXPECT_THROW(pool.run(work, &job, 100), std::runtime_error);
    EXPECT_EQ(job.ran, 2000);
    Counting after(50);
    pool.run(Counting::work, &after, 50);
    EXPECT_TRUE(after.all_once(50));
}

TEST(Pool, a_forked_child_has_threads_of_its_own) {
    Pool pool(2);
    Counting warm(10);
    pool.run(Counting::work, &warm, 10);
    const pid_t child = fork();
    if (child == 0) {
        struct Job {
            mutable std::atomic<uint32_t> threads{0};
        } job;
        auto work = [](const void *j, uint32_t thread, uint32_t) {
            const Job &job = *static_cast<const Job *>(j);
            job.threads |= 1u << thread;
            while (job.threads != 3) std::this_thread::sleep_for(std::chrono::milliseconds(1)); // both have joined
        };
        pool.run(work, &job, 40);
        _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    Counting after(10);
    pool.run(Counting::work, &after, 10);
    EXPECT_TRUE(after.all_once(10));
}

TEST(Pool, the_shared_pool_is_kept_while_its_size_is_asked_for) {
    const Pool *first = Pool::shared(2).get();
    EXPECT_EQ(Pool::shared(2).get(), first);
    EXPECT_EQ(Pool::shared(3)->threads(), 3);
    EXPECT_EQ(Pool::shared(0)->threads(), usable_cores());
}

// The launcher

struct Task {
    abi::Task info;
    abi::Launch launch{};
    int64_t lo, hi;
    uint32_t stop = 0, failed = 0;
    std::vector<std::atomic<uint8_t>> seen;
    std::atomic<int> chunks{0};
    std::atomic<uint32_t> threads{0};
    std::atomic<bool> alone{false}, beside{false}; ///< true if some chunk ran so

    Task(int64_t begin, int64_t end, float weight)
        : lo(begin), hi(end), seen(size_t(std::max<int64_t>(0, end - begin))) {
        info.kind = abi::TaskKind::range;
        info.weight = weight;
        launch.task = this;
        launch.stream.stop = &stop;
        launch.stream.failed = &failed;
    }
    static Task &of(const abi::Launch *c) { return *const_cast<Task *>(static_cast<const Task *>(c->task)); }
    static void bounds(const abi::Launch *c, abi::Thread *, int64_t *out) {
        out[0] = of(c).lo;
        out[1] = of(c).hi;
    }
    static void body(const abi::Launch *c, abi::Thread *thread, int64_t begin, int64_t end) {
        Task &task = of(c);
        task.chunks++;
        task.threads |= 1u << thread->index;
        (thread->alone ? task.alone : task.beside) = true;
        for (int64_t i = begin; i < end; i++) task.seen[size_t(i - task.lo)]++;
    }
    static const TaskEntry build;
    bool all_once() const {
        for (const auto &s : seen)
            if (s != 1) return false;
        return true;
    }
};

const TaskEntry Task::build{Task::body, {}};

TEST(Launcher, every_index_is_visited_once) {
    Launcher launcher(2);
    for (float weight : {0.1f, 1.0f, 7.5f, 1000.0f, 1e9f})
        for (auto [lo, hi] : {std::pair<int64_t, int64_t>{0, 0}, {5, 2}, {-3, 4}, {0, 1}, {0, 1000}, {-70000, 130001}})
            for (uint32_t block : {0u, 1u, 32u, 100000u}) {
                Task task(lo, hi, weight);
                task.info.block_dim = block;
                launcher.run(task.info, &Task::build, Task::bounds, task.launch);
                ASSERT_TRUE(task.all_once()) << lo << ".." << hi << " weight " << weight << " block " << block;
            }
}

TEST(Launcher, loops_without_a_block_size_take_that_of_the_launcher) {
    const auto chunks = [](Launcher &launcher, uint32_t own) {
        Task task(0, 1000, 1000);
        task.info.block_dim = own;
        launcher.run(task.info, &Task::build, Task::bounds, task.launch);
        EXPECT_TRUE(task.all_once());
        return task.chunks.load();
    };
    Launcher plain(2), blocks(2, 100);
    EXPECT_GT(chunks(plain, 0), 10);
    EXPECT_EQ(chunks(blocks, 0), 10);
    EXPECT_EQ(chunks(blocks, 250), 4);
}

TEST(Launcher, little_work_stays_on_the_caller) {
    Launcher launcher(2);
    Task task(0, 1000, 2);
    launcher.run(task.info, &Task::build, Task::bounds, task.launch);
    EXPECT_EQ(task.chunks, 1);
    EXPECT_EQ(task.threads, 1u);
    Task heavy(0, 1000, 1000);
    launcher.run(heavy.info, &Task::build, Task::bounds, heavy.launch);
    EXPECT_GT(heavy.chunks, 4);
}

TEST(Launcher, tasks_know_if_they_are_alone) {
    Launcher one(1), two(2);
    for (Launcher *launcher : {&two, &one, &two}) {
        Task small(0, 1000, 2), large(0, 1000, 1000), serial(0, 1, 1);
        serial.info.kind = abi::TaskKind::serial;
        launcher->run(large.info, &Task::build, Task::bounds, large.launch);
        launcher->run(small.info, &Task::build, Task::bounds, small.launch);
        launcher->run(serial.info, &Task::build, nullptr, serial.launch);
        EXPECT_EQ(large.alone, launcher == &one);
        EXPECT_EQ(large.beside, launcher == &two);
        EXPECT_TRUE(small.alone && !small.beside);
        EXPECT_TRUE(serial.alone && !serial.beside);
    }
}

/// Each index adds 1 to a word of an array, in a copy if the thread has one.
struct Scatter : Task {
    std::vector<int32_t> to;
    abi::LaunchRecord record{2};
    std::atomic<int> in_copies{0};
    TaskEntry entry{add, {}};

    Scatter(int64_t n, size_t words) : Task(0, n, 10), to(words) {
        record.head() = launch;
        record.args()[0] = reinterpret_cast<uint64_t>(to.data());
        record.args()[1] = words;
        abi::Accumulation what;
        what.word_bytes = what.end = 4;
        what.ndim = 1;
        what.updates = 1;
        entry.accumulations = {what};
    }
    static void add(const abi::Launch *c, abi::Thread *thread, int64_t begin, int64_t end) {
        auto &own = static_cast<Scatter &>(of(c));
        own.in_copies += thread->copy_offset[0] != 0;
        for (int64_t i = begin; i < end; i++) {
            char *shared = reinterpret_cast<char *>(&own.to[size_t(i) % own.to.size()]);
            __atomic_fetch_add(reinterpret_cast<int32_t *>(shared + thread->copy_offset[0]), 1, __ATOMIC_RELAXED);
        }
    }
    void run(Launcher &launcher) { launcher.run(info, &entry, bounds, record.head()); }
};

TEST(Launcher, small_arrays_have_privatised_copies) {
    Launcher launcher(3);
    for (const size_t words : {size_t(1), size_t(5000), size_t(17), size_t(5001), size_t(40000)}) {
        Scatter much(200000, words);
        much.run(launcher);
        EXPECT_GT(much.in_copies, 0) << words;
        for (size_t w = 0; w < words; w++)
            ASSERT_EQ(much.to[w], int32_t(200000 / words + (w < 200000 % words))) << w << " of " << words;
    }
    Scatter large(200000, 2000000), little(100, 5);
    large.run(launcher);
    EXPECT_EQ(large.in_copies, 0);
    little.run(launcher);
    EXPECT_EQ(little.in_copies, 0);
    Scatter nothing(200000, 1);
    nothing.record.args()[1] = 0; // an empty array has no privatised copies
    nothing.run(launcher);
    EXPECT_EQ(nothing.in_copies, 0);
}

TEST(Launcher, a_build_that_accumulates_otherwise_does_not_join_a_launch_in_copies) {
    const TaskEntry one{Scatter::add, {{.word_bytes = 4}}}, more{Scatter::add, {{.word_bytes = 4, .updates = 2}}};
    EXPECT_TRUE(one.accumulates_like(more)); // only an estimate
    const TaskEntry other{Scatter::add, {{.word_bytes = 4, .slot = 1}}}, none{Scatter::add, {}};
    EXPECT_FALSE(one.accumulates_like(other));
    EXPECT_FALSE(one.accumulates_like(none));
}

/// Code without lock prefixes, and the same with them: each records on how many threads at once, and where, it was called.
struct Unlocked : Scatter {
    std::atomic<int> shared{0}, locked_calls{0}, lone_calls{0};
    TaskEntry with_locks{locked, {}};
    std::atomic<const TaskEntry *> other{&with_locks};

    Unlocked(int64_t n, size_t words, abi::Needs needs) : Scatter(n, words) {
        entry.body = lone;
        entry.updates = {.needs = needs, .any = 1};
        with_locks.updates = {.any = 1};
        if (needs == abi::Needs::alone) entry.accumulations.clear();
    }
    static void lone(const abi::Launch *c, abi::Thread *thread, int64_t begin, int64_t end) {
        auto &own = static_cast<Unlocked &>(of(c));
        own.lone_calls++;
        own.shared += !thread->alone && !thread->copy_offset[0];
        add(c, thread, begin, end);
    }
    static void locked(const abi::Launch *c, abi::Thread *thread, int64_t begin, int64_t end) {
        static_cast<Unlocked &>(of(c)).locked_calls++;
        add(c, thread, begin, end);
    }
    bool is_right() const {
        for (size_t w = 0; w < to.size(); w++)
            if (to[w] != int32_t(200000 / to.size() + (w < 200000 % to.size()))) return false;
        return true;
    }
};

TEST(Launcher, code_without_locks_runs_on_one_thread_or_in_copies) {
    for (const int threads : {1, 3}) {
        Launcher launcher(threads);
        Unlocked copied(200000, 17, abi::Needs::copies);
        copied.run(launcher);
        EXPECT_TRUE(copied.is_right());
        EXPECT_EQ(copied.in_copies > 0, threads > 1);
        EXPECT_EQ(copied.shared, 0);
        for (const bool alone : {false, true}) { // there is no code with lock prefixes
            Unlocked large(200000, alone ? 17 : 2000000, alone ? abi::Needs::alone : abi::Needs::copies);
            large.run(launcher);
            EXPECT_TRUE(large.is_right());
            EXPECT_EQ(large.shared, 0);
            EXPECT_EQ(large.in_copies, 0);
        }
    }
}

TEST(Launcher, code_with_locks_is_requested_if_several_threads_pay) {
    static Unlocked *now;
    static int asked;
    const auto give = [](const abi::Launch &) {
        asked++;
        now->entry.locked = &now->other;
    };
    for (const int threads : {1, 3})
        for (const abi::Needs needs : {abi::Needs::alone, abi::Needs::copies}) {
            Launcher launcher(threads, 0, give);
            Unlocked large(200000, 2000000, needs), little(50, 5, needs);
            asked = 0;
            now = &little;
            little.run(launcher);
            EXPECT_EQ(asked, 0);
            now = &large;
            for (const int round : {1, 2}) {
                std::ranges::fill(large.to, 0);
                large.run(launcher);
                EXPECT_TRUE(large.is_right());
                EXPECT_EQ(large.shared, 0);
                EXPECT_EQ(asked, threads > 1) << round;
                EXPECT_EQ(large.locked_calls > 0, threads > 1);
                EXPECT_EQ(large.lone_calls > 0, threads == 1);
            }
            EXPECT_EQ(large.entry.last().how, threads > 1 ? UpdateMode::How::locked : UpdateMode::How::unlocked);
        }
}

TEST(Launcher, a_build_that_needs_more_does_not_join_a_launch_of_several_threads) {
    struct Replaced : Unlocked {
        std::atomic<const TaskEntry *> now{&with_locks};
        Replaced() : Unlocked(200000, 2000000, abi::Needs::alone) { with_locks.body = replacing; }
        static void replacing(const abi::Launch *c, abi::Thread *thread, int64_t begin, int64_t end) {
            auto &own = static_cast<Replaced &>(of(c));
            own.now = &own.entry;
            locked(c, thread, begin, end);
        }
    } task;
    Launcher launcher(3);
    launcher.run(task.info, task.now, Task::bounds, task.launch);
    EXPECT_TRUE(task.is_right());
    EXPECT_EQ(task.lone_calls, 0);
    EXPECT_GT(task.locked_calls, 1);
}

TEST(Launcher, stop_and_failure_skip_chunks_that_have_not_begun) {
    Launcher launcher(2);
    for (bool stop : {false, true}) {
        Task task(0, 100000, 100);
        (stop ? task.stop : task.failed) = 1;
        launcher.run(task.info, &Task::build, Task::bounds, task.launch);
        EXPECT_EQ(task.chunks, 0);
    }
}

TEST(Launcher, a_serial_task_runs_once) {
    Launcher launcher(2);
    Task task(0, 1, 1);
    task.info.kind = abi::TaskKind::serial;
    launcher.run(task.info, &Task::build, nullptr, task.launch);
    EXPECT_TRUE(task.all_once());
}

TEST(Launcher, chunks_outweigh_their_fixed_cost) {
    EXPECT_LE(chunk_size(1024, 16000, 0, 2), 64);
    EXPECT_EQ(chunk_size(1024, {16000, 20000}, 0, 2), 256);                                  // two for each thread
    EXPECT_EQ(chunk_size(1 << 20, {10, 2000}, 0, 1), chunk_size(1 << 20, {10, 2000}, 0, 4)); // there are many chunks
    EXPECT_EQ(chunk_size(1024, {16000, 20000}, 32, 2), 32);
}

#if defined(__x86_64__)
bool flushes_now() { return (_mm_getcsr() & 0x8040u) == 0x8040u; }

TEST(Launcher, every_thread_has_the_mode_of_the_task_and_the_callers_is_restored) {
    Launcher launcher(2);
    static std::atomic<int> flushed{0}, ran{0};
    TaskEntry build{[](const abi::Launch *, abi::Thread *, int64_t, int64_t) {
                        volatile float tiny = 1e-38f;
                        flushed += tiny * 0.01f == 0.0f && flushes_now();
                        ran++;
                    },
                    {}};
    const unsigned before = _mm_getcsr();
    for (const Subnormals callers : {Subnormals::kept, Subnormals::flushed})
        for (const Subnormals wanted : {Subnormals::flushed, Subnormals::kept})
            for (const bool minds : {true, false})
                for (const bool plain : {true, false})
                    for (const float weight : {1.0f, 1e5f}) { // the heavy one goes to the pool
                        set_subnormals(callers);
                        flushed = ran = 0;
                        build.subnormals = wanted;
                        build.depends_on_subnormals = minds;
                        build.is_plain = plain;
                        abi::Task info;
                        info.kind = abi::TaskKind::range;
                        info.weight = weight;
                        abi::Launch launch{};
                        launcher.run(
                            info, &build,
                            +[](const abi::Launch *, abi::Thread *, int64_t *out) {
                                out[0] = 0;
                                out[1] = 1000;
                            },
                            launch);
                        EXPECT_GT(ran, 0);
                        const bool of_caller = !minds && weight == 1; // the mode is not switched
                        const Subnormals then = of_caller ? callers : wanted;
                        EXPECT_EQ(flushed, then == Subnormals::flushed ? ran.load() : 0)
                            << int(callers) << int(wanted) << minds << plain << weight;
                        EXPECT_EQ(subnormals_now(), callers);
                    }
    _mm_setcsr(before);
}
#endif

} // namespace
} // namespace qd::runtime
