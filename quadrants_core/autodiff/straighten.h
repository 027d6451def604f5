#pragma once
// Rewrites control flow that reverse mode cannot reverse.
#include "autodiff/activity.h"

namespace qd::autodiff {

/// Rewrites `continue` in serial loops without `break`: the skipped code is put under a condition, so that every path through the body
/// ends in its yield.
///
///   if a: A; continue x        if a: A; yield x
///   B; yield y            ->   else: B; yield y
///
/// If both branches of an if may continue or fall through, it yields a condition for the code after it.
void eliminate_continue(ir::Function &fn);

/// A serial loop at the top level of a kernel that has parallel ones becomes, with the enclosing if, the only iteration of a parallel loop,
/// so that its adstacks are used within one task.
void wrap_serial_loops(ir::Function &fn, const Activity &activity);

} // namespace qd::autodiff
