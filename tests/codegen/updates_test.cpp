// Updates with and without lock prefixes: which ones have them, and that both have the same results.
#include "run_task.h"

#include "abi/accumulation.h"

#include <functional>
#include <string>

using namespace qd;
using test::Launch;

namespace {

/// Adds 3 to one number, and stores its old value in another.
std::string adding(const std::string &op, const std::string &extra = "") {
    return "task serial @add(%0: array<i32, 1>, %1: array<i32, 1>)\n"
           "    %2: i32 = constant 3\n"
           "    %3: ptr<i32> = array_base %0\n"
           "    %4: i32 = " +
           op +
           " %3, %2\n"
           "    %5: ptr<i32> = array_base %1\n"
           "    store %5, %4\n" +
           extra + "    ret\n";
}

size_t count(const std::string &text, const std::string &what) {
    size_t n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

size_t locks(const ir::Function &task) {
    return count(test::lowering().disassemble(task, backends::Tier::best, backends::Listing::given), "atomicrmw");
}

/// Returns the accumulations of the task of a kernel over `%0: array<f32, 1>` and `%1: array<i32, 1>`; `body` runs for each index %4, at %6
/// in %0.
std::vector<qd::abi::Accumulation> listed(const std::string &body,
                                          const std::function<void(ir::Function &)> &change = {},
                                          qd::abi::Updates *updates = nullptr) {
    const std::string text = "fn @k(%0: array<f32, 1>, %1: array<i32, 1>)\n"
                             "    %2: i32 = constant 0\n"
                             "    %3: i32 = dim %1 !0\n"
                             "    parallel %2, %3 (%4: i32)\n"
                             "        %5: f32 = constant 3\n"
                             "        %6: ptr<f32> = element %0, %2, %2\n" +
                             body +
                             "        yield\n"
                             "    ret\n";
    ir::Function kernel = test::read_task(text);
    kernel.fast_math = true;
    std::vector<ir::Function> tasks = test::lowering().cut(kernel);
    EXPECT_EQ(tasks.size(), 1u);
    if (change) change(tasks[0]);
    std::string error;
    const auto code = backends::load_elf(test::compile(tasks[0]), &error);
    EXPECT_TRUE(code) << error;
    if (updates) {
        const auto bytes = code->constants(qd::abi::updates_symbol);
        *updates = {};
        if (bytes.size() >= sizeof *updates) std::memcpy(updates, bytes.data(), sizeof *updates);
    }
    std::vector<qd::abi::Accumulation> out;
    for (auto bytes = code->constants(qd::abi::accumulations_symbol); bytes.size() >= sizeof(qd::abi::Accumulation);
         bytes = bytes.subspan(sizeof(qd::abi::Accumulation))) {
        qd::abi::Accumulation one;
        std::memcpy(&one, bytes.data(), sizeof one);
        if (!one.word_bytes) break;
        out.push_back(one);
    }
    return out;
}

const std::string adds = "        %7: f32 = atomic_add %6, %5\n";

} // namespace

TEST(Updates, AccumulationsAreListed) {
    const auto found = listed(adds);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].word_bytes, 4u);
    EXPECT_EQ(found[0].neutral, 0u);
    EXPECT_EQ(found[0].end, 4u);
    EXPECT_EQ(found[0].slot, 0u);
    EXPECT_EQ(found[0].ndim, 1u);
    EXPECT_EQ(found[0].updates, 1.0f);
    EXPECT_EQ(found[0].where, qd::abi::Where::array);
    EXPECT_EQ(found[0].merge, qd::abi::Merge::add);
    EXPECT_EQ(found[0].number, qd::abi::Number::floating);
    const auto twice = listed(adds + "        %8: f32 = atomic_add %6, %5\n");
    ASSERT_EQ(twice.size(), 1u);
    EXPECT_EQ(twice[0].updates, 2.0f);
    const auto smallest = listed("        %7: f32 = atomic_min %6, %5\n");
    ASSERT_EQ(smallest.size(), 1u);
    EXPECT_EQ(smallest[0].neutral, 0x7fc00000u);
}

