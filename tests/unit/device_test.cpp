// The requests of a program to a device that does not share memory with the host: `far`, whose addresses fault, and `null`, which counts.
#include "program_kernels.h"

#include "backends/backend.h"
#include "base/error.h"
#include "engine/compiler.h"
#include "engine/device_memory.h"
#include "engine/fault.h"
#include "engine/observer.h"
#include "engine/observers.h"
#include "engine/queues.h"
#include "engine/trees.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <new>
#include <numeric>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace {
thread_local uint64_t allocations = 0; ///< by `new`, of this thread
}

// Not inlined: the compiler would take `free` for a mistake.
[[gnu::noinline]] void *operator new(std::size_t bytes) {
    allocations++;
    if (void *found = std::malloc(bytes)) return found;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void *p, std::size_t) noexcept { std::free(p); }

namespace qd::test {
namespace {

using engine::Program;

std::unique_ptr<runtime::Device> open(const char *name) { return backends::find(name)->open({}); }

Options on(const char *arch) {
    Options o;
    o.arch = arch;
    o.offline_cache = false;
    o.verify = true;
    return o;
}

TEST(Far, the_host_cannot_access_the_memory) {
    const auto device = open("far");
    const runtime::Buffer block = device->alloc(100);
    EXPECT_EQ(block.host, nullptr);
    EXPECT_EQ(block.address % 64, 0u);
    volatile char *p = reinterpret_cast<char *>(block.address);
    EXPECT_DEATH(p[0] = 1, "");
    {
        const runtime::HostAccess access(*device);
        EXPECT_EQ(p[99], 0);
    }
    EXPECT_DEATH(p[99] = 1, "");
    device->free(block);
}

TEST(Far, freed_memory_is_zero_when_it_is_reused) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer first = device->alloc(5000);
    stream->fill(first.address, 7, 5000);
    stream->wait();
    device->free(first);
    const runtime::Buffer second = device->alloc(5000);
    EXPECT_EQ(second.address, first.address);
    std::vector<char> bytes(5000, 1);
    stream->download(bytes.data(), second.address, 5000);
    stream->wait();
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 5000);
    device->free(second);
}

TEST(Far, operations_complete_in_order_by_the_next_wait) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer block = device->alloc(64);
    int sent[4] = {1, 2, 3, 4}, got[4] = {};
    stream->upload(block.address, sent, sizeof sent);
    std::fill(std::begin(sent), std::end(sent), 0); // may be reused
    stream->copy(block.address + 4, block.address, 8);
    stream->fill(block.address + 12, 0xff, 4);
    stream->download(got, block.address, sizeof got);
    stream->wait();
    EXPECT_EQ(std::vector(got, got + 4), (std::vector{1, 1, 2, -1}));
    device->free(block);
}

/// A task that signals its start, and runs until Stop is pressed.
struct Endless {
    uint32_t stop = 0;
    std::atomic<bool> has_begun = false;
    abi::Task info;
    abi::Launch launch{};
    abi::HostServices services{};
    std::shared_ptr<runtime::LoadedTask> task;

    explicit Endless(runtime::Device &device) {
        const std::string text = "task serial @endless()\n"
                                 "    message 0 \"begun\"\n"
                                 "    print !0\n"
                                 "    loop\n"
                                 "        %0: u1 = poll\n"
                                 "        if %0\n"
                                 "            break\n"
                                 "        yield\n"
                                 "    ret\n";
        task = device.load(info, {"far", {text.begin(), text.end()}});
        launch.stream.stop = &stop;
        launch.task = this;
        launch.stream.host = &services;
        services.print = [](const abi::Launch *l, const abi::Thread *, uint32_t, const uint64_t *) {
            const_cast<Endless *>(static_cast<const Endless *>(l->task))->has_begun = true;
        };
    }
    void wait_until_it_runs() const {
        while (!has_begun) std::this_thread::yield();
    }
    void end() { __atomic_store_n(&stop, 1u, __ATOMIC_RELAXED); }
};

