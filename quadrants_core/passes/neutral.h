#pragma once
// The operations that sums, extrema and bit sets are made of, as atomics and as plain ops.
#include "ir/function.h"

namespace qd::passes {

/// atomic_add -> add ...; Op::param for atomics that combine nothing (xchg, cas) and for other ops.
ir::Op plain_op(ir::Op atomic);

/// True if `op` has a value that leaves every operand as it is; then `bits` holds it.
bool neutral(ir::Op op, ir::Scalar type, uint64_t &bits);

} // namespace qd::passes
