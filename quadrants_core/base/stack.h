#pragma once
// The stack of the calling thread. Code that recurses as deep as the user's program checks here, so that excessive depth raises a user
// error instead of ending the process.
#include <cstddef>
#include <cstdint>
#include <functional>

namespace qd {

/// Reserved for code that does not check: calls of Python, messages, the unwinding of errors.
constexpr size_t stack_reserve = 64 << 10;

/// The lowest and highest address of a stack; both 0 if unknown.
struct StackBounds {
    uintptr_t low = 0, high = 0;
    bool known = false;
};
extern constinit thread_local StackBounds stack_bounds;
void find_stack_bounds();

/// Bytes left; SIZE_MAX on a stack that is not the thread's own (a coroutine's).
inline size_t stack_left() {
    if (!stack_bounds.known) find_stack_bounds();
    const auto here = uintptr_t(__builtin_frame_address(0));
    return here >= stack_bounds.low && here < stack_bounds.high ? here - stack_bounds.low : SIZE_MAX;
}
inline bool stack_is_short() { return stack_left() < stack_reserve; }

/// The error message and hint.
extern const char *const stack_message, *const stack_hint;
/// Throws UserError.
[[noreturn]] void fail_stack();
inline void check_stack() {
    if (stack_is_short()) [[unlikely]]
        fail_stack();
}

/// Runs `work` with at least `needed` bytes of stack: on this thread, or on a new one while this one waits. Exceptions propagate to the
/// caller.
void with_stack(size_t needed, const std::function<void()> &work);

} // namespace qd
