#pragma once
// The derivatives of pure instructions, once for both modes. A tangent goes from the operands to the result, an adjoint from
// the result to the operands; either is multiplied by the same partial derivative.
//
// Conventions: abs has slope 0 at 0. min and max follow the operand they chose, the second one where both are equal, the other
// one where one is NaN. x**y has slope 0 by x where y is 0, and by y where x**y is 0. log has slope 1/a for negative a, too. floor, ceil, trunc, comparisons, floordiv, rem and sign are flat; mod is a - b*floor(a/b) with
// a flat floor. Nothing else filters NaN and infinities. Integers, and packed numbers, which are bits of integers, carry no derivative.
#include "ir/builder.h"

namespace qd::autodiff {

/// How a pure instruction depends on one of its operands.
enum class Slope : uint8_t {
    flat,      ///< its derivative is 0
    factor,    ///< `times_slope` says what a derivative becomes
    first,     ///< it is one of two operands: this one where `takes_first` holds
    second,    ///< it is one of two operands: this one where `takes_first` does not hold
    converted, ///< the same number in another type
    refused,   ///< no derivative is defined
};
Slope slope(ir::Op op, size_t operand);

/// `t` times the derivative of `op` by operand `which`.
ir::Value times_slope(ir::Builder &b, ir::Op op, std::span<const ir::Value> operands, size_t which, ir::Value t);
/// Of an instruction that is one of two operands: u1, it is the first.
ir::Value takes_first(ir::Builder &b, ir::Op op, std::span<const ir::Value> operands);

} // namespace qd::autodiff
