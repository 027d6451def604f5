#pragma once
// What a kernel may have run over: the heap, on which malloc, Python and this library live. The C library has it in chunks
// that begin with the size of the one before and their own.

namespace qd::runtime {

/// Once, before `is_heap_spoiled`. Another malloc, or somebody who took the heap before it, does not have such a chunk at its
/// begin; then it is not looked at.
void find_heap();

/// Whether the chunks do not lead to the end of the heap. From signal handlers too; may fault itself.
bool is_heap_spoiled();

} // namespace qd::runtime
