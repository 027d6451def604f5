#pragma once
// What a program with the option `timeline` did when: compilations and launches of kernels.
#include <Python.h>

#include <chrono>
#include <string>

namespace qd::bind {

using TimelineClock = std::chrono::steady_clock;

/// `what`: "compile" or "launch". From any thread.
void add_to_timeline(const char *what, const std::string &kernel, TimelineClock::time_point begin,
                     TimelineClock::time_point end);

/// [(what, kernel, begin, duration)] in microseconds of one clock, in the order in which they ended; GIL held.
PyObject *timeline();
void clear_timeline();

} // namespace qd::bind
