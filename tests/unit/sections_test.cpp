#include "runtime/sections.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <random>
#include <thread>

namespace qd::runtime {
namespace {

/// A task that counts its calls, and checks that the previous task of its section has ended and the next one has not begun.
struct Step {
    abi::Task info;
    TaskEntry build{body, {}};
    std::atomic<const TaskEntry *> code{&build};
    uint64_t counter = 0;
    int64_t n = 1;
    std::atomic<int64_t> done{0};
    Step *before = nullptr;
    std::atomic<bool> in_order{true};

    static Step &of(const abi::Launch *launch) { return *const_cast<Step *>(static_cast<const Step *>(launch->task)); }
    static void bounds(const abi::Launch *launch, abi::Thread *, int64_t *out) {
        Step &step = of(launch);
        out[0] = 0;
        out[1] = step.n;
        if (!step.is_after_its_turn(launch)) step.in_order = false;
    }
    static void body(const abi::Launch *launch, abi::Thread *, int64_t begin, int64_t end) {
        Step &step = of(launch);
        if (!step.is_after_its_turn(launch)) step.in_order = false;
        step.done += end - begin;
    }
    bool is_after_its_turn(const abi::Launch *launch) {
        return launch->counters == &counter && (!before || before->done == before->n);
    }
    bool all_once() const { return in_order && done == n; }
};

struct Sections {
    std::deque<Step> steps;
    std::vector<HostTask> tasks;
    uint32_t stop = 0, failed = 0;
    abi::Launch launch{};

    Sections() {
        launch.stream.stop = &stop;
        launch.stream.failed = &failed;
    }
    Step &add(int32_t section, abi::TaskKind kind, int64_t n, float weight) {
        Step *const before = !steps.empty() && steps.back().info.graph.section == section ? &steps.back() : nullptr;
        Step &step = steps.emplace_back();
        step.info.kind = kind;
        step.info.weight = weight;
        step.info.graph.section = section;
        step.n = kind == abi::TaskKind::serial ? 1 : n;
        step.before = before;
        return step;
    }
    double run(Launcher &launcher) {
        tasks.clear();
        for (Step &step : steps) {
            step.done = 0;
            tasks.push_back({&step.info, &step.code, Step::bounds, &step.counter, &step});
        }
        return launcher.run_sections(tasks, launch);
    }
    bool all_once() const {
        for (const Step &step : steps)
            if (!step.all_once()) return false;
        return true;
    }
};

TEST(Sections, TasksOfASectionRunInOrderAndOnce) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return int(random() % unsigned(n)); };
    for (int threads : {1, 2, 3, 8}) {
        Launcher launcher(threads);
        for (int round = 0; round < 300; round++) {
            Sections all;
            const int sections = 1 + below(6);
            for (int32_t section = 0; section < sections; section++)
                for (int i = 1 + below(4); i > 0; i--) {
                    const auto kind = below(2) ? abi::TaskKind::serial : abi::TaskKind::range;
                    constexpr int64_t counts[] = {0, 1, 5, 1000, 50'000};
                    all.add(section, kind, counts[below(5)], below(2) ? 1.0f : 500.0f);
                }
            all.run(launcher);
            ASSERT_TRUE(all.all_once()) << threads << " threads, round " << round;
            all.run(launcher);
            ASSERT_TRUE(all.all_once()) << threads << " threads, again";
        }
    }
}

/// Waits until the other section's task has also begun.
struct Meeting {
    static inline std::atomic<int> begun{0};
    static inline std::atomic<bool> met{false};
    static void body(const abi::Launch *, abi::Thread *, int64_t, int64_t) {
        begun++;
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (begun < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
        met = begun >= 2;
    }
};

TEST(Sections, SerialTasksOfTwoSectionsRunAtOnce) {
    Launcher launcher(2);
    Sections all;
    for (int32_t section : {0, 1}) all.add(section, abi::TaskKind::serial, 1, 1).build.body = Meeting::body;
    all.run(launcher);
    EXPECT_TRUE(Meeting::met);
}

TEST(Sections, ReportsTheTimeSaved) {
    Launcher launcher(2);
    Sections all;
    const auto slow = [](const abi::Launch *, abi::Thread *, int64_t, int64_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    };
    for (int32_t section : {0, 1, 2}) all.add(section, abi::TaskKind::serial, 1, 1).build.body = slow;
    EXPECT_GT(all.run(launcher), 5000); // two of the three sections
    Sections wide;                      // uses all threads already
    for (int32_t section : {0, 1}) wide.add(section, abi::TaskKind::range, 1000, 1000);
    EXPECT_LT(wide.run(launcher), 5000);
    EXPECT_TRUE(wide.all_once());
}

TEST(Sections, StopAndFailureSkipTasksThatHaveNotBegun) {
    Launcher launcher(2);
    for (bool stop : {false, true}) {
        Sections all;
        for (int32_t section : {0, 1, 2}) {
            all.add(section, abi::TaskKind::serial, 1, 1);
            all.add(section, abi::TaskKind::range, 50'000, 500);
        }
        (stop ? all.stop : all.failed) = 1;
        all.run(launcher);
        for (const Step &step : all.steps) EXPECT_EQ(step.done, 0);
    }
    // One task requests a stop: the run ends, although others wait for ranges that never come.
    for (int round = 0; round < 200; round++) {
        Sections all;
        const auto fail = [](const abi::Launch *launch, abi::Thread *, int64_t, int64_t) {
            __atomic_store_n(launch->stream.failed, 1, __ATOMIC_RELAXED);
        };
        all.add(0, abi::TaskKind::serial, 1, 1).build.body = fail;
        all.add(0, abi::TaskKind::range, 50'000, 500);
        all.add(1, abi::TaskKind::range, 50'000, 500);
        all.add(1, abi::TaskKind::range, 50'000, 500);
        all.run(launcher);
    }
}

} // namespace
} // namespace qd::runtime
