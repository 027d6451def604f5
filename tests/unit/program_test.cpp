// The engine end to end, on every backend: compile, launch, observe, end.
#include "program_kernels.h"

#include "backends/backend.h"
#include "codegen/llvm/loader/loader.h"
#include "engine/compiler.h"
#include "engine/device_memory.h"
#include "engine/launch_lock.h"
#include "engine/observation.h"
#include "engine/observers.h"
#include "engine/queues.h"
#include "engine/trees.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace qd::test {
namespace {

using engine::Program;

struct Watcher : engine::Observer {
    std::vector<engine::CompileReport> reports;
    std::string text, warnings;
    int launches = 0, closed = 0;
    bool count_launches = false;
    std::mutex lock;
    void compiled(const engine::CompileReport &r) override { reports.push_back(r); }
    void output(std::string_view t) override { text += t; }
    void warning(std::string_view t) override { warnings += std::string(t) + "\n"; }
    void launched(std::string_view) override { launches++; }
    bool wants_launches() const override { return count_launches; }
    void closing(Program &p) override { closed += p.observation().coverage().empty() ? 1 : 100; }
};

std::filesystem::path fresh_folder() {
    static int serial = 0;
    auto path = std::filesystem::temp_directory_path() /
                ("qd-program-" + std::to_string(getpid()) + "-" + std::to_string(serial++));
    std::filesystem::remove_all(path);
    return path;
}

class ProgramTest : public testing::TestWithParam<const char *> {
  protected:
    Options options() {
        Options o;
        o.arch = GetParam();
        o.cpu_max_num_threads = 2;
        o.offline_cache = false;
        o.verify = true;
        return o;
    }
};

TEST_P(ProgramTest, saxpy_of_many_lengths) {
    Program program(options());
    const auto kernel = program.compiler().compile(saxpy(), 0);
    for (size_t n : {0, 1, 2, 7, 63, 64, 1000, 4097, 100000}) {
        std::vector<float> x(n), y(n);
        std::iota(x.begin(), x.end(), 0.0f);
        std::iota(y.begin(), y.end(), 1.0f);
        Args args;
        args.scalar(2).array(x).array(y);
        program.queues().launch(*kernel, args.record(), nullptr);
        for (size_t i = 0; i < n; i++) ASSERT_EQ(y[i], 2 * x[i] + float(i) + 1) << n << " " << i;
    }
    EXPECT_EQ(program.queues().tasks_on_last_call(), 1);
}

TEST_P(ProgramTest, a_value_crosses_tasks_and_is_returned) {
    Program program(options());
    const auto kernel = program.compiler().compile(sum(), 0);
    EXPECT_EQ(engine::kernel_info(*kernel).ret_bytes, 8u);
    for (size_t n : {0, 1, 1000, 200000}) {
        const std::vector<float> x(n, 0.5f);
        Args args;
        args.array(x);
        uint64_t result = ~0ull;
        program.queues().launch(*kernel, args.record(), &result);
        EXPECT_EQ(std::bit_cast<float>(uint32_t(result)), 0.5f * float(n));
    }
}

TEST_P(ProgramTest, an_empty_kernel_has_no_task) {
    Program program(options());
    const auto kernel = program.compiler().compile(empty(), 0);
    program.queues().launch(*kernel, Args().record(), nullptr);
    EXPECT_EQ(program.queues().tasks_on_last_call(), 0);
}

TEST_P(ProgramTest, arrays_that_overlap_behave_as_written) {
    Program program(options());
    const auto kernel = program.compiler().compile(read_again(), 0);
    for (size_t shift : {0u, 100u, 0u, 250u}) {
        std::vector<float> data(500, 1.0f);
        Args args;
        args.array(data.data(), 100).array(data.data() + shift, 100);
        program.queues().launch(*kernel, args.record(), nullptr);
        for (size_t i = 0; i < 100; i++) ASSERT_EQ(data[shift + i], shift == 0 ? 3 : 2) << shift << " " << i;
    }
}

TEST_P(ProgramTest, a_failed_assertion_is_a_user_error_with_its_place) {
    Program program(options());
    const auto kernel = program.compiler().compile(checked(), 0);
    std::vector<float> x(50000, 1.0f);
    x[40000] = 9;
    Args good, bad;
    good.array(x).scalar(10);
    bad.array(x).scalar(5);
    program.queues().launch(*kernel, good.record(), nullptr);
    for (int repeat = 0; repeat < 3; repeat++) {
        try {
            program.queues().launch(*kernel, bad.record(), nullptr);
            FAIL() << "nothing thrown";
        } catch (const UserError &error) {
            EXPECT_EQ(error.kind, UserErrorKind::assertion);
            EXPECT_STREQ(error.what(), "x[40000] = 9.0");
            ASSERT_EQ(error.trace.size(), 1u);
            EXPECT_EQ(error.trace[0].file, "checked.py");
            EXPECT_EQ(error.trace[0].scope, "checked");
            EXPECT_EQ(error.trace[0].line, 8u);
        }
    }
    program.queues().launch(*kernel, good.record(), nullptr); // the failure does not persist
}

TEST_P(ProgramTest, prints_reach_the_observer_in_order) {
    Program program(options());
    Watcher watcher;
    program.observers().subscribe(&watcher);
    const auto kernel = program.compiler().compile(printing(), 0);
    const std::vector<float> x = {0, 0.5f, 1e10f};
    Args args;
    args.array(x);
    program.queues().launch(*kernel, args.record(), nullptr);
    EXPECT_EQ(watcher.text, "i = 0 x = 0.000000 100%\ni = 1 x = 0.500000 100%\ni = 2 x = 10000000000.000000 100%\n");
    program.observers().unsubscribe(&watcher);
    testing::internal::CaptureStdout();
    program.queues().launch(*kernel, args.record(), nullptr);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), watcher.text);
}