TEST(Updates, ReadOrSharedMemoryIsNotListed) {
    EXPECT_TRUE(listed("        %7: f32 = load %6\n").empty());
    EXPECT_TRUE(listed(adds + "        %8: f32 = load %6\n        store %6, %8\n").empty());
    EXPECT_TRUE(listed(adds + "        %8: f32 = atomic_max %6, %5\n").empty()); // two different operations
    EXPECT_TRUE(listed(adds + "        store %6, %7\n").empty());                // a use of the old value
    EXPECT_TRUE(listed("        %7: f32 = atomic_xchg %6, %5\n").empty());
    EXPECT_TRUE(listed("        %7: f32 = atomic_mul %6, %5\n").empty());
    EXPECT_TRUE(listed(adds, [](ir::Function &task) { task.distinct_arrays = false; }).empty());
    EXPECT_TRUE(listed(adds, [](ir::Function &task) { task.graph.region = 0; }).empty());
    EXPECT_TRUE(listed(adds, [](ir::Function &task) { task.set_flag(ir::CompileFlag::shared_reductions); }).empty());
}

TEST(Updates, TasksReportTheOrderTheyNeed) {
    using qd::abi::Order;
    const auto order = [](const std::string &body, bool distinct = true, bool asked = true) {
        qd::abi::Updates updates;
        listed(
            body,
            [&](ir::Function &task) {
                task.distinct_arrays = distinct;
                if (asked) task.set_flag(ir::CompileFlag::ordered);
            },
            &updates);
        return updates.order;
    };
    const std::string loads = "        %8: f32 = load %6\n";
    EXPECT_EQ(order(adds, true, false), Order::free);
    EXPECT_EQ(order(adds), Order::sums);
    EXPECT_EQ(order(loads), Order::same);
    EXPECT_EQ(order("        %7: f32 = atomic_min %6, %5\n"), Order::same);
    EXPECT_EQ(order(adds + "        %8: f32 = atomic_max %6, %5\n"), Order::one_thread);
    EXPECT_EQ(order("        %7: f32 = atomic_min %6, %5\n        store %6, %5\n"), Order::one_thread);
    EXPECT_EQ(order(adds + "        store %6, %7\n"), Order::one_thread);
    EXPECT_EQ(order("        %7: f32 = atomic_xchg %6, %5\n"), Order::one_thread);
    EXPECT_EQ(order("        %7: f32 = atomic_mul %6, %5\n"), Order::one_thread);
    EXPECT_EQ(order(adds, false), Order::one_thread);
    EXPECT_EQ(order(loads, false), Order::same);
}

TEST(Updates, ASerialTaskNeedsNoLock) {
    Launch launch;
    int32_t to = 39, old = 0;
    launch.args[0] = reinterpret_cast<uint64_t>(&to);
    launch.args[2] = reinterpret_cast<uint64_t>(&old);
    launch.thread.alone = 1;
    launch.run(adding("atomic_add"));
    EXPECT_EQ(to, 42);
    EXPECT_EQ(old, 39);
    EXPECT_EQ(locks(test::read_task(adding("atomic_add"))), 0u);
}

namespace {

/// For each index, adds 1 to %0[index / 2] and, if `both`, 10 to %1[0], which is not listed since its old value is used.
ir::Function histogram(bool both) {
    const std::string text = "task range @t(%0: array<i32, 1>, %1: array<i32, 1>, %2: array<i32, 1>)\n"
                             "    bounds\n"
                             "        %3: i64 = constant 0\n"
                             "        yield %3, %3\n"
                             "    body\n"
                             "        %4: i64 = chunk_begin\n"
                             "        %5: i32 = cast %4\n"
                             "        %6: i64 = chunk_end\n"
                             "        %7: i32 = cast %6\n"
                             "        for %5, %7 {vectorize} (%8: i32)\n"
                             "            %9: i32 = constant 1\n"
                             "            %10: i32 = shr %8, %9\n"
                             "            %11: i64 = cast %10\n"
                             "            %12: i64 = constant 4\n"
                             "            %13: i64 = mul %11, %12\n"
                             "            %14: ptr<i32> = array_base %0\n"
                             "            %15: ptr<i32> = offset %14, %13\n"
                             "            %16: i32 = atomic_add %15, %9\n" +
                             std::string(both ? "            %17: i32 = constant 10\n"
                                                "            %18: ptr<i32> = array_base %1\n"
                                                "            %19: i32 = atomic_add %18, %17\n"
                                                "            %20: i64 = cast %8\n"
                                                "            %21: i64 = mul %20, %12\n"
                                                "            %22: ptr<i32> = array_base %2\n"
                                                "            %23: ptr<i32> = offset %22, %21\n"
                                                "            store %23, %19\n"
                                              : "") +
                             "            yield\n"
                             "        ret\n";
    ir::Function task = test::read_task(text);
    task.distinct_arrays = true;
    return task;
}

/// Calls the task for indices 1 to 6, with a thread that is `alone` or not, with or without a privatised copy of the first array, and
/// checks that each sum reaches the right place.
void expect_histogram(const ir::Function &task, bool both, bool alone, bool copied) {
    Launch launch;
    int32_t to[4] = {}, copy[4] = {}, total = 0, old[8] = {};
    launch.args[0] = reinterpret_cast<uint64_t>(to);
    launch.args[2] = reinterpret_cast<uint64_t>(&total);
    launch.args[4] = reinterpret_cast<uint64_t>(old);
    launch.thread.alone = alone;
    if (copied) launch.thread.copy_offset[0] = reinterpret_cast<char *>(copy) - reinterpret_cast<char *>(to);
    launch.run(test::compile(task), 1, 7);
    const int32_t *there = copied ? copy : to, *elsewhere = copied ? to : copy;
    const int32_t wanted[4] = {1, 2, 2, 1};
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(there[i], wanted[i]);
        EXPECT_EQ(elsewhere[i], 0);
    }
    EXPECT_EQ(total, both ? 60 : 0);
    for (int i = 1; both && i < 7; ++i) EXPECT_EQ(old[i], 10 * (i - 1));
}

