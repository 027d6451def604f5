#pragma once
// Explains, on stderr and to one listener, why a process ends after a kernel wrote past an array. Signal handlers call these functions:
// none allocates memory or waits for a lock, and the names of kernels are stored where a kernel that overruns the heap cannot reach them.
#include <string_view>

namespace qd::runtime {

/// Stores the name and location of the task with this address, such as "kernel step (Cell In[2], line 4)". Calls must be rare: names with
/// the same table index replace each other.
void name_task(const void *task, std::string_view name);
/// Sets the word in which a program stores its newest task, outside the heap. The newest program counts.
void watch_task(const void *const *word);
void unwatch_task(const void *const *word);
/// `listener` is called with each text, from signal handlers; null: there is no listener.
void set_fault_listener(void (*listener)(const char *text, size_t size));

/// Reports that a kernel overran the heap and faulted behind it.
void report_heap_overrun();
/// Reports on a process that ends by a fault or an abort elsewhere.
void report_process_end();

} // namespace qd::runtime
