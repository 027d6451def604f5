#pragma once
// The three kinds of error, kept separate: user errors, internal errors, device errors. The core never prints and never aborts.
#include "base/span.h"

#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace qd {

/// The public exception class that a user error becomes (language.md 2.5).
enum class UserErrorKind : uint8_t {
    compilation,
    syntax,
    name,
    index,
    type,
    runtime,
    assertion,
    runtime_type,
    argument
};

/// A mistake in the user's program or call. `trace` runs from the outermost call to the faulty expression.
struct __attribute__((visibility("default"))) UserError : std::runtime_error {
    UserErrorKind kind;
    std::vector<Location> trace;
    std::string hint; ///< how to fix it; may be empty
    UserError(UserErrorKind k, std::string message, std::vector<Location> t = {}, std::string h = {})
        : std::runtime_error(std::move(message)), kind(k), trace(std::move(t)), hint(std::move(h)) {}
};

/// A bug in Quadrants.
struct __attribute__((visibility("default"))) InternalError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A failed call to a driver or to the operating system.
struct __attribute__((visibility("default"))) DeviceError : std::runtime_error {
    std::string call;
    long code;
    DeviceError(std::string c, long status, const std::string &words)
        : std::runtime_error(c + " failed with code " + std::to_string(status) + ": " + words), call(std::move(c)),
          code(status) {}
};

[[noreturn]] void fail_user(UserErrorKind kind, std::string message, std::vector<Location> trace = {},
                            std::string hint = {});
[[noreturn]] void fail_internal(const std::string &message, std::source_location at = std::source_location::current());
[[noreturn]] void fail_device(const std::string &call, long code, const std::string &words);

} // namespace qd

/// Internal invariant. `what` is evaluated only on failure.
#define QD_CHECK(cond, what)                                                                                           \
    do {                                                                                                               \
        if (!(cond)) [[unlikely]]                                                                                      \
            ::qd::fail_internal(std::string("check failed: " #cond "; ") + (what));                                    \
    } while (0)
