#pragma once
// Code whose meaning depends on which threads form a block or a group: docs/design/lanes.md.
#include "ir/function.h"

namespace qd::analysis {

/// True if the block contains an op on blocks or groups of threads: its threads must run in blocks where a target has them.
bool uses_blocks(const ir::Function &fn, ir::BlockId b);
/// True if threads that run the block may wait for each other: it contains a convergent op, or loads that see stores of other threads.
bool may_wait(const ir::Function &fn, ir::BlockId b);
/// True if all threads of a block meet at an op of a range task, those past the end of the range included: the op is outside of loops, and
/// the conditions around it are equal for all threads.
bool all_meet(const ir::Function &task);
/// The first op that only targets with groups of threads can execute; Value() if there is none. The others have a meaning for a thread
/// that is alone: a barrier does nothing, memory of a block is its own, a condition on any lane is its own.
ir::Value needs_lanes(const ir::Function &fn);
/// Loop::block_dim of the parallel loop of a range task; 0 if there is none.
uint32_t block_dim(const ir::Function &task);

} // namespace qd::analysis
