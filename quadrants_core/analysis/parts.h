#pragma once
// Splits a block of thousands of instructions into outlined functions. Each LLVM pass walks a whole function, whose
// instructions soon exceed the caches: a thousand at a time take half of the time.
#include "ir/function.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace qd::analysis {

/// Consecutive instructions of a block that become one function.
struct Part {
    size_t begin = 0, end = 0; ///< range of the block's instructions
    /// Values with their offsets in the frame: those that the part uses from outside, those that other code uses from the part,
    /// and of the latter those used outside of all parts.
    std::vector<std::pair<ir::Value, uint64_t>> takes, leaves, shows;
};

struct Parts {
    std::vector<Part> list; ///< in order; the instructions between them stay in the block
    uint64_t frame_bytes = 0;
};

/// Returns no parts if the block is to stay as it is.
Parts parts_of(const ir::Function &fn, ir::BlockId block);

} // namespace qd::analysis