qd::abi::Needs needs(const ir::Function &task) {
    std::string error;
    const auto code = backends::load_elf(test::compile(task), &error);
    EXPECT_TRUE(code) << error;
    qd::abi::Updates updates;
    const auto bytes = code->constants(qd::abi::updates_symbol);
    EXPECT_GE(bytes.size(), sizeof updates);
    std::memcpy(&updates, bytes.data(), sizeof updates);
    return updates.needs;
}

ir::Function with_locks(ir::Function task) {
    task.set_flag(ir::CompileFlag::locked);
    return task;
}

} // namespace

TEST(Updates, LoopsHaveNoLocksAndReportTheirNeeds) {
    EXPECT_EQ(locks(histogram(false)), 0u);
    EXPECT_EQ(locks(histogram(true)), 0u);
    EXPECT_EQ(needs(histogram(false)), qd::abi::Needs::copies);
    EXPECT_EQ(needs(histogram(true)), qd::abi::Needs::alone); // an old value is used
    expect_histogram(histogram(false), false, true, false);
    expect_histogram(histogram(false), false, false, true);
    expect_histogram(histogram(true), true, true, false);
}

TEST(Updates, WithLocksATaskNeedsNothing) {
    EXPECT_EQ(locks(with_locks(histogram(false))), 1u);
    EXPECT_EQ(locks(with_locks(histogram(true))), 2u);
    for (const bool both : {false, true}) {
        EXPECT_EQ(needs(with_locks(histogram(both))), qd::abi::Needs::nothing);
        for (const bool alone : {false, true})
            for (const bool copied : {false, true}) expect_histogram(with_locks(histogram(both)), both, alone, copied);
    }
}

TEST(Updates, UpdatesOncePerChunkAreLocked) {
    ir::Function task = test::read_task("task range @t(%0: array<i32, 1>)\n"
                                        "    bounds\n"
                                        "        %1: i64 = constant 0\n"
                                        "        yield %1, %1\n"
                                        "    body\n"
                                        "        %2: i32 = constant 3\n"
                                        "        %3: ptr<i32> = array_base %0\n"
                                        "        %4: i32 = atomic_add %3, %2\n"
                                        "        ret\n");
    EXPECT_EQ(locks(task), 1u);
    EXPECT_EQ(needs(task), qd::abi::Needs::nothing);
}

TEST(Updates, ExchangesAreAlwaysLocked) {
    for (const uint32_t alone : {0u, 1u}) {
        Launch launch;
        int32_t to = 39, old = 0;
        launch.args[0] = reinterpret_cast<uint64_t>(&to);
        launch.args[2] = reinterpret_cast<uint64_t>(&old);
        launch.thread.alone = alone;
        launch.run(adding("atomic_xchg"));
        EXPECT_EQ(to, 3);
        EXPECT_EQ(old, 39);
    }
}

TEST(Updates, UpdatesVisibleToOthersAreAlwaysLocked) {
    EXPECT_EQ(locks(test::read_task(adding("atomic_xchg"))), 1u);
    ir::Function in_region = test::read_task(adding("atomic_add"));
    in_region.graph.region = 0;
    EXPECT_EQ(locks(in_region), 1u);
    const std::string call = "    %6: ptr<u64, private> = local !1\n    external %6 !33\n";
    EXPECT_EQ(locks(test::read_task(adding("atomic_add", call))), 1u);
    ir::Function looped = histogram(true);
    looped.graph.region = 0;
    EXPECT_EQ(locks(looped), 2u);
    EXPECT_EQ(needs(looped), qd::abi::Needs::nothing);
}
