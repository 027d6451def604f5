#pragma once
// The stack of the calling thread. What recurses as deep as the user's program does asks here, so that depth ends in an
// error of the user's and not with the process.
#include <cstddef>
#include <cstdint>
#include <functional>

namespace qd {

/// Kept for what does not ask: calls of Python, messages, the unwinding of errors.
constexpr size_t stack_reserve = 64 << 10;

/// Lowest and highest address of a stack; no bounds where they cannot be told.
struct StackBounds {
    uintptr_t low = 0, high = 0;
    bool known = false;
};
extern constinit thread_local StackBounds stack_bounds;
void find_stack_bounds();

/// Bytes left; very many on a stack that is not the thread's own (a coroutine's).
inline size_t stack_left() {
    if (!stack_bounds.known) find_stack_bounds();
    const auto here = uintptr_t(__builtin_frame_address(0));
    return here >= stack_bounds.low && here < stack_bounds.high ? here - stack_bounds.low : SIZE_MAX;
}
inline bool stack_is_short() { return stack_left() < stack_reserve; }

/// Words for it.
extern const char *const stack_message, *const stack_hint;
/// Throws UserError.
[[noreturn]] void fail_stack();
inline void check_stack() {
    if (stack_is_short()) [[unlikely]]
        fail_stack();
}

/// Runs `work` where `needed` bytes of stack are left: here, or on a thread of its own while this one waits. Exceptions
/// come through.
void with_stack(size_t needed, const std::function<void()> &work);

} // namespace qd