TEST_P(ProgramTest, prints_from_every_thread_stay_whole) {
    Program program(options());
    Watcher watcher;
    program.observers().subscribe(&watcher);
    const auto kernel = program.compiler().compile(printing(), 0);
    const std::vector<float> x(2000, 0.25f);
    Args args;
    args.array(x);
    program.queues().launch(*kernel, args.record(), nullptr);
    std::vector<int> seen(x.size());
    std::istringstream lines(watcher.text);
    for (std::string text; std::getline(lines, text);) {
        int i = -1;
        float v = 0;
        ASSERT_EQ(std::sscanf(text.c_str(), "i = %d x = %f 100%%", &i, &v), 2) << text;
        seen.at(size_t(i))++;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), ptrdiff_t(x.size()));
    program.observers().unsubscribe(&watcher);
}

TEST_P(ProgramTest, coverage_adds_up_over_launches_and_kernels) {
    Program program(options());
    std::vector<float> x(10000, 1.0f);
    x[7] = -1;
    Args args;
    args.array(x);
    for (int redefinition = 0; redefinition < 2; redefinition++) {
        const auto kernel = program.compiler().compile(counted(), 0);
        for (int launch = 0; launch < 3; launch++) program.queues().launch(*kernel, args.record(), nullptr);
    }
    auto counts = program.observation().coverage();
    ASSERT_EQ(counts.size(), 2u);
    EXPECT_EQ(counts[0].at.line, 5u);
    EXPECT_EQ(counts[0].at.file, "counted.py");
    EXPECT_EQ(counts[0].count, 60000u);
    EXPECT_EQ(counts[1].at.line, 6u);
    EXPECT_EQ(counts[1].what, ir::Counter::What::taken);
    EXPECT_EQ(counts[1].count, 59994u);
    const auto [reading, apart] = program.observation().coverage_by_kernel();
    ASSERT_EQ(apart.size(), 2u);
    for (uint32_t k = 0; k < 2; k++) {
        EXPECT_EQ(apart[k].specialisation, k);
        ASSERT_EQ(apart[k].counts.size(), 2u);
        EXPECT_EQ(apart[k].counts[0].count, 30000u);
    }
    EXPECT_TRUE(program.observation().coverage_by_kernel(reading).second.empty()) << "nothing changed since";
    EXPECT_EQ(program.observation().counted(), std::pair(uint64_t(2), uint64_t(60000 + 59994)))
        << "kernels, and the sum of all counts";
    program.observation().clear_coverage();
    EXPECT_TRUE(program.observation().coverage_by_kernel().second.empty()) << "what is gone is forgotten";
    for (const auto &count : program.observation().coverage()) EXPECT_EQ(count.count, 0u);
    EXPECT_EQ(program.observation().counted(), std::pair(uint64_t(2), uint64_t(0)));
    const auto kernel = program.compiler().compile(counted(), 0);
    set_title(*kernel, "x: f32[:]", false);
    EXPECT_EQ(program.observation().coverage_by_kernel().second.back().title, "x: f32[:]");
    const uint64_t before = program.observation().coverage_by_kernel().first;
    program.queues().launch(*kernel, args.record(), nullptr);
    const uint64_t after = program.observation().coverage_by_kernel().first;
    EXPECT_EQ(program.observation().coverage_by_kernel(before).second.size(), 1u) << "the one that ran";
    EXPECT_EQ(program.observation().counted(), std::pair(uint64_t(3), uint64_t(10000 + 9999)));
    EXPECT_TRUE(program.observation().coverage_by_kernel(after).second.empty());
    program.observation().clear_coverage();
    EXPECT_EQ(program.observation().coverage_by_kernel(after).second.size(), 1u) << "it begins from zero";
}

