#pragma once
// Rejects kernels that have no derivative, or that reverse mode does not support.
#include "autodiff/activity.h"

namespace qd::autodiff {

inline constexpr const char *not_supported = "Not supported.";
inline constexpr const char *old_value =
    "Not supported. The reverse pass needs the value that an atomic operation returned, but the element has changed by "
    "then: let each step write its own element, as in `s[i + 1] = s[i] + x[i]`";
inline constexpr const char *mixture =
    "Invalid program input for autodiff: Mixed usage of for-loops and statements without looping. \n"
    "Please split them into two kernels and check the documentation for more details";

/// Throws UserError with the location of the rejected instruction.
void refuse(const ir::Function &kernel, const Companions &companions, const Activity &activity, Mode mode);

} // namespace qd::autodiff
