#pragma once
// Safepoints of long-running loops, at which requested coverage counts are reported.
//
//   if safepoint                         first in the body of the loop; the counts here are totals of this call of the task
//       count total so far               at the beginning of the iteration: report_counts turns them into differences
#include "ir/function.h"

#include <vector>

namespace qd::passes {

/// True for the branch on a `safepoint`.
inline bool is_safepoint(const ir::Function &fn, ir::Value v) {
    return fn[v].op == ir::Op::if_ && fn[fn.args(v)[0]].op == ir::Op::safepoint;
}
/// if poll { counts; exit }
inline bool is_stop_check(const ir::Function &fn, ir::Value v) {
    return fn[v].op == ir::Op::if_ && fn[fn.args(v)[0]].op == ir::Op::poll;
}

/// The loops of a range task that may run long without polling for Stop, and the loops around them.
std::vector<ir::Value> long_loops(const ir::Function &fn);
/// Sets Loop::flushes, because code after a loop over a chunk writes its reductions to memory: Stop and failed assertions must leave the
/// loop, not the task. Applies also to the loops in it that run over a part of the range.
void flush_after(ir::Function &fn, ir::Value loop);
/// Makes the Stop checks in the loops of a serial task serve requests for counts, and adds safepoints.
void serve_counts(ir::Function &fn);
/// Adds an empty safepoint at the start of a loop's body.
void add_safepoint(ir::Function &fn, ir::Value loop);
/// Removes safepoints that report nothing.
void drop_empty_safepoints(ir::Function &fn, ir::BlockId block);
/// Removes all safepoints that are directly in a block.
void drop_safepoints(ir::Function &fn, ir::BlockId block);
/// True if a loop in the block has a safepoint, or, if `any`, the block itself.
bool holds_safepoint(const ir::Function &fn, ir::BlockId block, bool any);

} // namespace qd::passes
