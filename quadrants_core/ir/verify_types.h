#pragma once
// Operands, result and immediate of one instruction against its row of ops.def.
#include "ir/verify.h"

namespace qd::ir {

/// `v` and its operands exist. Appends what is wrong to `problems`.
void verify_types(const Function &fn, Value v, std::vector<Problem> &problems);

} // namespace qd::ir
