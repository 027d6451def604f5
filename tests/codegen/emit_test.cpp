// Properties that .qir run tests cannot check: alias facts, callbacks, the range of a task, refusals, threads.
#include "run_task.h"

#include "base/error.h"
#include "codegen/llvm/loader/loader.h"

#include "device_lib/random.h"

#include <thread>

using namespace qd;
using test::Launch;

TEST(Emit, SerialTaskReturnsASum) {
    Launch launch;
    launch.args[0] = 40;
    launch.args[1] = 2;
    launch.run(R"(task serial @sum(%0: i32, %1: i32) ret 8
    %2: i32 = add %0, %1
    %3: ptr<i32> = ret_slot !0
    store %3, %2
    ret
)");
    EXPECT_EQ(launch.result<int32_t>(), 42);
}

TEST(Emit, LoopCarriesValuesAndBreaks) {
    Launch launch;
    launch.args[0] = 100;
    launch.run(R"(task serial @loop(%0: i32) ret 8
    %1: i32 = constant 0
    %2: i32 = for %1, %0, %1 (%3: i32, %4: i32)
        %5: i32 = constant 10
        %6: u1 = eq %3, %5
        if %6
            break %4
        %7: i32 = add %4, %3
        yield %7
    %8: ptr<i32> = ret_slot !0
    store %8, %2
    ret
)");
    EXPECT_EQ(launch.result<int32_t>(), 45);
}

TEST(Emit, RandomNumbersAreThoseOfTheLibrary) {
    Launch launch;
    uint64_t state[2] = {launch.thread.random[0], launch.thread.random[1]};
    launch.run(R"(task serial @random() ret 32
    %0: f32 = random
    %1: f64 = random
    %2: u64 = random
    %3: i32 = random
    %4: ptr<f32> = ret_slot !0
    store %4, %0
    %5: ptr<f64> = ret_slot !8
    store %5, %1
    %6: ptr<u64> = ret_slot !16
    store %6, %2
    %7: ptr<i32> = ret_slot !24
    store %7, %3
    ret
)");
    EXPECT_EQ(launch.result<float>(0), device_lib::random_f32(state));
    EXPECT_EQ(launch.result<double>(8), device_lib::random_f64(state));
    EXPECT_EQ(launch.result<uint64_t>(16), device_lib::random_bits(state, 64));
    EXPECT_EQ(launch.result<uint32_t>(24), uint32_t(device_lib::random_bits(state, 32)));
    EXPECT_EQ(launch.thread.random[0], state[0]);
    EXPECT_EQ(launch.thread.random[1], state[1]);
}

TEST(Emit, MessagesCarryWidenedValues) {
    Launch launch;
    launch.run(R"(task serial @say()
    message 0 "x = " {0}
    message 1 "no"
    %0: i8 = constant -3
    print %0 !0
    %1: u1 = constant 0
    assert %1, %0 !1
    print %0 !0
    ret
)");
    ASSERT_EQ(launch.printed.size(), 1u);
    EXPECT_EQ(int64_t(launch.printed[0].second), -3);
    ASSERT_EQ(launch.failures.size(), 1u);
    EXPECT_EQ(launch.failures[0].first, 1u);
}

TEST(Emit, InterruptibleLoopLeavesTheTask) {
    Launch launch;
    launch.stop = 1;
    launch.run(R"(task serial @endless() ret 8
    loop {interruptible}
        yield
    %0: i32 = constant 1
    %1: ptr<i32> = ret_slot !0
    store %1, %0
    ret
)");
    EXPECT_EQ(launch.result<int32_t>(), 0);
}

