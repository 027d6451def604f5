#pragma once
// Reverse mode: adjoints alone, in the opposite order.
#include "autodiff/activity.h"

namespace qd::autodiff {

ir::Function reverse(const ir::Function &kernel, const Companions &companions, const Activity &activity);

} // namespace qd::autodiff
