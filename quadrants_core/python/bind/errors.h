#pragma once
// Conversion of C++ exceptions to the public Python classes (language.md 2.5), and helpers that raise those.
#include "python/bind/state.h"

#include <string>

namespace qd::bind {

enum class ErrorClass {
    compilation,
    syntax,
    name,
    index,
    type,
    runtime,
    assertion,
    runtime_type,
    mismatch, ///< an argument does not suit its parameter
    value,
    bounds,
    argument,
    interrupted
};

/// Sets a Python error of the class in the package.
void raise(ErrorClass kind, const std::string &message);

/// Inside a catch (...) block: sets the Python error that corresponds to the C++ exception in flight.
void raise_current_exception();
/// Adds to a plain KeyboardInterrupt that is set the position of the launch that it ended.
void say_where_it_stopped();
/// Drops the position of the launch that Stop ended last, because another error reports it.
void forget_where_it_stopped();
/// Sets QuadrantsInterruptedError with the position of the launch that Stop ended on this thread, which is not the main thread.
void raise_stopped_on_other_thread();

} // namespace qd::bind
