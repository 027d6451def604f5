#pragma once
// Arguments that share bytes with one another or with fields. Kernels are compiled for distinct memory, and compiled again, once, when a
// launch finds that it is not distinct.
#include "engine/compiled_kernel.h"
#include "ir/function.h"

namespace qd::engine {

inline Bytes bytes_of(const ArrayArg &array, const uint64_t *args) {
    const uint64_t *slot = args + array.slot;
    uint64_t bytes = array.element_bytes;
    if (array.ndim == 1) [[likely]]
        bytes *= slot[1];
    else
        for (uint32_t axis = array.ndim; axis != 0; axis--) bytes *= slot[axis];
    return {slot[0], slot[0] + bytes};
}

/// Records in `out` what launches must compare, if an overlap could matter. Runs before the passes, on `kernel` as it was written.
void plan_overlap_check(const ir::Function &kernel, CompiledKernel &out);

/// True if an array argument overlaps a field tree of the kernel and at least one of the two is written.
bool overlaps_trees(CompiledKernel &kernel, const uint64_t *args);

} // namespace qd::engine
