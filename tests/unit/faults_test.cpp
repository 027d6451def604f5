// Faults in guarded code become exceptions; all others go to the previous handler.
#include "runtime/faults.h"
#include "runtime/launcher.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <set>
#include <thread>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qd::runtime {
namespace {

/// The machine code of a body.
class Body {
  public:
    explicit Body(std::initializer_list<uint8_t> bytes) {
        memory_ = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        std::memcpy(memory_, bytes.begin(), bytes.size());
        watch_faults();
    }
    ~Body() { munmap(memory_, 4096); }
    Body(const Body &) = delete;
    abi::Body get() const { return reinterpret_cast<abi::Body>(memory_); }
    uintptr_t address() const { return reinterpret_cast<uintptr_t>(memory_); }

  private:
    void *memory_;
};

// They use callee-saved registers, like code that is left in the middle.
const std::initializer_list<uint8_t> write_to_begin = {0x53, 0x31, 0xdb,
                                                       0xc6, 0x02, 0x01,             // push rbx; ebx = 0; [rdx] = 1
                                                       0x5b, 0xc3};                  // pop rbx
const std::initializer_list<uint8_t> read_at_begin = {0x31, 0xdb, 0x8a, 0x02, 0xc3}; // al = [rdx]
const std::initializer_list<uint8_t> divide_by_begin = {0xb8, 7,    0,    0,    0,
                                                        0x52, 0x31, 0xd2,                        // eax = 7, edx = 0
                                                        0xf7, 0x3c, 0x24, 0x5a, 0xc3};           // idiv [rsp]
const std::initializer_list<uint8_t> recurse = {0x57, 0xe8, 0xfa, 0xff, 0xff, 0xff, 0x5f, 0xc3}; // push rdi; call self

Fault fault_of(const Body &body, int64_t begin = 16) {
    abi::Launch launch{};
    abi::Thread thread{};
    try {
        call_guarded(&launch, &thread, begin, begin + 1, body.get());
    } catch (const Fault &fault) {
        return fault;
    }
    ADD_FAILURE() << "no fault";
    return {};
}

TEST(Faults, are_reported_with_their_kind_and_place) {
    const Body writes(write_to_begin), dependencies(read_at_begin), divides(divide_by_begin);
    const GuardedCode a(reinterpret_cast<void *>(writes.address()), 4096),
        b(reinterpret_cast<void *>(dependencies.address()), 4096), c(reinterpret_cast<void *>(divides.address()), 4096);
    for (int again = 0; again < 3; again++) {
        const Fault write = fault_of(writes);
        EXPECT_EQ(write.kind, Fault::Kind::write);
        EXPECT_TRUE(write.has_address);
        EXPECT_EQ(write.address, 16u);
        EXPECT_EQ(write.at, writes.address() + 3);
        EXPECT_EQ(fault_of(dependencies).kind, Fault::Kind::read);
        EXPECT_FALSE(fault_of(dependencies, int64_t(1) << 62).has_address); // no address at all
        const Fault division = fault_of(divides, 0);
        EXPECT_EQ(division.kind, Fault::Kind::arithmetic);
        EXPECT_EQ(division.at, divides.address() + 8);
    }
    char fine = 0;
    abi::Launch launch{};
    abi::Thread thread{};
    call_guarded(&launch, &thread, reinterpret_cast<int64_t>(&fine), 0, writes.get());
    EXPECT_EQ(fine, 1);
}

TEST(Faults, bus_errors_too) {
    const Body writes(write_to_begin);
    const GuardedCode guard(reinterpret_cast<void *>(writes.address()), 4096);
    const int file = memfd_create("empty", 0);
    void *beyond = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); // past the end of the file
    EXPECT_EQ(fault_of(writes, reinterpret_cast<int64_t>(beyond)).address, reinterpret_cast<uintptr_t>(beyond));
    munmap(beyond, 4096);
    close(file);
}

TEST(Faults, endless_recursion_runs_out_of_stack) {
    const Body body(recurse);
    const GuardedCode guard(reinterpret_cast<void *>(body.address()), 4096);
    std::thread([&] { EXPECT_EQ(fault_of(body).kind, Fault::Kind::stack); }).join();
    EXPECT_EQ(fault_of(body).kind, Fault::Kind::stack);
}

TEST(Faults, threads_have_their_own) {
    const Body writes(write_to_begin);
    const GuardedCode guard(reinterpret_cast<void *>(writes.address()), 4096);
    std::vector<std::thread> threads;
    for (int t = 1; t <= 4; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; i++) EXPECT_EQ(fault_of(writes, t * 64).address, uintptr_t(t) * 64);
        });
    for (std::thread &thread : threads) thread.join();
}

TEST(Faults, a_nested_call_leaves_the_outer_one_guarded) {
    static const Body *inner, *outer;
    const Body writes(write_to_begin), dependencies(read_at_begin);
    const GuardedCode a(reinterpret_cast<void *>(writes.address()), 4096),
        b(reinterpret_cast<void *>(dependencies.address()), 4096);
    inner = &dependencies;
    outer = &writes;
    static uintptr_t met = 0;
    abi::Launch launch{};
    abi::Thread thread{};
    const abi::Body both = [](const abi::Launch *c, abi::Thread *t, int64_t, int64_t) {
        try {
            call_guarded(c, t, 8, 0, inner->get());
        } catch (const Fault &fault) {
            met = fault.address;
        }
        outer->get()(c, t, 24, 0);
    };
    try {
        call_guarded(&launch, &thread, 0, 0, both);
        ADD_FAILURE() << "no fault";
    } catch (const Fault &fault) {
        EXPECT_EQ(fault.address, 24u);
    }
    EXPECT_EQ(met, 8u);
}