TEST(Far, operations_return_before_they_complete) {
    const auto device = open("far");
    const auto stream = device->open_stream(), other = device->open_stream();
    const runtime::Buffer failed = device->alloc(4);
    Endless endless(*device);
    endless.launch.stream.failed = reinterpret_cast<uint32_t *>(failed.address);
    const int sent = 5;
    int got = 0, beside = 0;
    stream->launch(*endless.task, endless.info, endless.launch);
    stream->upload(failed.address, &sent, 4);
    stream->download(&got, failed.address, 4);
    other->download(&beside, failed.address, 4);
    other->wait(); // streams run in parallel
    EXPECT_EQ(got, 0);
    endless.end();
    stream->wait();
    EXPECT_EQ(got, 5);
    device->free(failed);
}

TEST(Far, work_continues_without_a_wait) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer block = device->alloc(4);
    const int sent = 5;
    int got = 0;
    stream->upload(block.address, &sent, 4);
    stream->download(&got, block.address, 4);
    while (__atomic_load_n(&got, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
    EXPECT_EQ(got, 5);
    stream->wait();
    device->free(block);
}

TEST(Far, a_fault_is_raised_once_and_ends_later_operations) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer block = device->alloc(4);
    abi::Launch launch{};
    uint32_t of_the_host = 0;
    Endless task(*device);
    launch.stream.failed = &of_the_host; // the device cannot access it
    const int sent = 5;
    int got = 0;
    stream->launch(*task.task, task.info, launch);
    stream->upload(block.address, &sent, 4);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20)); // the fault may or may not be known yet; the result is the same
    stream->upload(block.address, &sent, 4);
    EXPECT_THROW(stream->wait(), InternalError);
    stream->download(&got, block.address, 4);
    stream->wait();
    EXPECT_EQ(got, 0);
    stream->upload(block.address, &sent, 4);
    stream->download(&got, block.address, 4);
    stream->wait();
    EXPECT_EQ(got, 5);
    device->free(block);
}

TEST(Far, a_stream_ends_with_pending_work) {
    const auto device = open("far");
    const runtime::Buffer failed = device->alloc(4);
    Endless endless(*device);
    endless.launch.stream.failed = reinterpret_cast<uint32_t *>(failed.address);
    int got = 0;
    {
        const auto stream = device->open_stream();
        stream->launch(*endless.task, endless.info, endless.launch);
        stream->download(&got, failed.address, 4);
        endless.wait_until_it_runs();
        endless.end();
    }
    device->free(failed);
}

