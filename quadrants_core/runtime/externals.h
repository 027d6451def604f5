#pragma once
// Functions of libraries outside that kernels call. A task names one by an id that is the same in every process; where
// the function is in this one is told here before the task runs. All take the addresses of their arguments.
#include <cstddef>
#include <cstdint>

namespace qd::runtime {

inline constexpr size_t max_external_arguments = 16;

/// From now on `id` is the function at `address`. The library stays loaded.
void add_external(uint64_t id, void *address);
/// The function, from any thread; an id that nobody told is an internal error.
void *external(uint64_t id);
/// Calls it with the addresses of `count` slots.
void call_external(void *function, uint64_t *slots, size_t count);

} // namespace qd::runtime
