#pragma once
// What has no derivative, and what reverse mode cannot turn around.
#include "autodiff/activity.h"

namespace qd::autodiff {

inline constexpr const char *not_supported = "Not supported.";
inline constexpr const char *old_value =
    "The value that an atomic operation gives back has no gradient: on the way back elements are read again, and this "
    "one has changed";
inline constexpr const char *old_value_hint =
    "let each step write an element of its own, `s[i + 1] = s[i] + x[i]`; forward mode (`qd.ad.FwdMode`) follows the "
    "value that is given back";
inline constexpr const char *mixture =
    "Invalid program input for autodiff: Mixed usage of for-loops and statements without looping. \n"
    "Please split them into two kernels and check the documentation for more details";

/// Throws UserError with the place of what is refused.
void refuse(const ir::Function &kernel, const Companions &companions, const Activity &activity, Mode mode);

} // namespace qd::autodiff
