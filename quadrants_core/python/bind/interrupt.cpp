#include "python/bind/interrupt.h"

#include <Python.h>

#include "base/fork.h"
#include "base/stop.h"
#include "engine/fault.h"
#include "python/bind/errors.h"
#include "python/bind/running.h"
#include "python/bind/standstill.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace qd::bind {

InterruptState interrupts;

namespace {

struct sigaction previous;
std::atomic<bool> asked{false};              // an interrupt came while the main thread launched
std::atomic<bool> launches_watched{false};   // written with the GIL held
bool threads_end = false;                    // guarded by the GIL
std::atomic<int> decided{0};                 // launches of the main thread that its handler decides about
bool handler_raised = false;                 // so the launch ended; guarded by the GIL
std::atomic<bool> outside{false};            // one came while the main thread launched nothing, or may have
thread_local int depth = 0;                  // of the scopes of a thread other than the main one
const ForkHooks hooks(nullptr, nullptr, [] { // the one that forked, which launches nothing
    interrupts.main_thread = __builtin_thread_pointer();
    interrupts.launching = interrupts.elsewhere = depth = 0;
    interrupts.arrived = asked = launches_watched = handler_raised = false;
    decided = 0;
});

bool on_main_thread() { return __builtin_thread_pointer() == interrupts.main_thread; }

bool somebody_launches() { return main_thread_launches() || interrupts.elsewhere.load() > 0; }

/// In a launch that the handler decides about, or in brief ones alone.
bool main_thread_may_go_on() {
    if (decided.load(std::memory_order_relaxed)) return true;
    const int launching = interrupts.launching.load(std::memory_order_relaxed);
    return launching > 0 && launching % InterruptScope::brief_scope == 0 && interrupts.elsewhere.load() == 0;
}

/// The last of those that it is for ends the request to stop.
void end_request() {
    if (somebody_launches()) return;
    interrupts.arrived.store(launches_watched.load());
    clear_stop();
}

void on_interrupt(int number, siginfo_t *info, void *context) {
    if (main_thread_launches())
        asked.store(true, std::memory_order_relaxed);
    else
        outside.store(true, std::memory_order_relaxed);
    if (main_thread_may_go_on()) {
        interrupts.arrived.store(true);
    } else if (somebody_launches()) {
        request_stop();
        interrupts.arrived.store(true);
        end_request(); // whoever left before it was made did not see it
    }
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    }
}

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

void InterruptScope::enter_elsewhere() {
    if (depth++ == 0) interrupts.elsewhere++;
}
void InterruptScope::leave_elsewhere() {
    if (--depth == 0) interrupts.elsewhere--;
}

namespace {

/// Counts as one that launches nothing while it waits. False with an error set.
[[gnu::cold, gnu::noinline]] bool others_have_left() {
    const bool on_main = on_main_thread();
    std::atomic<int> &mine = on_main ? interrupts.launching : interrupts.elsewhere;
    if ((on_main ? mine.load() : depth) > 1) return true; // a part of what is to leave
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
    const bool meant = on_main_thread() && asked.load(std::memory_order_relaxed); // and leaves at once
    if (stop_word && !meant && !others_have_left()) [[unlikely]]
        return false;
    if (!outside.load(std::memory_order_relaxed) || !on_main_thread()) [[likely]]
        return true;
    outside.store(false, std::memory_order_relaxed);
    return PyErr_CheckSignals() == 0;
}

bool handler_decides() {
    static PyObject *handler_of = nullptr, *standard = nullptr, *number = nullptr;
    if (!on_main_thread()) return false;
    if (!handler_of) {
        PyObject *module = PyImport_ImportModule("_signal");
        standard = module ? PyObject_GetAttrString(module, "default_int_handler") : nullptr;
        handler_of = standard ? PyObject_GetAttrString(module, "getsignal") : nullptr;
        number = PyLong_FromLong(SIGINT);
        Py_XDECREF(module);
    }
    PyObject *handler = handler_of && number ? PyObject_CallOneArg(handler_of, number) : nullptr;
    if (!handler) PyErr_Clear();
    const bool decides = handler && handler != standard && PyCallable_Check(handler) &&
                         !PyObject_HasAttrString(handler, "quadrants_ends_launches");
    Py_XDECREF(handler);
    return decides;
}

namespace {

/// A thread that does one piece of work after the other, which throws nothing.
class Helper {
  public:
    /// Null: there is no memory for a thread.
    static Helper *start() {
        auto made = std::make_unique<Helper>();
        sigset_t all, before; // signals are for the threads of the program
        sigfillset(&all);
        pthread_t thread;
        pthread_sigmask(SIG_SETMASK, &all, &before);
        const bool started = pthread_create(&thread, nullptr, run, made.get()) == 0;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (!started) return nullptr;
        pthread_detach(thread);
        return made.release(); // it deletes itself
    }
    void begin(const std::function<void()> &work) {
        work_ = &work;
        tell(begun);
    }
    bool is_done() const { return state_.load() == idle; }
    /// Until that is so, a moment at most.
    void wait() { wait_while(begun, 5, 10'000'000); }
    void end() { tell(over); }