TEST(Far, a_child_has_its_own_thread) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer block = device->alloc(4);
    const int sent = 5;
    int got = 0;
    stream->upload(block.address, &sent, 4);
    const pid_t child = fork();
    if (child == 0) {
        stream->download(&got, block.address, 4);
        stream->wait();
        _exit(got == 5 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    stream->download(&got, block.address, 4);
    stream->wait();
    EXPECT_EQ(got, 5);
    device->free(block);
}

TEST(Far, a_child_of_a_busy_device_gets_an_error) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer failed = device->alloc(4);
    Endless endless(*device);
    endless.launch.stream.failed = reinterpret_cast<uint32_t *>(failed.address);
    stream->launch(*endless.task, endless.info, endless.launch);
    endless.wait_until_it_runs();
    const pid_t child = fork();
    if (child == 0) {
        int result = 1;
        try {
            stream->wait();
        } catch (const InternalError &) {
            int got = 1;
            stream->download(&got, failed.address, 4);
            stream->wait();
            result = got;
        }
        _exit(result);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    endless.end();
    stream->wait();
    device->free(failed);
}

TEST(Far, a_stream_waits_for_an_event_of_another) {
    const auto device = open("far");
    const auto first = device->open_stream(), second = device->open_stream();
    const runtime::Buffer block = device->alloc(8);
    Endless endless(*device);
    endless.launch.stream.failed = reinterpret_cast<uint32_t *>(block.address + 4);
    const int sent = 5;
    int got = 0;
    first->launch(*endless.task, endless.info, endless.launch);
    first->upload(block.address, &sent, 4);
    second->wait_for(first->record());
    second->download(&got, block.address, 4);
    endless.wait_until_it_runs();
    EXPECT_EQ(got, 0);
    endless.end();
    second->wait();
    EXPECT_EQ(got, 5);
    first->wait();
    device->free(block);
}

TEST(Far, a_fault_before_an_event_is_raised_by_its_waiter) {
    const auto device = open("far");
    const auto first = device->open_stream(), second = device->open_stream();
    const runtime::Buffer block = device->alloc(4);
    Endless task(*device);
    uint32_t of_the_host = 0;
    task.launch.stream.failed = &of_the_host;
    const int sent = 5;
    int got = 0;
    second->wait_for(first->record()); // nothing was recorded before it
    second->upload(block.address, &sent, 4);
    first->launch(*task.task, task.info, task.launch);
    second->wait();
    second->wait_for(first->record());
    second->download(&got, block.address, 4);
    EXPECT_THROW(second->wait(), InternalError);
    EXPECT_EQ(got, 0);
    first->wait(); // the fault is raised only once
    second->download(&got, block.address, 4);
    second->wait();
    EXPECT_EQ(got, 5);
    device->free(block);
}

/// An array in a program's memory.
struct Array {
    Program &program;
    runtime::Buffer memory;
    size_t size;
    Array(Program &p, const std::vector<float> &values)
        : program(p), memory(p.memory().allocate(4 * values.size())), size(values.size()) {
        program.memory().upload(memory, 0, values.data(), 4 * size);
    }
    ~Array() { program.memory().free(memory.address); }
    std::vector<float> values() const {
        std::vector<float> all(size);
        program.memory().download(all.data(), memory, 0, 4 * size);
        return all;
    }
};

TEST(Far, kernels_run_and_return_values) {
    Program program(on("far"));
    EXPECT_FALSE(program.memory().host_visible());
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 0.0f);
    const Array x(program, values), y(program, std::vector<float>(1000, 1.0f));
    Args args{std::bit_cast<uint32_t>(2.0f), x.memory.address, 1000, y.memory.address, 1000};
    program.queues().launch(*program.compiler().compile(saxpy(), 0), args.record(), nullptr);
    for (size_t i = 0; i < 1000; i++) ASSERT_EQ(y.values()[i], 2.0f * float(i) + 1.0f) << i;
    uint64_t result = 0;
    Args array{x.memory.address, 1000};
    program.queues().launch(*program.compiler().compile(sum(), 0), array.record(), &result);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result)), 499500.0f);
}

TEST(Far, a_host_array_is_refused_at_the_wait) {
    Program program(on("far"));
    std::vector<float> host(10);
    uint64_t result = 0;
    Args array{reinterpret_cast<uint64_t>(host.data()), 10};
    const auto kernel = program.compiler().compile(sum(), 0);
    EXPECT_THROW(program.queues().launch(*kernel, array.record(), &result), InternalError);
    const Array x(program, std::vector<float>(10, 1.0f)); // the program continues
    Args own{x.memory.address, 10};
    program.queues().launch(*kernel, own.record(), &result);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result)), 10.0f);
}

/// x[at] = 1, in line 7
ir::Function put() {
    ir::Function fn = start("put");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    const ir::Value at = param(fn, ir::Scalar::i32);
    ir::Builder b(fn, fn.body);
    b.span = line(fn, 7);
    const ir::Value p = element(b, x, at);
    const ir::Value one = b.constant(ir::Scalar::f32, std::bit_cast<uint32_t>(1.0f));
    b.store(p, one);
    b.ret();
    return fn;
}
constexpr uint64_t nowhere = 1 << 28; ///< an index past the end of all arrays

