#pragma once
// Checkpointing: loops whose adstacks exceed a budget are split before they are reversed: n iterations become blocks of k. The outer loop
// then stores the values that enter each block, and a block refills the adstacks of its own iterations when it is reversed. The number of
// levels and the size of the blocks are computed at run time, when the loop is reached.
#include "ir/function.h"

#include <span>

namespace qd::autodiff {

/// The adstack requirements of one serial loop.
struct AdstackLoop {
    ir::Value loop;
    uint64_t bytes = 0;     ///< per iteration
    bool is_carried = true; ///< all of them are carried into the iteration, so a block can be rerun from them
};

/// Each loop becomes: the loop itself, if its adstacks fit; else two levels of about sqrt(n) entries each; for an outermost loop where
/// these do not fit either, three of about cbrt(n).
ir::Function with_checkpoints(const ir::Function &kernel, std::span<const AdstackLoop> loops, uint64_t budget);

} // namespace qd::autodiff
