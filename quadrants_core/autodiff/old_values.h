#pragma once
// Old values of updates, which reverse mode takes for constants.
#include "autodiff/autodiff.h"

namespace qd::autodiff {

/// Of a kernel as the frontend makes it: where updates of memory with a companion stand whose old value reaches such memory.
/// Its derivative in reverse mode knows nothing of that.
std::vector<Location> lost_old_values(const ir::Function &kernel, const Companions &companions);

inline constexpr const char *lost_old_value = "The gradient takes the value that this update gave back as a constant: "
                                              "what reaches the result through it is missing. Let "
                                              "each step write an element of its own, as in `s[i + 1] = s[i] + x[i]`; "
                                              "silence this warning if a constant is what you mean";

} // namespace qd::autodiff
