#pragma once
// Ctrl-C and kernels. Python's own SIGINT handler only records the signal, which a kernel running on the main thread would never notice.
// Our handler, installed in front of it, also asks the running tasks, or the compiler, to leave, on whichever thread they run. The
// request lasts until everything that was running when it came has left; launches and compilations that begin meanwhile wait for that.
#include <atomic>
#include <cstdint>
#include <functional>

namespace qd::bind {

/// State that every launch reads.
struct InterruptState {
    void *main_thread = __builtin_thread_pointer(); ///< thread pointer of the thread that runs Python's signal handlers
    std::atomic<int> launching{0};                  ///< written only by the main thread, hence no atomic addition
    std::atomic<int> elsewhere{0};                  ///< number of other threads that launch or compile
    std::atomic<bool> arrived{false};               ///< an interrupt came, or launches are reported to an observer
};
extern InterruptState interrupts;

/// Installs our handler in front of Python's, if it is not installed already.
void watch_interrupts();
/// Does the same before every launch that may take long, GIL held: ipykernel sets a handler for each cell, and cells follow each other
/// within a millisecond. Handlers for faults are checked every 5 ms.
void keep_watching();

/// Asks what runs now, on any thread, to leave.
void stop_what_runs();
/// Returns how often our handler was called. A Python handler that finds no change was called while ours was not installed.
uint32_t interrupts_received();

/// While one exists, SIGINT stops the launch or compilation of its thread.
class InterruptScope {
  public:
    InterruptScope() : on_main_(__builtin_thread_pointer() == interrupts.main_thread) {
        if (on_main_) [[likely]]
            count(1);
        else
            enter_elsewhere();
    }
    ~InterruptScope() {
        if (on_main_) [[likely]]
            count(-1);
        else
            leave_elsewhere();
    }
    InterruptScope(const InterruptScope &) = delete;

  private:
    static void enter_elsewhere();
    static void leave_elsewhere();
    static void count(int by) {
        std::atomic<int> &launching = interrupts.launching;
        launching.store(launching.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    const bool on_main_;
};

/// Before tasks or the compiler run, inside a scope, GIL held: waits until everything that an earlier request to stop applied to has left.
/// Returns false, with an error set, if SIGINT came before the scope began or during the wait and Python has not handled it yet.
bool no_interrupt_waits();

/// Acts as if SIGINT had just come: for a KeyboardInterrupt that Python raised while a kernel runs.
void note_interrupt();

/// After a launch or a compilation, `ok` unless it left an error: handles a Ctrl-C that came meanwhile. On the main thread it runs
/// Python's signal handlers, and leaves KeyboardInterrupt set unless they set another error; work that was cut short on another thread
/// leaves QuadrantsInterruptedError.
bool raise_interrupt(bool ok);
inline bool settle_interrupt(bool ok) {
    if (ok && !interrupts.arrived.load(std::memory_order_relaxed)) [[likely]]
        return true;
    return raise_interrupt(ok);
}
/// The same after a launch, which may be reported to an observer (see observe_launches).
bool settle_watched_launch(bool ok);
inline bool settle_launch(bool ok) {
    if (ok && !interrupts.arrived.load(std::memory_order_relaxed)) [[likely]]
        return true;
    return settle_watched_launch(ok);
}

/// True if the main thread is in a launch or a compilation.
inline bool main_thread_launches() { return interrupts.launching.load(std::memory_order_relaxed) > 0; }
/// Makes settle_launch take its slow path after each launch of the main thread, to report launches to an observer (see observe_launches).
void watch_launches(bool on);

/// From now on, a launch that is cut short on a thread other than the main one ends its thread silently: the process is ending.
void end_threads_silently();

/// Runs a compilation that Ctrl-C can end. Returns false with an error set if it did not complete.
bool interruptible(const std::function<void()> &work);

} // namespace qd::bind
