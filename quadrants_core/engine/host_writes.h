#pragma once
// Writes by the host to large buffers whose address it can follow.
#include <cstdint>

namespace qd::engine {

/// As memcpy, but `to` and `from` may be equal; otherwise they must not overlap. Large copies are shared among all `threads` of the pool: a
/// page of memory is placed near the thread that first writes it, and nothing writes it earlier.
void copy_in_parallel(int threads, char *to, const void *from, uint64_t bytes);
/// Repeats `pattern` to fill the buffer; `period` is not 0. Pages are placed as above.
void fill_in_parallel(int threads, char *to, const void *pattern, uint64_t period, uint64_t bytes);

} // namespace qd::engine
