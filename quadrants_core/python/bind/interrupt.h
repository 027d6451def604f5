#pragma once
// Ctrl-C and kernels. Python's own SIGINT handler only notes the signal; a kernel running on the main thread would
// never look. Ours, put in front of it, also asks the running tasks to leave.
namespace qd::bind {

/// Puts our handler in front of Python's, if it is not there already. Cheap enough before every launch that is not
/// tiny.
void watch_interrupts();
/// The same before a launch, GIL held: a program may have set a handler of its own. Looks at most every 5 ms.
void keep_watching();

/// While one lives on the main thread, SIGINT stops the running launch.
class InterruptScope {
  public:
    InterruptScope();
    ~InterruptScope();
};

/// As if SIGINT had come now: for a KeyboardInterrupt that Python raised while a kernel runs.
void note_interrupt();

/// True if SIGINT came during the last launch; clears the request to stop.
bool take_interrupt();

/// After a launch that was cut short: runs Python's signal handlers; leaves KeyboardInterrupt set unless they set
/// another.
void raise_interrupt();

} // namespace qd::bind