/// A loop has a safepoint once in many iterations, with its loop-carried values; it serves each request once.
TEST(Emit, ALoopHasASafepointInSomeIterations) {
    for (const auto &[flags, at] :
         {std::pair<const char *, int64_t>{"", 65536}, {" {reversed}", 200'000 - 1 - 65536}}) {
        Launch launch;
        launch.asked = 3;
        launch.run("task serial @f() ret 16\n"
                   "    counter 0 line\n"
                   "    %0: i32 = constant 0\n"
                   "    %1: i32 = constant 200000\n"
                   "    %2: i64 = constant 0\n"
                   "    %3: i64 = constant 1\n"
                   "    %12: ptr<i64> = ret_slot !0\n"
                   "    %13: ptr<i64> = ret_slot !8\n"
                   "    %4: i64 = for %0, %1, %2" +
                   std::string(flags) +
                   " (%5: i32, %6: i64)\n"
                   "        %7: u1 = safepoint\n"
                   "        %8: i64 = cast %5\n"
                   "        if %7\n"
                   "            store %12, %8\n"
                   "            %14: i64 = load %13\n"
                   "            %15: i64 = add %14, %6\n"
                   "            store %13, %15\n"
                   "            yield\n"
                   "        else\n"
                   "            yield\n"
                   "        %9: i64 = add %6, %3\n"
                   "        yield %9\n"
                   "    ret\n");
        EXPECT_EQ(launch.result<int64_t>(), at) << flags;
        EXPECT_EQ(launch.result<int64_t>(8), 65536) << flags;
    }
}

/// A widened 32-bit index counts in 64 bits, from its least value to its greatest.
TEST(Emit, WidenedIndicesReachTheirLimits) {
    for (const char *way : {"", " {reversed}"})
        for (const auto &[from, to] : {std::pair<int32_t, int32_t>{INT32_MAX - 3, INT32_MAX},
                                       {INT32_MIN, INT32_MIN + 3},
                                       {-2, 1},
                                       {5, 5},
                                       {INT32_MAX, INT32_MIN}}) {
            const std::string text = "task serial @f() ret 16\n"
                                     "    %0: i32 = constant " +
                                     std::to_string(from) + "\n    %1: i32 = constant " + std::to_string(to) +
                                     "\n"
                                     "    %2: i64 = constant 0\n"
                                     "    %3: i32 = constant 0\n"
                                     "    %10: i64, %11: i32 = for %0, %1, %2, %3" +
                                     way +
                                     " (%4: i32, %5: i64, %6: i32)\n"
                                     "        %7: i64 = cast %4\n"
                                     "        %8: i64 = add %5, %7\n"
                                     "        %9: i32 = bxor %6, %4\n"
                                     "        yield %8, %9\n"
                                     "    %12: ptr<i64> = ret_slot !0\n"
                                     "    store %12, %10\n"
                                     "    %13: ptr<i32> = ret_slot !8\n"
                                     "    store %13, %11\n"
                                     "    ret\n";
            int64_t sum = 0;
            int32_t bits = 0;
            for (int64_t i = from; i < to; ++i) sum += i, bits ^= int32_t(i);
            Launch launch;
            launch.run(text);
            EXPECT_EQ(launch.result<int64_t>(), sum) << from << way;
            EXPECT_EQ(launch.result<int32_t>(8), bits) << from << way;
        }
}

TEST(Emit, ArraysHaveDistinctAliasScopes) {
    std::string task = R"(task serial @copy(%0: array<f32, 1>, %1: array<f32, 1>)
    %2: ptr<f32> = array_base %0
    %3: ptr<f32> = array_base %1
    %4: f32 = load %2
    store %3, %4
    ret
)";
    const std::string ir =
        test::lowering().disassemble(test::read_task(task), backends::Tier::best, backends::Listing::intermediate);
    EXPECT_NE(ir.find("!alias.scope"), std::string::npos) << ir;
    EXPECT_NE(ir.find("!noalias"), std::string::npos) << ir;
}

TEST(Emit, RefusesIllegalTasks) {
    auto parsed = ir::parse(R"(task serial @k(%0: array<f32, 1>)
    %1: i32 = constant 0
    %2: ptr<f32> = element %0, %1, %1
    %3: f32 = load %2
    store %2, %3
    ret
)");
    ASSERT_FALSE(parsed.error);
    codegen::llvm_library::Request request;
    request.task = &parsed.functions[0];
    std::vector<uint8_t> out;
    std::string error;
    EXPECT_FALSE(codegen::llvm_library::open().compile(request, &out, &error));
    EXPECT_NE(error.find("element"), std::string::npos) << error;
    request.triple = "nonsense-unknown-unknown";
    EXPECT_FALSE(codegen::llvm_library::open().compile(request, &out, &error));
    // The thread can continue after a failure.
    Launch launch;
    launch.run("task serial @k()\n    ret\n");
}

TEST(Emit, RefusesOpsThatPassesLower) {
    for (const char *text : {
             "    %0: f16 = constant 1\n    %1: f16 = add %0, %0\n",
             "    %0: f16 = constant 1\n    %1: u1 = lt %0, %0\n",
             "    %0: f16 = constant 1\n    %1: f64 = cast %0\n",
             "    %0: i32 = constant 1\n    %1: f16 = cast %0\n",
             "    %0: f32 = random\n",
             "    %0: i64 = constant 1\n    count %0 !0\n",
             "    %0: u1 = constant 1\n    assert %0 !0\n",
             "    %0: i32 = constant 1\n    print %0 !0\n",
             "    %0: i32 = constant 1\n    %1: i32 = floordiv %0, %0\n",
             "    %0: i32 = constant 1\n    %1: i32 = pow %0, %0\n",
         }) {
        const std::string task =
            "task serial @k()\n    message 0 \"x\"\n    counter 0 line\n" + std::string(text) + "    ret\n";
        EXPECT_THROW(test::lowering().emit(test::read_task(task), backends::Tier::best), InternalError) << text;
    }
}

TEST(Emit, EightThreadsCompileAtOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([i] {
            Launch launch;
            launch.args[0] = uint64_t(i);
            launch.run(R"(task serial @square(%0: i32) ret 8
    %1: i32 = mul %0, %0
    %2: ptr<i32> = ret_slot !0
    store %2, %1
    ret
)");
            EXPECT_EQ(launch.result<int32_t>(), i * i);
        });
    for (std::thread &t : threads) t.join();
}
