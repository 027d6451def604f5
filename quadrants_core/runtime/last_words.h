#pragma once
// The text, for stderr and one listener, about a process that ends because a kernel wrote past an array. Signal handlers
// say it: nothing here takes memory or waits for a lock, and the names of kernels lie where no kernel gets that runs over
// the heap.
#include <string_view>

namespace qd::runtime {

/// The name and place of the task with this address, such as "kernel step (Cell In[2], line 4)". Few calls at a time: names that
/// fall on one place of the table replace each other.
void name_task(const void *task, std::string_view name);
/// The word in which a program notes its newest task, apart from the heap. The newest program counts.
void watch_task(const void *const *word);
void unwatch_task(const void *const *word);
/// Is called with each text, from signal handlers; null: nobody is.
void tell_last_words_to(void (*listener)(const char *text, size_t size));

/// A kernel met a fault behind the heap, over which it ran.
void say_that_kernel_spoiled_heap();
/// The process ends by a fault or an abort elsewhere.
void say_why_process_ends(bool heap_is_spoiled);

} // namespace qd::runtime
