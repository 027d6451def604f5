#include "runtime/faults.h"

#include "runtime/fault_report.h"

#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define QD_STATIC_TLS __attribute__((tls_model("initial-exec"))) // one instruction, and safe in a signal handler

namespace qd::runtime {

// --- guarded code ----------------------------------------------------------------------------------------------------

/// Ranges are stored in blocks that are never freed, so that a handler can read them at any time. The blocks are outside the heap, which a
/// kernel may have overwritten.
struct GuardedCode::Place {
    std::atomic<uintptr_t> begin{0};
    std::atomic<size_t> size{0}; ///< 0: empty slot
    std::atomic<uint64_t> *taken = nullptr;
    uint64_t bit = 0;
};

namespace {

template <class Place> struct Block {
    std::atomic<uint64_t> taken{0};
    Place places[64];
    Block *next = nullptr;
};

template <class Place> constinit Block<Place> own_block;
template <class Place> constinit std::atomic<Block<Place> *> first_block{&own_block<Place>};

template <class Place> Block<Place> *make_block() {
    void *memory = mmap(nullptr, sizeof(Block<Place>), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return new (memory) Block<Place>;
}

template <class Place> Place *take_place() {
    std::atomic<Block<Place> *> &first = first_block<Place>;
    for (;;) {
        for (Block<Place> *block = first.load(std::memory_order_acquire); block; block = block->next) {
            uint64_t taken = block->taken.load(std::memory_order_relaxed);
            while (~taken) {
                const int free = std::countr_one(taken);
                const uint64_t bit = uint64_t(1) << free;
                if (!block->taken.compare_exchange_weak(taken, taken | bit)) continue;
                block->places[free].taken = &block->taken;
                block->places[free].bit = bit;
                return &block->places[free];
            }
        }
        auto *block = make_block<Place>();
        block->next = first.load(std::memory_order_relaxed);
        while (!first.compare_exchange_weak(block->next, block, std::memory_order_acq_rel)) {
        }
    }
}

} // namespace

GuardedCode::GuardedCode(const void *begin, size_t size) : place_(take_place<Place>()) {
    place_->begin.store(reinterpret_cast<uintptr_t>(begin), std::memory_order_relaxed);
    place_->size.store(size, std::memory_order_release);
}

GuardedCode::~GuardedCode() {
    place_->size.store(0, std::memory_order_release);
    place_->taken->fetch_and(~place_->bit, std::memory_order_release);
}

bool is_guarded(uintptr_t at) {
    using Place = GuardedCode::Place;
    for (const Block<Place> *block = first_block<Place>.load(std::memory_order_acquire); block; block = block->next) {
        for (const Place &place : block->places) {
            const size_t size = place.size.load(std::memory_order_acquire);
            if (at - place.begin.load(std::memory_order_relaxed) < size) return true;
        }
    }
    return false;
}

// --- calls -----------------------------------------------------------------------------------------------------------

namespace {

thread_local Fault met QD_STATIC_TLS;

} // namespace

constinit thread_local bool prepared_for_faults QD_STATIC_TLS = false;

} // namespace qd::runtime

// qd_guarded_call saves the callee-saved registers, and stores their location in qd_landing. A handler that resumes at qd_guarded_landing
// with that stack pointer makes the call throw instead of return.
extern "C" {
__attribute__((visibility("hidden"))) thread_local void *qd_landing QD_STATIC_TLS = nullptr; // null: no such call
__attribute__((visibility("hidden"))) extern const char qd_guarded_landing[];
__attribute__((visibility("hidden"), used)) void qd_throw_fault() { throw qd::runtime::Fault(qd::runtime::met); }
}
asm(R"(
    .pushsection .text
    .balign 16
    .globl qd_guarded_call
    .hidden qd_guarded_call
    .type qd_guarded_call, @function
qd_guarded_call:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rbx
    .cfi_offset %rbx, -24
    pushq %r12
    .cfi_offset %r12, -32
    pushq %r13
    .cfi_offset %r13, -40
    pushq %r14
    .cfi_offset %r14, -48
    pushq %r15
    .cfi_offset %r15, -56
    movq qd_landing@gottpoff(%rip), %rbx
    pushq %fs:(%rbx)
    movq %rsp, %fs:(%rbx)
    call *%r8
    popq %fs:(%rbx)
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .globl qd_guarded_landing
    .hidden qd_guarded_landing
qd_guarded_landing:
    .cfi_restore_state
    leaq 48(%rsp), %rbp
    movq qd_landing@gottpoff(%rip), %rbx
    popq %fs:(%rbx)
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp qd_throw_fault
    .cfi_endproc
    .size qd_guarded_call, . - qd_guarded_call
    .popsection
)");

// The abi::Body of `probe`: begin is the address, end is non-zero for a write.
extern "C" {
__attribute__((visibility("hidden"))) void qd_probe(const qd::abi::Launch *, qd::abi::Thread *, int64_t, int64_t);
__attribute__((visibility("hidden"))) extern const char qd_probe_end[];
}
asm(R"(
    .pushsection .text
    .balign 16
    .globl qd_probe
    .hidden qd_probe
    .type qd_probe, @function
qd_probe:
    testq %rcx, %rcx
    jne 1f
    movb (%rdx), %al
    ret
1:
    lock orb $0, (%rdx)
    ret
    .globl qd_probe_end
    .hidden qd_probe_end
qd_probe_end:
    .size qd_probe, . - qd_probe
    .popsection
)");

namespace qd::runtime {

// --- signals ---------------------------------------------------------------------------------------------------------

namespace {

/// SIGABRT is not a fault; the C library raises it when it finds the heap corrupted.
constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// The previous handlers of a signal. Another handler may be installed in front of ours, and ours in front of it again, so there may be
/// several; below the last one is the default action of the system.
struct Before {
    static constexpr int most = 8;
    struct sigaction handlers[most];
    int count = 0;
    bool aside = false; ///< the last handler is installed instead of ours
};
Before before[std::size(signals)];

size_t place_of(int number) {
    size_t i = 0;
    while (signals[i] != number) i++;
    return i;
}

Fault describe(int number, const siginfo_t *info, const mcontext_t &machine) {
    Fault fault;
    fault.at = uintptr_t(machine.gregs[REG_RIP]);
    if (number == SIGFPE) {
        fault.kind = Fault::Kind::arithmetic;
        return fault;
    }
    if (number == SIGILL) {
        fault.kind = Fault::Kind::instruction;
        return fault;
    }
    constexpr greg_t written = 2; // in the error code of a page fault
    constexpr uintptr_t reach = 8192;
    fault.kind = machine.gregs[REG_ERR] & written ? Fault::Kind::write : Fault::Kind::read;
    fault.has_address = info->si_code != SI_KERNEL; // for a non-canonical address the system reports none
    if (!fault.has_address) return fault;
    fault.address = reinterpret_cast<uintptr_t>(info->si_addr);
    const uintptr_t stack = uintptr_t(machine.gregs[REG_RSP]);
    if (fault.address - (stack - reach) < 2 * reach) fault.kind = Fault::Kind::stack;
    return fault;
}

enum class Verdict : uint8_t { foreign, ours, fatal };

/// True for an address in the first page behind the heap: a loop that ran past an array there has overwritten the heap up to its end.
bool is_behind_heap(uintptr_t address) {
    const uintptr_t end = uintptr_t(syscall(SYS_brk, 0));
    return address - (end + page_bytes - 1) / page_bytes * page_bytes < page_bytes;
}

/// Decides whether the fault is ours. Fills `met` if it is.
Verdict look(int number, const siginfo_t *info, const mcontext_t &machine) {
    if (!qd_landing || info->si_code <= 0) return Verdict::foreign;
    if (!is_guarded(uintptr_t(machine.gregs[REG_RIP]))) return Verdict::foreign;
    met = describe(number, info, machine);
    return met.kind == Fault::Kind::write && is_behind_heap(met.address) ? Verdict::fatal : Verdict::ours;
}

std::atomic<bool> is_ending{false};

/// Announces the end of a process whose memory a kernel corrupted. Handlers that the fault is passed on to have a few seconds.
void announce_end() {
    if (is_ending.exchange(true)) return;
    std::signal(SIGALRM, SIG_DFL);
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
    alarm(5);
    report_heap_overrun();
}

} // namespace

void explain_end() {
    if (!is_ending.exchange(true)) report_process_end();
}

namespace {

void on_fault(int number, siginfo_t *info, void *context);

bool is_ours(const struct sigaction &action) {
    return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_fault;
}

void take_over(int number, Before &before, const struct sigaction &now) {
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
        before.count = 0;
    else
        before.handlers[before.count < Before::most ? before.count++ : Before::most - 1] = now;
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ours.sa_mask = now.sa_mask;
    sigaction(number, &ours, nullptr);
}

/// Calls the previous handler, with that handler installed as if ours were absent. Handlers that are done restore ours to raise the signal
/// again or to let the instruction fault again; the next call then goes to the handler below.
void pass_on(int number, siginfo_t *info, void *context) {
    Before &all = before[place_of(number)];
    if (all.aside) all.count--;
    all.aside = false;
    const bool is_sent = info->si_code <= 0; // sent by a process; a fault recurs when the instruction runs again
    struct sigaction next = {};
    next.sa_handler = SIG_DFL;
    if (all.count > 0) next = all.handlers[all.count - 1];
    if (!(next.sa_flags & SA_SIGINFO) && next.sa_handler == SIG_IGN) {
        if (is_sent) return;
        next.sa_handler = SIG_DFL; // the system does the same
    }
    const bool ends = !(next.sa_flags & SA_SIGINFO) && next.sa_handler == SIG_DFL;
    if (ends && (!is_sent || number == SIGABRT)) explain_end();
    sigaction(number, &next, nullptr);
    if (ends) {
        if (is_sent) raise(number);
        return;
    }
    all.aside = true;
    if (next.sa_flags & SA_SIGINFO)
        next.sa_sigaction(number, info, context);
    else
        next.sa_handler(number);
    struct sigaction now;
    if (sigaction(number, nullptr, &now) != 0) return;
    if (all.aside) all.count--;
    all.aside = false;
    if (!is_ours(now)) take_over(number, all, now);
}

void on_fault(int number, siginfo_t *info, void *context) {
    mcontext_t &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
    const int error = errno;
    const Verdict verdict = look(number, info, machine);
    if (verdict == Verdict::fatal) announce_end();
    if (verdict != Verdict::ours) pass_on(number, info, context);
    errno = error;
    if (verdict != Verdict::ours) return;
    machine.gregs[REG_RSP] = reinterpret_cast<greg_t>(qd_landing);
    machine.gregs[REG_RIP] = reinterpret_cast<greg_t>(qd_guarded_landing);
}

/// The signal stack of a thread, freed when the thread ends.
class HandlerStack {
  public:
    HandlerStack() {
        stack_t now;
        if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return; // the thread already has one
        const size_t least = getauxval(AT_MINSIGSTKSZ);
        bytes_ = (size_t(64) << 10) + 2 * least;
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory_ == MAP_FAILED) return;
        stack_t stack = {};
        stack.ss_sp = memory_;
        stack.ss_size = bytes_;
        if (sigaltstack(&stack, nullptr) == 0) return;
        munmap(memory_, bytes_);
        memory_ = MAP_FAILED;
    }
    ~HandlerStack() {
        if (memory_ == MAP_FAILED) return;
        stack_t now;
        if (sigaltstack(nullptr, &now) != 0) return;
        if (now.ss_sp == memory_) {
            stack_t none = {};
            none.ss_flags = SS_DISABLE;
            if (sigaltstack(&none, nullptr) != 0) return;
        }
        prepared_for_faults = false;
        munmap(memory_, bytes_);
    }
    HandlerStack(const HandlerStack &) = delete;

