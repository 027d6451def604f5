#pragma once
// Ctrl-C and kernels. Python's own SIGINT handler only notes the signal; a kernel running on the main thread would
// never look. Ours, put in front of it, also asks the running tasks, or the compiler, to leave.
#include <functional>

namespace qd::bind {

/// Puts our handler in front of Python's, if it is not there already. Cheap enough before every launch that is not
/// tiny.
void watch_interrupts();
/// The same before a launch, GIL held: a program may have set a handler of its own. Looks at most every 5 ms.
void keep_watching();

/// While one lives on the main thread, SIGINT stops the running launch or compilation.
class InterruptScope {
  public:
    InterruptScope();
    ~InterruptScope();
    InterruptScope(const InterruptScope &) = delete;

  private:
    bool on_main_;
};

/// Before tasks run, inside of a scope, GIL held: false, with an error set, if SIGINT came before the scope began and
/// Python has not looked since.
bool no_interrupt_waits();

/// As if SIGINT had come now: for a KeyboardInterrupt that Python raised while a kernel runs.
void note_interrupt();

/// After a launch or a compilation, `ok` unless it left an error: what the user asked for by Ctrl-C meanwhile. Clears
/// the request to stop and runs Python's signal handlers; leaves KeyboardInterrupt set unless they set another.
bool settle_interrupt(bool ok);

/// Compiles: Ctrl-C ends it. False with an error set if it did not come to its end.
bool interruptible(const std::function<void()> &work);

} // namespace qd::bind
