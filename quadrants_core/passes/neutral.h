#pragma once
// The operations that sums, extrema and bit sets are made of.
#include "ir/function.h"

namespace qd::passes {

/// True if `op` has a value that leaves every operand as it is; then `bits` holds it.
bool neutral(ir::Op op, ir::Scalar type, uint64_t &bits);

} // namespace qd::passes