/// Returns the fault of `put` that `work` reports when it waits; fails without one.
template <class F> engine::KernelFault fault_of_put(F &&work) {
    try {
        work();
    } catch (const engine::KernelFault &fault) {
        EXPECT_NE(std::string(fault.what()).find("kernel put tried to write memory"), std::string::npos)
            << fault.what();
        return fault;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {UserErrorKind::runtime, "", {}, ""};
}

TEST(Far, a_fault_is_raised_at_the_next_wait) {
    Program program(on("far"));
    const Array x(program, {1, 2}), y(program, {3, 4});
    Args wild{x.memory.address, 2, nowhere}, tame{x.memory.address, 2, 1};
    Args args{std::bit_cast<uint32_t>(2.0f), x.memory.address, 2, y.memory.address, 2};
    const auto kernel = program.compiler().compile(put(), 0), later = program.compiler().compile(saxpy(), 0);
    program.queues().launch(*kernel, wild.record(), nullptr);
    program.queues().launch(*later, args.record(), nullptr);
    const engine::KernelFault fault = fault_of_put([&] { program.queues().wait(); });
    EXPECT_EQ(fault.task, 0u);
    ASSERT_EQ(fault.trace.size(), 1u); // there is no call that could add more frames
    EXPECT_EQ(fault.trace[0].file, "put.py");
    EXPECT_EQ(fault.trace[0].line, 7u);
    program.queues().wait(); // the fault is raised only once
    EXPECT_EQ(y.values(), (std::vector<float>{3, 4})) << "what was launched after it did nothing";
    program.queues().launch(*kernel, tame.record(), nullptr);
    program.queues().launch(*later, args.record(), nullptr);
    EXPECT_EQ(y.values(), (std::vector<float>{5, 6}));
}

TEST(Far, a_fault_is_raised_by_the_first_waiter) {
    Program program(on("far"));
    const Array x(program, {1, 2});
    Args wild{x.memory.address, 2, nowhere}, array{x.memory.address, 2};
    uint64_t result = 0;
    const auto kernel = program.compiler().compile(put(), 0), total = program.compiler().compile(sum(), 0);
    const auto fault = [&] { program.queues().launch(*kernel, wild.record(), nullptr); };
    fault();
    EXPECT_EQ(fault_of_put([&] { x.values(); }).trace.size(), 1u);
    fault();
    EXPECT_EQ(fault_of_put([&] { program.queues().launch(*total, array.record(), &result); }).trace.size(), 1u);
    program.queues().launch(*total, array.record(), &result);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result)), 3.0f);
}

TEST(Far, a_fault_without_a_waiter_is_a_warning_at_the_end) {
    struct Heard : engine::Observer {
        std::vector<std::string> warnings;
        void warning(std::string_view text) override { warnings.emplace_back(text); }
    } heard;
    {
        Program program(on("far"));
        program.observers().subscribe(&heard);
        const Array x(program, {1, 2});
        Args wild{x.memory.address, 2, nowhere};
        program.queues().launch(*program.compiler().compile(put(), 0), wild.record(), nullptr);
    }
    ASSERT_EQ(heard.warnings.size(), 1u);
    EXPECT_NE(heard.warnings[0].find("kernel put"), std::string::npos) << heard.warnings[0];
}

TEST(Far, objects_of_a_launch_live_until_it_completes) {
    Program program(on("far"));
    const Array y(program, {0, 0});
    runtime::Buffer x = program.memory().allocate(8);
    const float values[] = {1, 2};
    program.memory().upload(x, 0, values, 8);
    Args args{std::bit_cast<uint32_t>(1.0f), x.address, 2, y.memory.address, 2};
    program.queues().launch(*program.compiler().compile(saxpy(), 0), args.record(),
                            nullptr); // the kernel is destroyed at once
    const uint64_t allocated = program.memory().allocated_bytes();
    program.memory().free(x.address);
    EXPECT_EQ(program.memory().allocated_bytes(), allocated - 8);
    const Array other(program, {7, 7});
    EXPECT_NE(other.memory.address, x.address);
    EXPECT_EQ(y.values(), (std::vector<float>{1, 2}));
}

