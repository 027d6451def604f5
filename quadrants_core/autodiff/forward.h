#pragma once
// Forward mode: every active value gets a tangent, computed next to it.
#include "autodiff/activity.h"

namespace qd::autodiff {

ir::Function forward(const ir::Function &kernel, const Companions &companions, const Activity &activity);

} // namespace qd::autodiff
