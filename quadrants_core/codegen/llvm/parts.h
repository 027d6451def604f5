#pragma once
// A block of thousands of instructions in functions of their own. Each of LLVM's passes goes over all of a function, whose
// instructions soon take more memory than the caches hold: a thousand at a time take half of the time.
#include "ir/function.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace qd::codegen {

/// Neighbours in a block, which one function takes.
struct Part {
    size_t begin = 0, end = 0; ///< of the block's instructions
    /// Values that come from outside of it, those that others use, and of the latter those that are used outside of parts: where they stand
    /// in the frame.
    std::vector<std::pair<ir::Value, uint64_t>> takes, leaves, shows;
};

struct Parts {
    std::vector<Part> list; ///< in order; between them stands what cannot be moved
    uint64_t frame_bytes = 0;
};

/// No parts: the block is left as it is.
Parts parts_of(const ir::Function &fn, ir::BlockId block);

} // namespace qd::codegen
