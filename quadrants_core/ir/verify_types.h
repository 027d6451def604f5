#pragma once
// Checks operands, result and immediate of one instruction against its row of ops.def.
#include "ir/verify.h"

namespace qd::ir {

/// Appends the rules that `v` breaks to `problems`. `v` and its operands must exist.
void verify_types(const Function &fn, Value v, std::vector<Problem> &problems);

} // namespace qd::ir
