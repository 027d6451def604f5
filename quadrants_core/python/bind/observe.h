#pragma once
// Forwards what the core publishes to Python: text of kernels is written to sys.stdout; compile reports are kept until Python takes them.
#include "engine/observer.h"

#include <Python.h>

#include <atomic>

namespace qd::bind {

engine::Observer *observer();

/// True if all code of the last kernel compiled on this thread came from memory or disk.
bool last_compile_was_cached();

/// GIL held: writes what kernels printed to sys.stdout, and issues the engine's warnings as RuntimeWarning.
void flush_output();
extern std::atomic<bool> output_waits;
inline bool output_waiting() { return output_waits.load(std::memory_order_relaxed); }

/// If `may`, text is written while launches run without the GIL; otherwise at the end of the launch.
void set_output_may_lock(bool may);

/// Before a fork, GIL held: waits until no other thread is in flush_output, because the child would wait for ever for the lock of
/// sys.stdout that such a thread holds. Gives up after some seconds, since the thread is blocked if its output is not being read.
void await_output();

/// At the end of the process, GIL not held: after this, no thread of the bindings uses Python.
void stop_output();

/// GIL held: returns a list of dicts, one for each kernel compiled since the last call.
PyObject *take_reports();

/// GIL held: returns (number of reports so far, those after the first `known` that were not taken)
PyObject *reports_since(uint64_t known);

/// GIL held: calls `listener(what, text)` with text that kernels print ("print") and with warnings ("warning"), after these were shown;
/// None removes the listener.
void listen_to_output(PyObject *listener);

/// GIL held: returns [(scope, phase, count, microseconds)] for all compilations of this process since the last clear. The phase of a whole
/// scope is "".
PyObject *phase_times();
void clear_phase_times();

} // namespace qd::bind
