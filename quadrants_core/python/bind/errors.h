#pragma once
// From C++ exceptions to the public Python classes (language.md 2.5), and short ways to raise those.
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

/// Sets a Python error of the package's class.
void raise(ErrorClass kind, const std::string &message);

/// Inside a catch (...) block: sets the Python error that belongs to the C++ exception in flight.
void raise_current_exception();
/// Adds to the plain KeyboardInterrupt that is set where the launch stood that it ended.
void say_where_it_stopped();
/// The launch that Stop ended last is told of in another way.
void forget_where_it_stopped();

} // namespace qd::bind
