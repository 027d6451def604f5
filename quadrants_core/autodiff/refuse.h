#pragma once
// What has no derivative, and what reverse mode cannot turn around.
#include "autodiff/activity.h"

namespace qd::autodiff {

/// Throws UserError with the place of what is refused.
void refuse(const ir::Function &kernel, const Companions &companions, const Activity &activity, Mode mode);

} // namespace qd::autodiff
