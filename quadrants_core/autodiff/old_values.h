#pragma once
// Old values returned by updates, which reverse mode treats as constants.
#include "autodiff/autodiff.h"

namespace qd::autodiff {

/// The locations of updates of memory with a companion whose old value reaches such memory; its derivative ignores that dependency in
/// reverse mode. `kernel` is as the frontend made it.
std::vector<Location> lost_old_values(const ir::Function &kernel, const Companions &companions);

inline constexpr const char *lost_old_value =
    "The gradient takes the value that this update returned as a constant, so its contribution to the gradient is "
    "missing. Let each step write its own element, as in `s[i + 1] = s[i] + x[i]`; silence this warning if you intend "
    "a constant";

} // namespace qd::autodiff
