#pragma once
// Where loops that may run long look whether somebody wants the counts so far.
//
//   if look                              stands first in the body of the loop; counts are totals here, of this call of the task
//       count total so far               until the round began: tell_counts makes differences of them
#include "ir/function.h"

#include <vector>

namespace qd::passes {

/// The branch on a look.
inline bool is_look(const ir::Function &fn, ir::Value v) {
    return fn[v].op == ir::Op::if_ && fn[fn.args(v)[0]].op == ir::Op::look;
}
/// if poll { counts; exit }
inline bool is_stop_check(const ir::Function &fn, ir::Value v) {
    return fn[v].op == ir::Op::if_ && fn[fn.args(v)[0]].op == ir::Op::poll;
}

/// Loops of a range task that may run long without a look at Stop, and those around.
std::vector<ir::Value> long_loops(const ir::Function &fn);
/// Something behind a loop over a chunk brings to memory what its rounds added: Stop and failed assertions are to leave it, and those
/// loops in it that go over a part of the range, not the task (Loop::flushes).
void flush_behind(ir::Function &fn, ir::Value loop);
/// Has the checks for Stop in the loops of a serial task answer who asks for counts, and adds looks.
void answer_counts(ir::Function &fn);
/// A look that tells nothing yet at the start of a loop's body.
void add_look(ir::Function &fn, ir::Value loop);
/// Takes away looks that tell nothing.
void drop_empty_looks(ir::Function &fn, ir::BlockId block);
/// Takes away all looks that stand directly in a block.
void drop_looks(ir::Function &fn, ir::BlockId block);
/// Whether a loop within the block looks, or, if `any`, the block itself.
bool holds_look(const ir::Function &fn, ir::BlockId block, bool any);

} // namespace qd::passes