/// Emits: for i in range(*bounds): x[i] = 1
void fill_with_ones(ir::Builder &b, std::span<const ir::Value> bounds, ir::Value x) {
    const ir::Value loop = b.parallel(bounds, {});
    ir::Builder in(b.fn, body_of(b.fn, loop));
    const ir::Value p = element(in, x, index_of(b.fn, loop));
    const ir::Value one = in.constant(ir::Scalar::f32, std::bit_cast<uint32_t>(1.0f));
    in.store(p, one);
    in.yield();
}

/// def upto(n, x), where this is repeated for n[0], n[1], ..: for i in range(n[0]): x[i] = 1
ir::Function upto(int loops) {
    ir::Function fn = start("upto");
    const ir::Value n = param(fn, ir::Type::array(ir::Scalar::i32, 1));
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    ir::Builder b(fn, fn.body);
    const ir::Value zero = b.i32(0);
    for (int i = 0; i < loops; i++) {
        const ir::Value at = b.i32(i);
        const ir::Value limit = element(b, n, at);
        const ir::Value bounds[] = {zero, b.load(limit)};
        fill_with_ones(b, bounds, x);
    }
    b.ret();
    return fn;
}

TEST(Far, a_range_that_depends_on_data_is_found_by_a_task) {
    Program program(on("far"));
    const runtime::Buffer limits = program.memory().allocate(4);
    const int32_t three = 3;
    program.memory().upload(limits, 0, &three, 4);
    const Array values(program, {0, 0, 0, 0});
    const auto kernel = program.compiler().compile(upto(1), 0);
    const auto &tasks = kernel_info(*kernel).tasks;
    ASSERT_EQ(tasks.size(), 2u);
    EXPECT_NE(tasks[1].range_at, abi::Task::computed);
    Args args{limits.address, 1, values.memory.address, 4};
    program.queues().launch(*kernel, args.record(), nullptr);
    EXPECT_EQ(values.values(), (std::vector<float>{1, 1, 1, 0}));
    program.memory().free(limits.address);
    const auto fixed = program.compiler().compile(saxpy(), 0);
    EXPECT_EQ(kernel_info(*fixed).tasks[0].range_at, abi::Task::computed);
    EXPECT_EQ(kernel_info(*fixed).tasks[0].range.factors, 1u);
}

TEST(Far, a_range_of_other_arithmetic_is_found_by_a_task) {
    // for i in range(n * n): x[i] = 1
    ir::Function fn = start("square");
    const ir::Value n = param(fn, ir::Type(ir::Scalar::i32));
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    ir::Builder b(fn, fn.body);
    const ir::Value zero = b.i32(0);
    const ir::Value bounds[] = {zero, b.mul(n, n)};
    fill_with_ones(b, bounds, x);
    b.ret();

    Program program(on("far"));
    const Array values(program, std::vector<float>(6));
    const auto kernel = program.compiler().compile(std::move(fn), 0);
    ASSERT_EQ(kernel_info(*kernel).tasks.size(), 2u);
    Args args{2, values.memory.address, 6};
    program.queues().launch(*kernel, args.record(), nullptr);
    EXPECT_EQ(values.values(), (std::vector<float>{1, 1, 1, 1, 0, 0}));
}

