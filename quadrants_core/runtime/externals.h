#pragma once
// External library functions that kernels call. A task names one by an id that is the same in every process; its address in this process is
// registered here before the task runs. All functions take the addresses of their arguments.
#include <cstddef>
#include <cstdint>

namespace qd::runtime {

inline constexpr size_t max_external_arguments = 16;

/// Registers the function at `address` for `id`. The library must stay loaded.
void add_external(uint64_t id, void *address);
/// Returns the function; callable from any thread. An unregistered id is an internal error.
void *external(uint64_t id);
/// Calls the function with the addresses of `count` slots.
void call_external(void *function, uint64_t *slots, size_t count);

} // namespace qd::runtime
