#pragma once
// The possible effects of an instruction, including the contents of its blocks.
#include "ir/function.h"

namespace qd::analysis {

enum Does : uint8_t {
    nothing = 0,
    reads = 1,    ///< loads from memory
    writes = 2,   ///< stores to memory
    outside = 4,  ///< side effects on the host: prints, counts, draws a random number, polls
    leaves = 8,   ///< may leave the task: exit, ret, a failed assertion
    jumps = 16,   ///< break or continue of a loop outside the instruction
    endless = 32, ///< contains a loop that may not terminate
    syncs = 64,   ///< memory fence: stores of other threads become visible, and this thread's to them
    joins = 128,  ///< convergent: threads must reach it together
};

/// True if the op changes the structure of a tree: creates, removes or lists cells.
bool changes_cells(ir::Op op);
/// The effects of one instruction, without its blocks.
uint8_t own_effects(ir::Op op);
/// The effects by value id, blocks included; 0 for values that are not listed in a block.
std::vector<uint8_t> effects(const ir::Function &fn);

} // namespace qd::analysis
