#pragma once
// Each pass as a constant, for the lists of the engine and of backends.
#include "passes/passes.h"

namespace qd::passes::step {

#define PASS(id, doc) constexpr Pass id{#id, passes::id, doc};
#include "passes/passes.def"

} // namespace qd::passes::step
