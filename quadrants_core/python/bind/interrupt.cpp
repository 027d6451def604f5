#include "python/bind/interrupt.h"

#include <Python.h>

#include "base/fork.h"
#include "base/stop.h"
#include "engine/fault.h"
#include "python/bind/errors.h"
#include "python/bind/running.h"
#include "python/bind/pending_call.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <signal.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace qd::bind {

InterruptState interrupts;

namespace {

struct sigaction previous;
std::atomic<bool> asked{false};              // an interrupt came while the main thread was launching
std::atomic<bool> launches_watched{false};   // written with the GIL held
bool threads_end = false;                    // guarded by the GIL
std::atomic<bool> outside{false};            // one came, or may have come, while the main thread was not launching
std::atomic<uint32_t> received{0};           // number of signals that our handler has seen
thread_local int depth = 0;                  // nesting depth of the scopes of a thread other than the main one
const ForkHooks hooks(nullptr, nullptr, [] { // in the child: the forking thread, which launches nothing
    interrupts.main_thread = __builtin_thread_pointer();
    interrupts.launching = interrupts.elsewhere = depth = 0;
    interrupts.arrived = asked = launches_watched = false;
});

bool on_main_thread() { return __builtin_thread_pointer() == interrupts.main_thread; }

bool any_thread_launches() { return main_thread_launches() || interrupts.elsewhere.load() > 0; }

/// Ends the request to stop once everything that it applies to has left.
void end_request() {
    if (any_thread_launches()) return;
    interrupts.arrived.store(launches_watched.load());
    clear_stop();
}

void on_interrupt(int number, siginfo_t *info, void *context) {
    if (main_thread_launches())
        asked.store(true, std::memory_order_relaxed);
    else
        outside.store(true, std::memory_order_relaxed);
    stop_what_runs();
    received++;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    }
}

} // namespace

void stop_what_runs() {
    if (!any_thread_launches()) return;
    request_stop();
    interrupts.arrived.store(true);
    end_request(); // a launch that left before the request was made did not see it
}

uint32_t interrupts_received() { return received; }

void keep_watching() {
    constexpr uint64_t burst = ticks_in_microsecond * 4 / 10; // too short for a call of signal.signal()
    constexpr uint64_t often = ticks_in_microsecond * 5'000;
    static uint64_t looked, looked_at_faults;
    const uint64_t now = ticks();
    // A burst of launches of the main thread skips the check; launches of other threads always make it.
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
    // Without a Python handler, SIGINT ends the process or is ignored by it: leave that as it is.
    if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) return;
    previous = now;
    struct sigaction ours = {};
    ours.sa_sigaction = on_interrupt;
    ours.sa_flags = SA_SIGINFO | (now.sa_flags & (SA_ONSTACK | SA_RESTART));
    ours.sa_mask = now.sa_mask;
    sigaction(SIGINT, &ours, nullptr);
    outside.store(true, std::memory_order_relaxed); // the previous handler may have been called already
}

void InterruptScope::enter_elsewhere() {
    if (depth++ == 0) interrupts.elsewhere++;
}
void InterruptScope::leave_elsewhere() {
    if (--depth == 0) interrupts.elsewhere--;
}

namespace {

/// Waits until all others have left; does not count itself as launching meanwhile. Returns false with an error set.
[[gnu::cold, gnu::noinline]] bool others_have_left() {
    const bool on_main = on_main_thread();
    std::atomic<int> &mine = on_main ? interrupts.launching : interrupts.elsewhere;
    if ((on_main ? mine.load() : depth) > 1) return true; // nested in work that is itself to leave
    bool ok = true;
    mine--;
    for (end_request(); ok && stop_word; end_request()) {
        Py_BEGIN_ALLOW_THREADS;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        Py_END_ALLOW_THREADS;
        ok = !on_main || PyErr_CheckSignals() == 0;
    }
    mine++;
    if (!ok || on_main || !threads_end) return ok;
    PyErr_SetNone(PyExc_SystemExit);
    return false;
}

} // namespace

bool no_interrupt_waits() {
    const bool meant = on_main_thread() && asked.load(std::memory_order_relaxed); // so this launch leaves at once
    if (stop_word && !meant && !others_have_left()) [[unlikely]]
        return false;
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
    const bool meant = on_main_thread() && !main_thread_launches() && asked.exchange(false);
    end_request();
    if (!cut_short && !meant) return ok;
    if (!ok && !cut_short) { // another error takes precedence
        forget_where_it_stopped();
        return false;
    }
    PyErr_Clear();
    if (!on_main_thread()) {
        if (!threads_end) {
            raise_stopped_on_other_thread();
            return false;
        }
        forget_where_it_stopped();
        PyErr_SetNone(PyExc_SystemExit);
    } else {
        if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
        say_where_it_stopped();
    }
    return false;
}

bool settle_watched_launch(bool ok) {
    if (!raise_interrupt(ok)) return false;
    return !launches_watched || !on_main_thread() || main_thread_launches() || report_launch();
}

bool interruptible(const std::function<void()> &work) {
    keep_watching();
    bool ok = true;
    {
        InterruptScope scope;
        try {
            ok = no_interrupt_waits();
            if (ok) work();
        } catch (...) {
            raise_current_exception();
            ok = false;
        }
    }
    return settle_interrupt(ok);
}

} // namespace qd::bind