TEST(Far, pending_launches_keep_the_values_that_cross_their_tasks) {
    Program program(on("far"));
    const runtime::Buffer limits = program.memory().allocate(12);
    const int32_t numbers[] = {2, 1, 3};
    program.memory().upload(limits, 0, numbers, sizeof numbers);
    const Array first(program, std::vector<float>(4)), second(program, std::vector<float>(4));
    const auto small = program.compiler().compile(upto(1), 0), large = program.compiler().compile(upto(3), 0);
    const auto total = program.compiler().compile(sum(), 0);
    ASSERT_LT(kernel_info(*small).tmp_bytes, kernel_info(*large).tmp_bytes);
    Args to_first{limits.address, 3, first.memory.address, 4}, to_second{limits.address, 3, second.memory.address, 4};
    Args of_second{second.memory.address, 4};
    for (int i = 0; i < 20; i++) program.queues().launch(*small, to_first.record(), nullptr);
    program.queues().launch(*large, to_second.record(), nullptr);
    uint64_t result = 0; // its block may be the memory that the first launches used
    program.queues().launch(*total, of_second.record(), &result);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result)), 3.0f);
    EXPECT_EQ(first.values(), (std::vector<float>{1, 1, 0, 0}));
    program.memory().free(limits.address);
}

/// Returns how often `work` called each function of the device.
template <class F> std::map<std::string, uint64_t> calls(Program &program, F &&work) {
    std::map<std::string, uint64_t> made;
    const auto before = program.memory().device_calls();
    work();
    const auto after = program.memory().device_calls();
    for (size_t i = 0; i < after.size(); i++)
        if (after[i].second != before[i].second) made[after[i].first] = after[i].second - before[i].second;
    return made;
}
using Calls = std::map<std::string, uint64_t>;

TEST(Null, results_are_downloaded_once) {
    Program program(on("null"));
    const runtime::Buffer x = program.memory().allocate(4000);
    uint64_t result = 0;
    Args args{x.address, 1000};
    const auto kernel = program.compiler().compile(sum(), 0);
    const auto launch = [&] { program.queues().launch(*kernel, args.record(), &result); };
    calls(program, launch); // allocates the buffers
    const uint64_t tasks = uint64_t(kernel_info(*kernel).tasks.size());
    EXPECT_EQ(calls(program, launch), (Calls{{"launch", tasks}, {"download", 1}, {"wait", 1}}));
    EXPECT_GT(tasks, 1u);
    program.memory().free(x.address);
}

TEST(Null, a_launch_without_readers_is_not_waited_for) {
    Program program(on("null"));
    const runtime::Buffer x = program.memory().allocate(4000), y = program.memory().allocate(4000);
    Args args{std::bit_cast<uint32_t>(1.0f), x.address, 1000, y.address, 1000};
    const auto kernel = program.compiler().compile(saxpy(), 0);
    const auto launch = [&] { program.queues().launch(*kernel, args.record(), nullptr); };
    const Calls only_the_task = {{"launch", 1}}; // arguments are passed by value
    EXPECT_EQ(calls(program, launch), only_the_task);
    EXPECT_EQ(calls(program, launch), only_the_task);
    EXPECT_EQ(calls(program, [&] { program.queues().wait(); }), (Calls{{"wait", 1}}));
    EXPECT_EQ(calls(program, [&] { program.queues().wait(); }), Calls{});
    // The program sometimes waits for many launches, so that the memory freed meanwhile does not grow.
    const Calls many = calls(program, [&] {
        for (int i = 0; i < 1000; i++) launch();
    });
    EXPECT_EQ(many, (Calls{{"launch", 1000}, {"wait", 3}}));
    program.memory().free(x.address);
    program.memory().free(y.address);
}

TEST(Null, a_series_of_launches_allocates_nothing_on_the_host) {
    Program program(on("null"));
    const runtime::Buffer x = program.memory().allocate(4000);
    uint64_t result = 0;
    Args array{x.address, 1000};
    Args args{std::bit_cast<uint32_t>(1.0f), x.address, 1000, x.address, 1000};
    const auto pending = program.compiler().compile(saxpy(), 0), waited_for = program.compiler().compile(sum(), 0);
    const auto allocated = [&] {
        const uint64_t before = allocations;
        for (int i = 0; i < 100; i++) program.queues().launch(*pending, args.record(), nullptr);
        program.queues().launch(*waited_for, array.record(), &result);
        program.queues().wait();
        return allocations - before;
    };
    EXPECT_GT(allocated(), 0u) << "the first launches allocate what later ones reuse";
    for (int i = 0; i < 2; i++) allocated(); // both lists of launches have been used then
    EXPECT_EQ(allocated(), 0u);
    program.memory().free(x.address);
}

