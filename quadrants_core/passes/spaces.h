#pragma once
#include "ir/function.h"

namespace qd::passes {

/// Gives pointers the space that the ops which make them say, after some of these ops became others; what is derived from
/// them follows.
void settle_spaces(ir::Function &fn);

} // namespace qd::passes