TEST_P(ProgramTest, an_observer_reads_the_coverage_of_a_program_that_ends) {
    Watcher watcher;
    {
        Program program(options());
        program.observers().subscribe(&watcher);
        program.compiler().compile(counted(), 0);
    }
    EXPECT_EQ(watcher.closed, 100);
}

TEST_P(ProgramTest, stop_ends_an_endless_loop) {
    Program program(options());
    const auto kernel = program.compiler().compile(endless(), 0);
    const auto after = program.compiler().compile(saxpy(), 0);
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        request_stop();
    });
    EXPECT_THROW(program.queues().launch(*kernel, Args().record(), nullptr), Interrupted);
    other.join();
    clear_stop();
    std::vector<float> x(10, 1.0f), y(10, 1.0f);
    Args args;
    args.scalar(1).array(x).array(y);
    program.queues().launch(*after, args.record(), nullptr);
    EXPECT_EQ(y[9], 2);
}

TEST_P(ProgramTest, stop_ends_a_long_parallel_loop) {
    Program program(options());
    const auto kernel = program.compiler().compile(large(200), 0);
    std::vector<float> x(2'000'000, 1.0f);
    Args args;
    args.array(x);
    request_stop();
    EXPECT_THROW(program.queues().launch(*kernel, args.record(), nullptr), Interrupted);
    EXPECT_THROW(program.compiler().compile(sum(), 0), Interrupted);
    clear_stop();
    EXPECT_EQ(x.back(), 1.0f); // chunks that had not started do not run
}

