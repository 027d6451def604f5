#pragma once
// Ctrl-C and kernels. Python's own SIGINT handler only notes the signal; a kernel running on the main thread would
// never look. Ours, put in front of it, also asks the running tasks, or the compiler, to leave, whichever thread they
// are of. The request lasts until all have left that ran when it came; what begins meanwhile waits for that.
#include <atomic>
#include <functional>

namespace qd::bind {

/// What every launch looks at.
struct InterruptState {
    void *main_thread = __builtin_thread_pointer(); ///< of the thread that runs Python's signal handlers
    std::atomic<int> launching{0};                  ///< only the main thread writes it, hence no locked addition
    std::atomic<int> elsewhere{0};                  ///< other threads that launch or compile
    std::atomic<bool> arrived{false};               ///< an interrupt came, or somebody wants to be told of launches
};
extern InterruptState interrupts;

/// Puts our handler in front of Python's, if it is not there already.
void watch_interrupts();
/// The same before every launch that may take long, GIL held: ipykernel sets a handler for each cell, and cells follow
/// each other within a millisecond. Those for faults are looked after every 5 ms.
void keep_watching();

/// While one lives, SIGINT stops the launch or compilation of its thread.
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

/// Before tasks run or the compiler does, inside of a scope, GIL held: waits until all have left that an earlier request
/// to stop was for. False, with an error set, if SIGINT came before the scope began, or during the wait, and Python has
/// not looked since.
bool no_interrupt_waits();

/// As if SIGINT had come now: for a KeyboardInterrupt that Python raised while a kernel runs.
void note_interrupt();

/// After a launch or a compilation, `ok` unless it left an error: what the user asked for by Ctrl-C meanwhile. On the
/// main thread runs Python's signal handlers, and leaves KeyboardInterrupt set unless they set another; what was cut
/// short on another thread leaves QuadrantsInterruptedError.
bool raise_interrupt(bool ok);
inline bool settle_interrupt(bool ok) {
    if (ok && !interrupts.arrived.load(std::memory_order_relaxed)) [[likely]]
        return true;
    return raise_interrupt(ok);
}
/// The same after a launch, of which somebody may wish to be told (standstill.h).
bool settle_watched_launch(bool ok);
inline bool settle_launch(bool ok) {
    if (ok && !interrupts.arrived.load(std::memory_order_relaxed)) [[likely]]
        return true;
    return settle_watched_launch(ok);
}

/// Whether the main thread is in a launch or a compilation.
inline bool main_thread_launches() { return interrupts.launching.load(std::memory_order_relaxed) > 0; }
/// Has settle_launch look closer after each launch of the main thread: somebody is told of them (standstill.h).
void watch_launches(bool on);

/// From now on a launch of another thread than the main one that is cut short ends its thread, without a word: the process ends.
void end_threads_silently();

/// Compiles: Ctrl-C ends it. False with an error set if it did not come to its end.
bool interruptible(const std::function<void()> &work);

} // namespace qd::bind
