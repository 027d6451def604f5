#pragma once
// Loops whose stacks are larger than a budget are cut before their way back is made: n iterations become blocks of k. The outer loop
// then keeps what enters each block, and a block fills the stacks of its own iterations anew when its turn comes. How many levels, and
// how large the blocks are, is worked out when the loop is reached.
#include "ir/function.h"

#include <span>

namespace qd::autodiff {

/// What one serial loop keeps.
struct KeptLoop {
    ir::Value loop;
    uint64_t bytes = 0;     ///< of one iteration
    bool is_carried = true; ///< all of it enters the iteration, so a block can be run again from what entered it
};

/// Each loop becomes: if all of it fits, the loop; else two levels of about sqrt(n) entries each; an outermost loop, where these do not
/// fit either, three of about cbrt(n).
ir::Function with_checkpoints(const ir::Function &kernel, std::span<const KeptLoop> loops, uint64_t budget);

} // namespace qd::autodiff
