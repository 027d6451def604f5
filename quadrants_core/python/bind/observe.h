#pragma once
// What the core publishes, brought to Python: text of kernels goes to sys.stdout, compile reports and launches are kept
// until Python takes them.
#include "engine/observer.h"

#include <Python.h>

namespace qd::bind {

engine::Observer *observer();

/// Whether the last kernel compiled on this thread had all its code from memory or disk.
bool last_compile_was_cached();

/// GIL held: writes what kernels printed to sys.stdout, and gives the engine's warnings as RuntimeWarning.
void flush_output();
bool output_waiting();

/// While a launch runs without the GIL, text is brought to Python as it comes; otherwise at the end of the launch.
void set_output_may_lock(bool may);

/// GIL held, before a fork: until no other thread is in flush_output, or it takes too long since nobody reads what is
/// written. The child would wait for ever for the lock of sys.stdout that such a thread holds.
void await_output();

/// GIL not held, at the end of the process: no thread of ours touches Python any more.
void stop_output();

/// GIL held: list of dicts, one a compiled kernel since the last call.
PyObject *take_reports();

/// GIL held: (how many there were so far, those that came after the first `known` and were not taken)
PyObject *reports_since(uint64_t known);

/// GIL held: `listener(what, text)` is called with what kernels print ("print") and with warnings ("warning"), after these
/// were shown; None: nobody.
void listen_to_output(PyObject *listener);

/// GIL held: [(scope, phase, count, microseconds)] of all compilations of this process since the last clear. The phase
/// of a scope itself is "".
PyObject *phase_times();
void clear_phase_times();

} // namespace qd::bind