TEST(Faults, ranges_come_and_go) {
    const uintptr_t base = 0x10000;
    std::vector<std::unique_ptr<GuardedCode>> ranges;
    for (uintptr_t i = 0; i < 1000; i++)
        ranges.push_back(std::make_unique<GuardedCode>(reinterpret_cast<void *>(base + 64 * i), 32));
    for (uintptr_t i = 0; i < 1000; i++) {
        EXPECT_TRUE(is_guarded(base + 64 * i) && is_guarded(base + 64 * i + 31));
        EXPECT_FALSE(is_guarded(base + 64 * i + 32));
    }
    for (size_t i = 0; i < 1000; i += 2) ranges[i].reset();
    for (uintptr_t i = 0; i < 1000; i++) EXPECT_EQ(is_guarded(base + 64 * i), i % 2 == 1);
}

/// Returns how a child that runs this ends: the signal, or minus its exit code.
template <class Work> int end_of(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

void touch_nothing() { *reinterpret_cast<volatile char *>(16) = 1; }

struct sigaction kept;
void exits(int) { _exit(7); }
void raises_again(int number) {
    sigaction(number, &kept, nullptr);
    raise(number);
}
void lets_it_fault_again(int number) { sigaction(number, &kept, nullptr); }

void install(void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(SIGSEGV, &action, &kept);
}

TEST(Faults, elsewhere_are_unchanged) {
    EXPECT_EQ(end_of([] { watch_faults(), touch_nothing(); }), SIGSEGV);
    EXPECT_EQ(end_of([] { watch_faults(), raise(SIGFPE); }), SIGFPE);
    const std::pair<void (*)(int), int> cases[] = {
        {exits, -7}, {raises_again, SIGSEGV}, {lets_it_fault_again, SIGSEGV}};
    for (const auto &[handler, end] : cases) {
        EXPECT_EQ(end_of([&] { install(handler), watch_faults(), touch_nothing(); }), end);
        EXPECT_EQ(end_of([&] { watch_faults(), install(handler), watch_faults(), touch_nothing(); }), end);
        const int when_sent = handler == lets_it_fault_again ? 0 : end; // then there is no second fault
        EXPECT_EQ(end_of([&] { watch_faults(), install(handler), watch_faults(), raise(SIGSEGV); }), when_sent);
    }
    EXPECT_EQ(end_of([] {
                  signal(SIGSEGV, SIG_IGN);
                  watch_faults();
                  raise(SIGSEGV); // a sent signal, so it is ignored
                  touch_nothing();
              }),
              SIGSEGV);
}

TEST(Faults, a_handler_that_fixes_the_cause_may_continue) {
    static char *page;
    EXPECT_EQ(end_of([] {
                  page = static_cast<char *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
                  install([](int) { mprotect(page, 4096, PROT_READ | PROT_WRITE); });
                  watch_faults();
                  for (int i = 0; i < 3; i++) {
                      *page = char(i);
                      mprotect(page, 4096, PROT_NONE);
                  }
                  const Body writes(write_to_begin);
                  const GuardedCode guard(reinterpret_cast<void *>(writes.address()), 4096);
                  if (fault_of(writes).address != 16) _exit(1);
              }),
              0);
}

struct Tasks {
    std::atomic<abi::Body> body;
    uint32_t failed = 0, stop = 0;
    abi::Launch launch{};
    abi::Task task;
    Tasks(abi::Body b, float weight) : body(b) {
        launch.stream.failed = &failed;
        launch.stream.stop = &stop;
        task.kind = abi::TaskKind::range;
        task.weight = weight;
    }
    static void bounds(const abi::Launch *, abi::Thread *, int64_t *out) {
        out[0] = 0;
        out[1] = 1 << 20;
    }
};

TEST(Faults, of_a_task_reach_its_launcher) {
    const Body dependencies(read_at_begin);
    const GuardedCode guard(reinterpret_cast<void *>(dependencies.address()), 4096);
    for (int threads : {1, 2, 4}) {
        Launcher launcher(threads);
        for (float weight : {0.001f, 100.0f}) { // single-threaded, then on the pool
            for (int again = 0; again < 20; again++) {
                Tasks tasks(dependencies.get(), weight);
                const TaskEntry entry{tasks.body, {}};
                EXPECT_THROW(launcher.run(tasks.task, &entry, Tasks::bounds, tasks.launch), Fault);
            }
        }
        const TaskEntry fine{[](const abi::Launch *, abi::Thread *, int64_t, int64_t) {}, {}};
        Tasks tasks(nullptr, 100);
        launcher.run(tasks.task, &fine, Tasks::bounds, tasks.launch);
    }
}

} // namespace
} // namespace qd::runtime
