#include "python/bind/interrupt.h"

#include <Python.h>

#include "base/fork.h"
#include "base/stop.h"
#include "engine/fault.h"
#include "python/bind/errors.h"

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qd::bind {
namespace {

struct sigaction previous;
std::atomic<int> launching{0}; // only the main thread writes it, hence no locked addition
std::atomic<bool> arrived{false};
std::atomic<bool> outside{false};            // one came while nothing was launched
pthread_t main_thread = pthread_self();      // the one that runs Python's signal handlers
const ForkHooks hooks(nullptr, nullptr, [] { // the one that forked, which launches nothing
    main_thread = pthread_self();
    launching = 0;
    arrived = false;
});

void count_launch(int by) {
    launching.store(launching.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

void on_interrupt(int number, siginfo_t *info, void *context) {
    if (launching.load(std::memory_order_relaxed) > 0) {
        arrived.store(true, std::memory_order_relaxed);
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

void keep_watching() {
    using Clock = std::chrono::steady_clock;
    static Clock::time_point last;
    Clock::time_point now = Clock::now();
    if (now - last < std::chrono::milliseconds(5)) return;
    last = now;
    watch_interrupts();
    engine::keep_watching_faults();
}

void watch_interrupts() {
    if (getpid() == pid_t(syscall(SYS_gettid))) main_thread = pthread_self();
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
}

InterruptScope::InterruptScope() : on_main_(pthread_equal(pthread_self(), main_thread)) {
    if (on_main_) count_launch(1);
}

InterruptScope::~InterruptScope() {
    if (on_main_) count_launch(-1);
}

bool no_interrupt_waits() {
    if (!outside.load(std::memory_order_relaxed) || !pthread_equal(pthread_self(), main_thread)) [[likely]]
        return true;
    outside.store(false, std::memory_order_relaxed);
    return PyErr_CheckSignals() == 0;
}

void note_interrupt() {
    arrived.store(true);
    request_stop();
}

bool settle_interrupt(bool ok) {
    const bool cut_short = !ok && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    if (!cut_short && !arrived.load(std::memory_order_relaxed)) [[likely]]
        return ok;
    // A launch of the main thread, which may wait for this one to end, is meant first of all: the main thread clears the request.
    if (launching.load(std::memory_order_relaxed) > 0 && !pthread_equal(pthread_self(), main_thread)) return ok;
    arrived.store(false);
    clear_stop();
    if (!ok && !cut_short) return false; // another error comes first
    PyErr_Clear();
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return false;
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
