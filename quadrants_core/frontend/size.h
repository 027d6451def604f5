#pragma once
// A limit on the size of a kernel: a program could otherwise make it too large to compile in reasonable time.
#include "frontend/walk.h"

namespace qd::frontend {

/// Compiling so many takes half a minute and gigabytes of memory.
constexpr size_t max_instructions = 2'000'000;

inline void check_size(Walk &w, const Node *node) {
    if (w.fn.insts.size() <= max_instructions) [[likely]]
        return;
    w.fail(node, UserErrorKind::compilation,
           "The kernel is too large to be compiled: it has more than 2000000 instructions here",
           "each element of a vector or matrix variable, and each iteration of qd.static(range(..)), adds "
           "instructions; keep large data in a field or an ndarray, and loop over it without qd.static");
}

} // namespace qd::frontend
