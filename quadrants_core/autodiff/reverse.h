#pragma once
// Reverse mode: computes adjoints only, in reverse order.
#include "autodiff/activity.h"
#include "autodiff/checkpoints.h"

namespace qd::autodiff {

/// `kept`, if given, receives the adstack requirements of the kernel's loops.
ir::Function reverse(const ir::Function &kernel, const Companions &companions, const Activity &activity,
                     const Stacks &stacks, std::vector<AdstackLoop> *kept = nullptr);

} // namespace qd::autodiff
