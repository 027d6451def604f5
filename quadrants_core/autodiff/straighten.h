#pragma once
// Control flow that reverse mode does not turn around is written as what it does.
#include "autodiff/activity.h"

namespace qd::autodiff {

/// `continue` in serial loops without `break`: what it leaves out goes under a condition, so that every way through the
/// body ends in its yield.
///
///   if a: A; continue x        if a: A; yield x
///   B; yield y            ->   else: B; yield y
///
/// An if whose branches go on on some ways and not on others gives a condition for what follows it.
void end_rounds_alike(ir::Function &fn);

/// A serial loop at the top level of a kernel that has parallel ones, with the if around it, becomes the only iteration of
/// a parallel loop: it keeps what it needs for its way back within one task.
void give_loops_tasks(ir::Function &fn, const Activity &activity);

} // namespace qd::autodiff
