#pragma once
#include "ir/function.h"

namespace qd::passes {

/// Recomputes the spaces of pointers from the ops that create them, after some of these ops have been replaced, and propagates them to
/// derived pointers.
void recompute_spaces(ir::Function &fn);

} // namespace qd::passes
