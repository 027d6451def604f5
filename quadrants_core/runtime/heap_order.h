#pragma once
// Checks whether a kernel has overwritten the heap, which malloc, Python and this library use. The C library divides it into chunks that
// begin with the size of the previous chunk and their own.

namespace qd::runtime {

/// Called once, before `is_heap_corrupted`. If the heap does not begin with a glibc chunk, because of another malloc or earlier brk
/// allocations, it is not checked.
void find_heap();

/// True if the chunks do not lead to the end of the heap. Callable from signal handlers; may fault itself.
bool is_heap_corrupted();

} // namespace qd::runtime
