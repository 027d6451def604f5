#pragma once
// Neutral elements of the operations in reductions.
#include "ir/function.h"

namespace qd::passes {

/// True if `op` has a neutral element, which is then stored in `bits`.
bool neutral(ir::Op op, ir::Scalar type, uint64_t &bits);

} // namespace qd::passes
