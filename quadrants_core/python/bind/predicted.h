#pragma once
// Predicts the parameters of future calls of a kernel.
#include "python/bind/plan.h"

namespace qd::bind {

/// Returns the parameters of every specialisation worth compiling before a call: those of an older definition, if they suit the
/// annotations, otherwise those that the annotations determine; none if the annotations leave a choice.
std::vector<std::vector<BoundParam>> predicted_params(const KernelObject *kernel, const KernelObject *before);

} // namespace qd::bind
