#pragma once
// What a kernel will be called with, as far as that can be told before a call.
#include "python/bind/plan.h"

namespace qd::bind {

/// The parameters of every specialisation worth compiling before a call: those of an older definition, if they suit the
/// annotations, else what the annotations say; none if they leave a choice.
std::vector<std::vector<BoundParam>> foreseen(const KernelObject *kernel, const KernelObject *before);

} // namespace qd::bind