TEST(Null, more_values_cross_tasks_without_a_wait) {
    Program program(on("null"));
    const runtime::Buffer x = program.memory().allocate(4000);
    Args args{x.address, 1000, x.address, 1000};
    const auto small = program.compiler().compile(upto(1), 0), large = program.compiler().compile(upto(2), 0);
    const auto launch = [&](const auto &kernel) {
        Calls made = calls(program, [&] { program.queues().launch(*kernel, args.record(), nullptr); });
        made.erase("load"); // of better code, which another thread may have compiled meanwhile
        return made;
    };
    const auto tasks = [](const auto &kernel) { return uint64_t(kernel_info(*kernel).tasks.size()); };
    EXPECT_EQ(launch(small), (Calls{{"alloc", 1}, {"launch", tasks(small)}}));
    EXPECT_EQ(launch(large), (Calls{{"alloc", 1}, {"launch", tasks(large)}}));
    EXPECT_EQ(launch(small), (Calls{{"launch", tasks(small)}}));
    program.memory().free(x.address);
}

TEST(Null, memory_is_freed_once_launches_complete) {
    Program program(on("null"));
    const runtime::Buffer x = program.memory().allocate(4000);
    Args args{std::bit_cast<uint32_t>(1.0f), x.address, 1000, x.address, 1000};
    const auto kernel = program.compiler().compile(saxpy(), 0);
    program.queues().launch(*kernel, args.record(), nullptr);
    EXPECT_EQ(calls(program, [&] { program.memory().free(x.address); }), Calls{});
    EXPECT_EQ(calls(program, [&] { program.queues().wait(); }), (Calls{{"wait", 1}, {"free", 1}}));
}

TEST(Null, a_pattern_is_sent_once_and_doubled_on_the_device) {
    Program program(on("null"));
    const runtime::Buffer x = program.memory().allocate(4096);
    const float one = 1;
    EXPECT_EQ(calls(program, [&] { program.memory().repeat(x, &one, 4, 4096); }),
              (Calls{{"upload", 1}, {"copy", 10}, {"wait", 1}}));
    EXPECT_EQ(calls(program, [&] { program.memory().repeat(x, &one, 4, 0); }), Calls{});
    program.memory().free(x.address);
}

TEST(Null, blocks_have_addresses_of_their_own) {
    const auto device = open("null");
    const runtime::Buffer x = device->alloc(10);
    EXPECT_NE(x.address, device->alloc(10).address);
    device->free(x);
    const auto counts = device->calls();
    EXPECT_EQ(counts[0], (std::pair<std::string, uint64_t>("alloc", 2)));
    EXPECT_EQ(counts[1], (std::pair<std::string, uint64_t>("free", 1)));
}

TEST(Null, sparse_fields_need_a_runtime_on_the_device) {
    Program program(on("null"));
    ir::Place level;
    level.name = "level";
    level.level = true;
    level.shape = {64};
    level.index_offset = {0};
    ir::PlaceLevel &one = level.levels.emplace_back();
    one.kind = ir::LevelKind::bitmasked;
    one.node = 1;
    one.cell_bytes = 4;
    one.axes.push_back({});
    one.axes[0].extent = 64;
    EXPECT_THROW(program.trees().add(1024, {&level, 1}), UserError);
}

TEST(Backends, test_architectures_are_not_offered) {
    for (const backends::Backend *backend : backends::all()) {
        EXPECT_NE(backend->name, "far");
        EXPECT_NE(backend->name, "null");
    }
    EXPECT_NE(backends::find("far"), nullptr);
    EXPECT_NE(backends::find("null"), nullptr);
}

} // namespace
} // namespace qd::test