  private:
    void *memory_ = MAP_FAILED;
    size_t bytes_ = 0;
};

} // namespace

namespace {
std::atomic<bool> watching{false};
}

void keep_watching_faults() {
    if (watching.load(std::memory_order_relaxed)) watch_faults();
}

void watch_faults() {
    watching.store(true, std::memory_order_relaxed);
    static std::atomic_flag busy;
    if (busy.test_and_set(std::memory_order_acquire)) return; // another thread is installing them
    for (size_t i = 0; i < std::size(signals); i++) {
        struct sigaction now;
        if (sigaction(signals[i], nullptr, &now) == 0 && !is_ours(now)) take_over(signals[i], before[i], now);
    }
    busy.clear(std::memory_order_release);
}

namespace {
const GuardedCode probe_is_guarded(reinterpret_cast<const void *>(qd_probe),
                                   size_t(qd_probe_end - reinterpret_cast<const char *>(qd_probe)));
}

void probe(uintptr_t address, bool writes) { call_guarded(nullptr, nullptr, int64_t(address), writes, qd_probe); }

void prepare_thread_for_faults() {
    thread_local HandlerStack stack;
    (void)stack;
    sigset_t faults;
    sigemptyset(&faults);
    for (const int number : signals) sigaddset(&faults, number);
    pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
    prepared_for_faults = true;
}

} // namespace qd::runtime
