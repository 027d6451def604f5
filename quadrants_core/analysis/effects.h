#pragma once
// What running an instruction may do, the contents of its blocks included.
#include "ir/function.h"

namespace qd::analysis {

enum Does : uint8_t {
    nothing = 0,
    reads = 1,    ///< loads from memory
    writes = 2,   ///< stores to memory
    outside = 4,  ///< prints, counts, draws a random number, polls
    leaves = 8,   ///< may leave the task: exit, ret, a failed assertion
    jumps = 16,   ///< break or continue of a loop outside the instruction
    endless = 32, ///< holds a loop whose end is not certain
    syncs = 64,   ///< orders memory among threads: what is not private may have changed, and is seen
    joins = 128,  ///< convergent: threads must come to it together
};

/// Of the trees' structure: makes, removes or lists cells.
bool changes_cells(ir::Op op);
/// Of one instruction, without its blocks.
uint8_t own_effects(ir::Op op);
/// By value id, blocks included; 0 for values that stand in no block.
std::vector<uint8_t> effects(const ir::Function &fn);

} // namespace qd::analysis
