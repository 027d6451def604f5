#pragma once
// Reference semantics of every pure scalar op: used by constant folding, the interpreter and the tests.
#include "ir/function.h"

namespace qd::ir {

/// A scalar value: its bits, zero-extended to 64. u1 is 0 or 1.
struct Constant {
    Scalar type = Scalar::none;
    uint64_t bits = 0;
    friend bool operator==(const Constant &, const Constant &) = default;
};
Constant from_double(Scalar type, double v); ///< rounded; integers: converted as by `cast` from f64
Constant from_int(Scalar type, int64_t v);   ///< wraps
double to_double(Constant c);
int64_t to_int(Constant c); ///< u64 is reinterpreted

/// Flushes a subnormal f32 or f64 to zero of the same sign.
Constant flushed(Constant c);
/// Under fast_math tasks run with subnormals flushed, so constants are flushed too.
inline Constant flushed_if_fast(const Function &fn, Constant c) { return fn.fast_math ? flushed(c) : c; }

/// The result of a pure scalar op (no arrays, no pointers, one lane). `type` is the instruction's type.
Constant eval(Op op, Scalar type, std::span<const Constant> operands);
/// True if `eval` defines the op.
bool can_eval(Op op);

uint16_t f32_to_f16(float v);
float f16_to_f32(uint16_t bits);

} // namespace qd::ir
