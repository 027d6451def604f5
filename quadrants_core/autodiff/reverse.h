#pragma once
// Reverse mode: adjoints alone, in the opposite order.
#include "autodiff/activity.h"
#include "autodiff/checkpoints.h"

namespace qd::autodiff {

/// `kept`, if given: what loops of the kernel keep.
ir::Function reverse(const ir::Function &kernel, const Companions &companions, const Activity &activity,
                     const Stacks &stacks, std::vector<KeptLoop> *kept = nullptr);

} // namespace qd::autodiff