  private:
    enum State : uint32_t { idle, begun, over };

    static void *run(void *given) {
        const std::unique_ptr<Helper> helper(static_cast<Helper *>(given));
        for (;;) {
            helper->wait_while(idle, 50, 0);
            if (helper->state_.load() == over) return nullptr;
            if (helper->state_.load() == idle) continue;
            (*helper->work_)();
            helper->tell(idle);
        }
    }
    void tell(State state) {
        state_.store(state);
        syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
    void wait_while(State state, uint64_t spun_microseconds, long nanoseconds) {
        const uint64_t until = ticks() + spun_microseconds * ticks_in_microsecond;
        while (state_.load(std::memory_order_acquire) == state)
            if (ticks() > until) {
                const timespec most{0, nanoseconds};
                syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, state, nanoseconds ? &most : nullptr, nullptr, 0);
                return;
            }
    }

    std::atomic<uint32_t> state_{idle};
    const std::function<void()> *work_ = nullptr;
};

Helper *spare = nullptr; // guarded by the GIL
const ForkHooks spare_hooks(nullptr, nullptr, [] { spare = nullptr; });

/// A request that came before it was known who decides. False with an error set, else it is withdrawn.
bool answer_request() {
    if (!asked.exchange(false)) return true;
    return PyErr_CheckSignals() == 0 && (!stop_word || others_have_left());
}

/// Until the work is done, which what the handler raises ends. False with that set.
bool attend(Helper &helper) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyThreadState *state = PyEval_SaveThread();
    while (!helper.is_done()) {
        helper.wait();
        if (type || !asked.exchange(false)) continue;
        PyEval_RestoreThread(state);
        bool raised = PyErr_CheckSignals() != 0;
        watch_interrupts(); // the handler may have put another in its place
        raised = raised || PyErr_CheckSignals() != 0;
        if (raised) {
            PyErr_Fetch(&type, &value, &trace);
            request_stop();
        }
        state = PyEval_SaveThread();
    }
    PyEval_RestoreThread(state);
    if (type) PyErr_Restore(type, value, trace);
    return !type;
}

} // namespace

bool run_under_handler(const std::function<void()> &work) {
    decided++;
    handler_raised = !answer_request();
    Helper *helper = handler_raised ? nullptr : std::exchange(spare, nullptr); // another for launches of the handler
    if (!handler_raised && !helper) helper = Helper::start();
    if (helper) {
        helper->begin(work);
        handler_raised = !attend(*helper);
        if (Helper *other = std::exchange(spare, helper)) other->end();
    }
    decided--;
    if (helper || handler_raised) return !handler_raised;
    Py_BEGIN_ALLOW_THREADS; // there is no memory for a thread: as under Python's own handler
    work();
    Py_END_ALLOW_THREADS;
    return true;
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
    if (on_main_thread() && std::exchange(handler_raised, false)) {
        asked.store(false);
        end_request();
        return false;
    }
    const bool cut_short = !ok && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    const bool meant = on_main_thread() && !main_thread_launches() && asked.exchange(false);
    end_request();
    if (!cut_short && !meant) return ok;
    if (!ok && !cut_short) return false; // another error comes first
    PyErr_Clear();
    if (!on_main_thread()) {
        if (threads_end)
            PyErr_SetNone(PyExc_SystemExit);
        else
            raise(ErrorClass::interrupted, "the kernel was stopped (Ctrl-C or Stop)");
        return false;
    }
    const bool goes_on = ok && handler_decides(); // it may put another one in its place
    if (PyErr_CheckSignals() != 0) return false;
    if (!goes_on) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return goes_on;
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
