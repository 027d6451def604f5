#pragma once
#include "ir/function.h"

namespace qd::passes {

/// Turns every parallel loop into nested serial ones, except the top-level loop of a range task.
bool serialize_parallel(ir::Function &task);

} // namespace qd::passes
