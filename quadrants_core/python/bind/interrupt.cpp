#include "python/bind/interrupt.h"

#include <Python.h>

#include "base/fork.h"
#include "base/stop.h"
#include "engine/fault.h"
#include "python/bind/errors.h"
#include "python/bind/standstill.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace qd::bind {

InterruptState interrupts;

namespace {

struct sigaction previous;
std::atomic<bool> asked{false};              // an interrupt came
bool launches_watched = false;               // guarded by the GIL
bool threads_end = false;                    // the same
std::atomic<bool> outside{false};            // one came while nothing was launched, or may have
const ForkHooks hooks(nullptr, nullptr, [] { // the one that forked, which launches nothing
    interrupts.main_thread = __builtin_thread_pointer();
    interrupts.launching = 0;
    interrupts.arrived = asked = launches_watched = false;
});

bool on_main_thread() { return __builtin_thread_pointer() == interrupts.main_thread; }

void on_interrupt(int number, siginfo_t *info, void *context) {
    if (main_thread_launches()) {
        asked.store(true, std::memory_order_relaxed);
        interrupts.arrived.store(true, std::memory_order_relaxed);
        request_stop();
    } else {
        outside.store(true, std::memory_order_relaxed);
    }
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    }
}

} // namespace

namespace {

/// A clock that is cheap to ask rather than exact.
#if defined(__x86_64__)
uint64_t ticks() { return __builtin_ia32_rdtsc(); }
constexpr uint64_t ticks_in_microsecond = 2'000; // or more
#else
uint64_t ticks() { return uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1)); }
constexpr uint64_t ticks_in_microsecond = 1'000;
#endif

} // namespace

void keep_watching() {
    constexpr uint64_t burst = ticks_in_microsecond * 4 / 10; // less than signal.signal() takes, so nothing has changed
    constexpr uint64_t often = ticks_in_microsecond * 5'000;
    static uint64_t looked, looked_at_faults;
    const uint64_t now = ticks();
    // Where it is the main thread that launches; another one always looks.
    if (!main_thread_launches() || now - std::exchange(looked, now) > burst) [[unlikely]]
        watch_interrupts();
    if (now - looked_at_faults < often) return;
    looked_at_faults = now;
    engine::keep_watching_faults();
}

void watch_interrupts() {
    if (!on_main_thread() && getpid() == pid_t(syscall(SYS_gettid)))
        interrupts.main_thread = __builtin_thread_pointer();
    struct sigaction now;
    if (sigaction(SIGINT, nullptr, &now) != 0) return;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_interrupt) return;
    // Without a handler of Python's, SIGINT ends (or does not concern) the process: leave that as it is.
    if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) return;
    previous = now;
    struct sigaction ours = {};
    ours.sa_sigaction = on_interrupt;
    ours.sa_flags = SA_SIGINFO | (now.sa_flags & (SA_ONSTACK | SA_RESTART));
    ours.sa_mask = now.sa_mask;
    sigaction(SIGINT, &ours, nullptr);
    outside.store(true, std::memory_order_relaxed); // that handler may have been called already
}

bool no_interrupt_waits() {
    if (!outside.load(std::memory_order_relaxed) || !on_main_thread()) [[likely]]
        return true;
    outside.store(false, std::memory_order_relaxed);
    return PyErr_CheckSignals() == 0;
}

void end_threads_silently() { threads_end = true; }

void watch_launches(bool on) {
    launches_watched = on;
    interrupts.arrived.store(on || asked.load());
}

void note_interrupt() {
    asked.store(true);
    interrupts.arrived.store(true);
    request_stop();
}

[[gnu::cold]] bool raise_interrupt(bool ok) {
    const bool cut_short = !ok && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    if (!cut_short && !asked.load(std::memory_order_relaxed)) return ok;
    // A launch of the main thread, which may wait for this one to end, is meant first of all: the main thread clears the request.
    if (main_thread_launches() && !on_main_thread()) return ok;
    interrupts.arrived.store(launches_watched);
    asked.store(false);
    clear_stop();
    if (!ok && !cut_short) return false; // another error comes first
    PyErr_Clear();
    if (threads_end && !on_main_thread()) {
        PyErr_SetNone(PyExc_SystemExit);
        return false;
    }
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return false;
}

bool settle_watched_launch(bool ok) {
    if (!raise_interrupt(ok)) return false;
    return !launches_watched || !on_main_thread() || main_thread_launches() || told_launch();
}

bool interruptible(const std::function<void()> &work) {
    keep_watching();
    bool ok = true;
    {
        InterruptScope scope;
        try {
            work();
        } catch (...) {
            raise_current_exception();
            ok = false;
        }
    }
    return settle_interrupt(ok);
}

} // namespace qd::bind