TEST(LaunchLock, knows_if_it_is_still_the_same_launch) {
    using Look = engine::LaunchLock::Look;
    engine::LaunchLock lock;
    EXPECT_EQ(lock.look(), Look::free);
    for (int launch = 0; launch < 2; launch++) {
        lock.lock();
        EXPECT_EQ(lock.look(), Look::first);
        EXPECT_EQ(lock.look(), Look::again);
        EXPECT_FALSE(lock.try_lock());
        EXPECT_EQ(lock.look(), Look::again) << "who was refused left no trace";
        lock.unlock();
        EXPECT_EQ(lock.look(), Look::free);
    }
    lock.lock();
    EXPECT_EQ(lock.look(), Look::first);
    std::thread next([&] {
        lock.lock();
        EXPECT_EQ(lock.look(), Look::first) << "who waited holds it now";
        lock.unlock();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(lock.look(), Look::again) << "who waits left no trace";
    lock.unlock();
    next.join();
}

TEST_P(ProgramTest, handles_outlive_their_program_inertly) {
    std::shared_ptr<engine::CompiledKernel> kernel;
    {
        Program first(options());
        kernel = first.compiler().compile(saxpy(), 0);
    }
    Program second(options());
    std::vector<float> x(4), y(4);
    Args args;
    args.scalar(1).array(x).array(y);
    try {
        second.queues().launch(*kernel, args.record(), nullptr);
        FAIL();
    } catch (const UserError &error) {
        EXPECT_NE(std::string(error.what()).find("saxpy was compiled before"), std::string::npos);
    }
}

TEST_P(ProgramTest, an_edit_compiles_one_task) {
    Program program(options());
    Watcher watcher;
    program.observers().subscribe(&watcher);
    const auto first = program.compiler().compile(ten_loops(), 12.5);
    const auto second = program.compiler().compile(ten_loops(4), 0);
    ASSERT_EQ(watcher.reports.size(), 2u);
    EXPECT_EQ(watcher.reports[0].tasks.size(), 10u);
    EXPECT_EQ(watcher.reports[0].phases[0].phase, "frontend");
    EXPECT_GE(watcher.reports[0].microseconds, 12.5);
    int compiled = 0;
    for (const auto &task : watcher.reports[1].tasks) compiled += task.origin == engine::TaskOrigin::compiled;
    EXPECT_EQ(compiled, 1);
    std::vector<float> x(5, 0.0f);
    Args args;
    args.array(x);
    program.queues().launch(*second, args.record(), nullptr);
    EXPECT_EQ(x[4], 45 - 4 + 100);
    EXPECT_EQ(program.queues().tasks_on_last_call(), 10);
    program.observers().unsubscribe(&watcher);
}

TEST_P(ProgramTest, launches_are_announced_to_observers) {
    Program program(options());
    Watcher silent, counting;
    counting.count_launches = true;
    program.observers().subscribe(&silent);
    program.observers().subscribe(&counting);
    const auto kernel = program.compiler().compile(empty(), 0);
    program.queues().launch(*kernel, Args().record(), nullptr);
    program.observers().unsubscribe(&counting);
    program.queues().launch(*kernel, Args().record(), nullptr);
    EXPECT_EQ(counting.launches, 1);
    EXPECT_EQ(silent.launches, 0);
    program.observers().unsubscribe(&silent);
}

TEST_P(ProgramTest, threads_may_launch_at_once) {
    Program program(options());
    const auto kernel = program.compiler().compile(sum(), 0);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&, t] {
            const std::vector<float> x(size_t(3000 + 3000 * t), 1.0f);
            Args args;
            args.array(x);
            for (int i = 0; i < 30; i++) {
                uint64_t result = 0;
                program.queues().launch(*kernel, args.record(), &result);
                wrong += std::bit_cast<float>(uint32_t(result)) != float(x.size());
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_P(ProgramTest, memory_is_zeroed_counted_and_refused_with_figures) {
    Program program(options());
    const runtime::Buffer block = program.memory().allocate(3'000'001);
    const char *p = block.host;
    EXPECT_EQ(block.address % 64, 0u);
    EXPECT_EQ(std::count(p, p + 3'000'001, 0), 3'000'001);
    const uint32_t tree = program.trees().add(128);
    EXPECT_EQ(program.memory().allocated_bytes(), 3'000'129u);
    EXPECT_NE(program.trees().memory(tree).address, 0u);
    program.trees().remove(tree);
    EXPECT_EQ(program.trees().add(64), tree);
    program.memory().free(block.address);
    EXPECT_EQ(program.memory().allocated_bytes(), 64u);
    try {
        program.memory().allocate(1ull << 50);
        FAIL();
    } catch (const DeviceError &error) {
        EXPECT_NE(std::string(error.what()).find("(1125899906842624 bytes)"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("GiB are available"), std::string::npos);
    }
}

TEST_P(ProgramTest, dumps_are_written_for_the_passes_named) {
    Options o = options();
    o.dump = "fold,dce";
    o.only = "sax";
    Program program(o);
    Watcher watcher;
    program.observers().subscribe(&watcher);
    program.compiler().compile(sum(), 0);
    EXPECT_EQ(watcher.text, "");
    program.compiler().compile(saxpy(), 0);
    EXPECT_NE(watcher.text.find("; saxpy after fold"), std::string::npos);
    EXPECT_NE(watcher.text.find("; saxpy.0 after dce"), std::string::npos);
    EXPECT_EQ(watcher.text.find("after cse"), std::string::npos);
    program.observers().unsubscribe(&watcher);
}

TEST_P(ProgramTest, debug_verifies_the_ir) {
    Options o = options();
    o.verify = false;
    o.debug = true;
    ir::Function wrong = saxpy();
    wrong.returns.push_back(ir::Scalar::i32); // it has no return value
    Program program(o);
    try {
        program.compiler().compile(std::move(wrong), 0);
        FAIL() << "nobody looked";
    } catch (const InternalError &error) {
        EXPECT_NE(std::string(error.what()).find("broke function saxpy"), std::string::npos) << error.what();
    }
}

TEST_P(ProgramTest, values_are_printed_as_c_printf_does) {
    struct Case {
        ir::Scalar type;
        double value;
        const char *spec, *expected;
    };
    const Case cases[] = {
        {ir::Scalar::f32, 1.5, "", "1.500000"},
        {ir::Scalar::f64, -0.1, "", "-0.100000"},
        {ir::Scalar::f16, 0.25, "", "0.250000"},
        {ir::Scalar::f64, 1e300, "g", "1e+300"},
        {ir::Scalar::f32, 3.14159, ".2f", "3.14"},
        {ir::Scalar::f32, 3.14159, ".2", "3.14"},
        {ir::Scalar::f32, 31415.9, ".3e", "3.142e+04"},
        {ir::Scalar::f32, 2, "08.3f", "0002.000"},
        {ir::Scalar::i32, -42, "", "-42"},
        {ir::Scalar::i32, -42, ".10d", "-0000000042"},
        {ir::Scalar::i8, -1, "", "-1"},
        {ir::Scalar::u8, 255, "", "255"},
        {ir::Scalar::u32, 4294967295.0, "", "4294967295"},
        {ir::Scalar::i64, -9007199254740992.0, "", "-9007199254740992"},
        {ir::Scalar::u64, 9007199254740992.0, "", "9007199254740992"},
        {ir::Scalar::i32, 255, "x", "ff"},
        {ir::Scalar::u1, 1, "", "1"},
        {ir::Scalar::i32, 7, "5", "    7"},
        {ir::Scalar::i32, 7, "s", "7"},
        {ir::Scalar::f32, 1, "%n", "1.000000"},
    };
    Program program(options());
    Watcher watcher;
    program.observers().subscribe(&watcher);
    for (const Case &c : cases) {
        ir::Function fn = start("one_value");
        fn.messages.push_back({{{c.spec, 0}}});
        ir::Builder b(fn, fn.body);
        const ir::Value v = b.number(c.type, c.value);
        b.emit(ir::Op::print, {v}, {}, 0);
        b.ret();
        watcher.text.clear();
        program.queues().launch(*program.compiler().compile(std::move(fn), 0), Args().record(), nullptr);
        EXPECT_EQ(watcher.text, c.expected) << ir::to_string(c.type) << " " << c.spec;
    }
    program.observers().unsubscribe(&watcher);
}

TEST_P(ProgramTest, a_forked_child_continues) {
    Program program(options());
    const auto kernel = program.compiler().compile(saxpy(), 0);
    std::vector<float> x(100000, 1.0f), y(100000, 1.0f);
    Args args;
    args.scalar(2).array(x).array(y);
    program.queues().launch(*kernel, args.record(), nullptr);
    const pid_t child = fork();
    if (child == 0) {
        program.queues().launch(*kernel, args.record(), nullptr);
        program.queues().launch(*program.compiler().compile(ten_loops(), 0), Args().array(x).record(), nullptr);
        {
            Program another(options());
        }
        _exit(y[99999] == 5 && x[0] == 46 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(y[99999], 3);
}

size_t resident_kb() {
    std::ifstream file("/proc/self/statm");
    size_t whole = 0, resident = 0;
    file >> whole >> resident;
    return resident * size_t(sysconf(_SC_PAGE_SIZE)) / 1024;
}

TEST_P(ProgramTest, four_thousand_lives_leave_no_trace) {
    std::vector<float> x(100, 1.0f), y(100, 1.0f);
    Args args;
    args.scalar(1).array(x).array(y);
    const ir::Function fn = empty();
    auto live = [&](int times) {
        for (int i = 0; i < times; i++) {
            Program program(options());
            program.memory().allocate(5000);
            program.trees().add(1 << 21);
            program.queues().launch(*program.compiler().compile(fn, 0), args.record(), nullptr);
        }
    };
    live(200);
    const size_t before = resident_kb();
    live(4000);
#if !defined(__SANITIZE_ADDRESS__) // the sanitizer keeps freed memory for a while
    EXPECT_LT(resident_kb(), before + 1500);
#else
    (void)before;
#endif
}

INSTANTIATE_TEST_SUITE_P(, ProgramTest, testing::Values("interp", "cpu"),
                         [](const auto &i) { return std::string(i.param); });

TEST(Program, an_unknown_arch_is_a_user_error) {
    Options o;
    o.arch = "abacus";
    try {
        Program program(o);
        FAIL();
    } catch (const UserError &error) {
        EXPECT_NE(error.hint.find("interp, cpu"), std::string::npos) << error.hint;
    }
}

// The first two need a process that has not opened LLVM: they fork before any other test compiles for the cpu.
TEST(ProgramCache, a_warm_start_never_opens_llvm) {
    ASSERT_FALSE(codegen::llvm_library::is_open());
    const auto folder = fresh_folder();
    Options o;
    o.offline_cache_file_path = folder.string();
    std::vector<float> x(1000, 1.0f), expected;
    auto run = [&](Watcher &watcher) {
        Program program(o);
        program.observers().subscribe(&watcher);
        const auto a = program.compiler().compile(saxpy(), 0);
        const auto b = program.compiler().compile(large(), 0);
        std::vector<float> y(1000, 1.0f);
        Args args_a, args_b;
        args_a.scalar(3).array(x).array(y);
        args_b.array(y);
        program.queues().launch(*a, args_a.record(), nullptr);
        program.queues().launch(*b, args_b.record(), nullptr);
        program.compiler().settle();
        program.observers().unsubscribe(&watcher);
        return y;
    };
    const pid_t cold = fork();
    if (cold == 0) {
        Watcher watcher;
        run(watcher);
        _exit(codegen::llvm_library::is_open() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(cold, &status, 0), cold);
    ASSERT_EQ(status, 0);
    const pid_t warm = fork();
    if (warm == 0) {
        Watcher watcher;
        const auto y = run(watcher);
        bool good = !codegen::llvm_library::is_open() && y == std::vector<float>(1000, y[0]) && y[0] == 2.0f;
        for (const auto &report : watcher.reports)
            for (const auto &task : report.tasks) good &= task.origin == engine::TaskOrigin::disk;
        _exit(good ? 0 : 1);
    }
    ASSERT_EQ(waitpid(warm, &status, 0), warm);
    EXPECT_EQ(status, 0);
    std::filesystem::remove_all(folder);
}

TEST(ProgramCache, a_missing_compiler_is_named_and_does_no_harm) {
    ASSERT_FALSE(codegen::llvm_library::is_open());
    const pid_t child = fork();
    if (child == 0) {
        codegen::llvm_library::set_directory("/no/such/folder");
        Options o;
        o.offline_cache = false;
        Program program(o);
        bool named = false;
        try {
            program.compiler().compile(ten_loops(), 0);
        } catch (const std::exception &error) {
            named = std::string(error.what()).find("/no/such/folder/libquadrants_llvm.so") != std::string::npos;
        }
        codegen::llvm_library::set_directory("");
        std::vector<float> x(3, 0.0f);
        Args args;
        args.array(x);
        program.queues().launch(*program.compiler().compile(ten_loops(), 0), args.record(), nullptr);
        _exit(named && x[2] == 45 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(ProgramCache, damaged_files_are_replaced) {
    const auto folder = fresh_folder();
    Options o;
    o.offline_cache_file_path = folder.string();
    auto origin = [&] {
        Watcher watcher;
        Program program(o);
        program.observers().subscribe(&watcher);
        const auto kernel = program.compiler().compile(saxpy(), 0);
        std::vector<float> x(100, 1.0f), y(100, 1.0f);
        Args args;
        args.scalar(2).array(x).array(y);
        program.queues().launch(*kernel, args.record(), nullptr);
        EXPECT_EQ(y[99], 3);
        program.observers().unsubscribe(&watcher);
        return watcher.reports.at(0).tasks.at(0).origin;
    };
    EXPECT_EQ(origin(), engine::TaskOrigin::compiled);
    EXPECT_EQ(origin(), engine::TaskOrigin::disk);
    for (const auto &file : std::filesystem::recursive_directory_iterator(folder))
        if (file.is_regular_file())
            std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
    EXPECT_EQ(origin(), engine::TaskOrigin::compiled);
    EXPECT_EQ(origin(), engine::TaskOrigin::disk);
    std::filesystem::remove_all(folder);
}

TEST(ProgramCache, a_folder_that_cannot_be_written_costs_one_warning) {
    Options o;
    o.offline_cache_file_path = "/proc/no-such-folder/here";
    Watcher watcher;
    Program program(o);
    program.observers().subscribe(&watcher);
    program.compiler().compile(saxpy(), 0);
    program.compiler().compile(sum(), 0);
    EXPECT_EQ(std::count(watcher.warnings.begin(), watcher.warnings.end(), '\n'), 1) << watcher.warnings;
    EXPECT_NE(watcher.warnings.find("/proc/no-such-folder/here"), std::string::npos);
    program.observers().unsubscribe(&watcher);
}

TEST(ProgramTiers, better_code_is_swapped_in_with_equal_results) {
    Options o;
    o.offline_cache = false;
    Program program(o);
    const auto kernel = program.compiler().compile(large(), 0);
    std::vector<float> x(5000, 1.0f);
    Args args;
    args.array(x);
    for (int i = 0; i < 5; i++) program.queues().launch(*kernel, args.record(), nullptr);
    program.compiler().settle();
    program.queues().launch(*kernel, args.record(), nullptr);
    EXPECT_NEAR(x[4999], 2.0f, 1e-5);
}

bool has_thread(const std::string &name) {
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string found;
        std::getline(std::ifstream(task.path() / "comm"), found);
        if (found == name) return true;
    }
    return false;
}

bool checks_threads = false;
/// Registered before the handlers of the program, so it is called after them.
const int check_at_exit = std::atexit([] {
    if (checks_threads && has_thread("qd-background")) _exit(3);
});

TEST(ProgramTiers, the_process_ends_after_its_thread_in_the_background) {
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // LeakSanitizer does not find the threads of a forked child
    ASSERT_EQ(check_at_exit, 0);
    const auto end = [] {
        checks_threads = true;
        Options o;
        o.offline_cache = false;
        Program program(o);
        program.compiler().compile(large(), 0);
        program.compiler().settle();
        std::exit(0);
    };
    for (int i = 0; i < 3; i++) EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

TEST(ProgramTiers, a_program_ends_while_its_tasks_are_optimised) {
    Options o;
    o.offline_cache = false;
    const auto start = std::chrono::steady_clock::now();
    {
        Program program(o);
        for (int i = 0; i < 3; i++) program.compiler().compile(large(400 + i), 0);
        const auto end = std::chrono::steady_clock::now();
        RecordProperty("compile_ms", std::to_string(std::chrono::duration<double, std::milli>(end - start).count()));
    }
    SUCCEED();
}

/// Returns the graph of a kernel as text.
std::string graph_of(const abi::Kernel &kernel) {
    std::string text;
    for (const abi::DoWhile &level : kernel.graph.levels)
        text += "level " + std::to_string(level.flag) + " in " + std::to_string(level.parent) + "; ";
    for (const abi::Checkpoint &checkpoint : kernel.graph.checkpoints)
        text +=
            "checkpoint " + std::to_string(int32_t(checkpoint.flag)) + " in " + std::to_string(checkpoint.level) + "; ";
    for (const abi::Task &task : kernel.tasks)
        text += std::to_string(task.graph.level) + std::to_string(task.graph.checkpoint) +
                std::to_string(task.graph.region) + std::to_string(task.graph.section) + " ";
    return text;
}

TEST(Program, a_cache_entry_has_the_graph_of_its_kernel) {
    const ir::ParseResult read = ir::parse(R"(fn @k(%0: array<i32, 0>, %1: array<i32, 0>)
    subgraph 0 do_while flag 1
    subgraph 1 do_while flag 0
    subgraph 2 checkpoint flag 1
    subgraph 3 checkpoint
    subgraph 4 region
    subgraph 5 section
    subgraph 6 section
    %2: i32 = constant 0
    %3: ptr<i32> = element %0, %2
    graph_begin !0
    graph_begin !3
    store %3, %2
    graph_end !3
    graph_begin !1
    graph_begin !2
    store %3, %2
    graph_end !2
    graph_end !1
    graph_end !0
    graph_begin !4
    graph_begin !5
    store %3, %2
    graph_end !5
    graph_begin !6
    store %3, %2
    graph_end !6
    graph_end !4
    store %3, %2
    ret
)");
    ASSERT_FALSE(read.error) << read.error->message;
    const std::string graph = "level 1 in -1; level 0 in 0; checkpoint -1 in 0; checkpoint 1 in 1; "
                              "00-1-1 11-1-1 -1-100 -1-101 -1-1-1-1 ";
    Options options;
    options.arch = "interp";
    options.verify = true;
    Program program(options);
    std::vector<uint8_t> image;
    const auto kernel = program.compiler().compile(read.functions[0], 0, &image);
    EXPECT_EQ(graph_of(kernel_info(*kernel)), graph);
    // Code that does not depend on its neighbours is shared: the two tasks outside of the region, and the two inside.
    EXPECT_EQ(kernel_info(*kernel).tasks[0].hash[0], kernel_info(*kernel).tasks[4].hash[0]);
    EXPECT_EQ(kernel_info(*kernel).tasks[2].hash[0], kernel_info(*kernel).tasks[3].hash[0]);
    EXPECT_NE(kernel_info(*kernel).tasks[0].hash[0], kernel_info(*kernel).tasks[2].hash[0]);
    const auto again = program.compiler().load(image, 0);
    ASSERT_TRUE(again);
    EXPECT_EQ(graph_of(kernel_info(*again)), graph);
}

} // namespace
} // namespace qd::test
