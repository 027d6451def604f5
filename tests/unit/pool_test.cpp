#include "runtime/launcher.h"
#include "runtime/pool.h"

#include <gtest/gtest.h>

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
            while (job.threads != 3) std::this_thread::sleep_for(std::chrono::milliseconds(1)); // both are there
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

// Launcher

struct Task {
    abi::Task info;
    abi::Launch launch{};
    int64_t lo, hi;
    uint32_t stop = 0, failed = 0;
    std::vector<std::atomic<uint8_t>> seen;
    std::atomic<int> chunks{0};
    std::atomic<uint32_t> threads{0};

    Task(int64_t begin, int64_t end, float weight)
        : lo(begin), hi(end), seen(size_t(std::max<int64_t>(0, end - begin))) {
        info.kind = abi::TaskKind::range;
        info.weight = weight;
        launch.host.task = this;
        launch.data.stop = &stop;
        launch.data.failed = &failed;
    }
    static Task &of(const abi::Launch *c) { return *const_cast<Task *>(static_cast<const Task *>(c->host.task)); }
    static void bounds(const abi::Launch *c, abi::Thread *, int64_t *out) {
        out[0] = of(c).lo;
        out[1] = of(c).hi;
    }
    static void body(const abi::Launch *c, abi::Thread *thread, int64_t begin, int64_t end) {
        Task &task = of(c);
        task.chunks++;
        task.threads |= 1u << thread->index;
        for (int64_t i = begin; i < end; i++) task.seen[size_t(i - task.lo)]++;
    }
    bool all_once() const {
        for (const auto &s : seen)
            if (s != 1) return false;
        return true;
    }
};

TEST(Launcher, every_index_is_visited_once) {
    Launcher launcher(2);
    for (float weight : {0.1f, 1.0f, 7.5f, 1000.0f, 1e9f})
        for (auto [lo, hi] : {std::pair<int64_t, int64_t>{0, 0}, {5, 2}, {-3, 4}, {0, 1}, {0, 1000}, {-70000, 130001}})
            for (uint32_t block : {0u, 1u, 32u, 100000u}) {
                Task task(lo, hi, weight);
                task.info.block_dim = block;
                launcher.run(task.info, Task::body, Task::bounds, task.launch);
                ASSERT_TRUE(task.all_once()) << lo << ".." << hi << " weight " << weight << " block " << block;
            }
}

TEST(Launcher, little_work_stays_on_the_caller) {
    Launcher launcher(2);
    Task task(0, 1000, 2);
    launcher.run(task.info, Task::body, Task::bounds, task.launch);
    EXPECT_EQ(task.chunks, 1);
    EXPECT_EQ(task.threads, 1u);
    Task heavy(0, 1000, 1000);
    launcher.run(heavy.info, Task::body, Task::bounds, heavy.launch);
    EXPECT_GT(heavy.chunks, 4);
}

TEST(Launcher, stop_and_failure_leave_out_the_chunks_not_begun) {
    Launcher launcher(2);
    for (bool stop : {false, true}) {
        Task task(0, 100000, 100);
        (stop ? task.stop : task.failed) = 1;
        launcher.run(task.info, Task::body, Task::bounds, task.launch);
        EXPECT_EQ(task.chunks, 0);
    }
}

TEST(Launcher, a_serial_task_runs_once) {
    Launcher launcher(2);
    Task task(0, 1, 1);
    task.info.kind = abi::TaskKind::serial;
    launcher.run(task.info, Task::body, nullptr, task.launch);
    EXPECT_TRUE(task.all_once());
}

#if defined(__x86_64__)
TEST(Launcher, denormals_are_zero_on_every_thread_and_the_caller_gets_its_mode_back) {
    Launcher launcher(2);
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
    abi::Task info;
    info.kind = abi::TaskKind::range;
    info.weight = 1e5;
    static std::atomic<int> wrong{0}, ran{0};
    abi::Launch launch{};
    launcher.run(
        info,
        +[](const abi::Launch *, abi::Thread *, int64_t, int64_t) {
            volatile float tiny = 1e-38f;
            wrong += tiny * 0.01f != 0.0f;
            ran++;
        },
        [](const abi::Launch *, abi::Thread *, int64_t *out) {
            out[0] = 0;
            out[1] = 1000;
        },
        launch);
    EXPECT_GT(ran, 1);
    EXPECT_EQ(wrong, 0);
    volatile float tiny = 1e-38f;
    EXPECT_NE(tiny * 0.01f, 0.0f);
}
#endif

} // namespace
} // namespace qd::runtime
