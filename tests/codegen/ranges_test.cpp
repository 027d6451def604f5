// Ranges represented as data instead of code: which ranges are, and that both representations are equal.
#include "run_task.h"

#include "analysis/launch_range.h"
#include "backends/interp/walk.h"

#include <algorithm>
#include <optional>
#include <string>

using namespace qd;
using test::Launch;

namespace {

/// A task over `%0: array<f32, 2>`, `%1: i32` and `%2: i64` whose bounds these lines compute.
ir::Function task(const std::string &bounds) {
    return test::read_task("task range @t(%0: array<f32, 2>, %1: i32, %2: i64)\n    bounds\n" + bounds +
                           "    body\n        ret\n");
}

std::string line(const std::string &text) { return "        " + text + "\n"; }

/// Returns nothing if the range is a function.
std::optional<qd::abi::Range> range(const ir::Function &fn) {
    std::string error;
    const auto code = backends::load_elf(test::compile(fn), &error);
    EXPECT_TRUE(code) << error;
    const auto found = analysis::launch_range(fn);
    EXPECT_EQ(found.has_value(), code->symbol(qd::abi::bounds_symbol) == nullptr);
    return found;
}

/// Compares with the interpreter's results for the same lines, for numbers of all kinds.
void expect_as_interpreted(const ir::Function &fn) {
    const auto found = range(fn);
    ASSERT_TRUE(found) << ir::print(fn);
    const uint64_t numbers[] = {0,          1,          7,           100,        0x7fffffff, 0x80000000,
                                0xffffffff, 0xfffffff0, 0x100000003, 1ull << 63, UINT64_MAX};
    for (const uint64_t a : numbers)
        for (const uint64_t b : numbers) {
            Launch launch;
            const uint64_t args[] = {0, a, b, b, a}; // the array: its address and two extents
            std::copy(std::begin(args), std::end(args), launch.args);
            const qd::abi::Launch &start = launch.start();
            int64_t wanted[2];
            backends::interpreter::run_bounds(fn, start, launch.thread, wanted);
            EXPECT_EQ(found->begin, wanted[0]);
            EXPECT_EQ(found->end(launch.args), wanted[1]) << a << " " << b << "\n" << ir::print(fn);
        }
}

const std::string zero = line("%3: i64 = constant 0");

} // namespace

TEST(Ranges, OfConstantsAndNumbersOfTheLaunch) {
    expect_as_interpreted(task(zero + line("%4: i64 = constant 20") + line("yield %3, %4")));
    expect_as_interpreted(task(zero + line("%4: i64 = cast %1") + line("%5: i64 = max %4, %3") + line("yield %3, %5")));
    expect_as_interpreted(task(zero + line("%4: i32 = cast %2") + line("%5: i64 = cast %4") +
                               line("%6: i64 = max %3, %5") + line("yield %3, %6")));
    expect_as_interpreted(task(line("%3: i64 = constant -3") + line("%4: i32 = dim %0 !1") + line("%5: i64 = cast %4") +
                               line("%6: i64 = max %5, %3") + line("yield %3, %6")));
}

TEST(Ranges, OfSeveralAxesWithMargins) {
    expect_as_interpreted(
        task(line("%3: i32 = dim %0 !0") + line("%4: i32 = constant -1") + line("%5: i32 = add %3, %4") +
             line("%6: i32 = dim %0 !1") + line("%7: i32 = add %6, %4") + line("%8: i64 = cast %5") +
             line("%9: i64 = cast %7") + line("%10: i64 = constant 0") + line("%11: i64 = constant -1") +
             line("%12: i64 = add %8, %11") + line("%13: i64 = max %12, %10") + line("%14: i64 = add %9, %11") +
             line("%15: i64 = max %14, %10") + line("%16: i64 = mul %13, %15") + line("%17: i64 = constant 4") +
             line("%18: i64 = mul %17, %16") + line("yield %10, %18")));
}

TEST(Ranges, OfExtentsLessConstants) {
    expect_as_interpreted(task(zero + line("%4: i32 = dim %0 !0") + line("%5: i32 = constant 2") +
                               line("%6: i32 = sub %4, %5") + line("%7: i64 = cast %6") + line("%8: i64 = constant 3") +
                               line("%9: i64 = sub %7, %8") + line("%10: i64 = max %9, %3") + line("yield %3, %10")));
}

TEST(Ranges, OfConstantsThatAreNotFolded) {
    expect_as_interpreted(task(line("%3: i32 = constant -2") + line("%4: i32 = constant 7") +
                               line("%5: i64 = cast %3") + line("%6: i64 = cast %4") + line("%7: i64 = max %5, %6") +
                               line("yield %5, %7")));
    expect_as_interpreted(task(zero + line("%4: i32 = constant 9") + line("%5: i32 = constant 2") +
                               line("%6: i64 = cast %4") + line("%7: i64 = cast %5") + line("%8: i64 = sub %6, %7") +
                               line("%9: i64 = max %8, %3") + line("yield %3, %9")));
}

TEST(Ranges, OtherRangesAreFunctions) {
    // A begin that is not constant; an end without a lower bound; too many factors; a difference of two arguments.
    EXPECT_FALSE(range(task(line("%3: i64 = cast %1") + line("%4: i64 = constant 9") + line("%5: i64 = max %3, %4") +
                            line("yield %3, %5"))));
    EXPECT_FALSE(range(task(zero + line("%4: i64 = cast %1") + line("yield %3, %4"))));
    EXPECT_FALSE(range(task(zero + line("yield %3, %2"))));
    EXPECT_FALSE(range(task(zero + line("%4: i32 = sub %1, %1") + line("%5: i64 = cast %4") +
                            line("%6: i64 = max %5, %3") + line("yield %3, %6"))));
    EXPECT_FALSE(
        range(task(zero + line("%4: i64 = cast %1") + line("%5: i64 = max %4, %3") + line("%6: i64 = mul %5, %5") +
                   line("%7: i64 = mul %6, %6") + line("%8: i64 = mul %7, %5") + line("yield %3, %8"))));
}
