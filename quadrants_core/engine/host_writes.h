#pragma once
// What the host writes to large buffers that it may follow the address of.
#include <cstdint>

namespace qd::engine {

/// As memcpy; the two are the same memory or apart. Large ones are done by all `threads` of the pool: a page of memory lies where it
/// was first written, near the thread that did, and none is written before.
void copy_by_all(int threads, char *to, const void *from, uint64_t bytes);
/// `pattern` over and over; `period` is not 0. The same holds.
void repeat_by_all(int threads, char *to, const void *pattern, uint64_t period, uint64_t bytes);

} // namespace qd::engine
