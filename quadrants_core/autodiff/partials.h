#pragma once
// Partial derivatives of pure instructions, shared by both modes. A tangent propagates from the operands to the result, an adjoint from
// the result to the operands; both are multiplied by the same partial derivative.
//
// Conventions: abs has slope 0 at 0. min and max follow the operand that they choose: the second one if both are equal, the other one
// if one is NaN. x**y has slope 0 with respect to x where y is 0, and with respect to y where x**y is 0. log has slope 1/a for negative
// a, too. floor, ceil, trunc, comparisons, floordiv, rem and sign are flat; mod is a - b*floor(a/b) with a flat floor. There is no other
// filtering of NaN and infinities. Integers, and packed numbers, which are bits of integers, carry no derivative.
#include "ir/builder.h"

namespace qd::autodiff {

/// The dependence of a pure instruction on one of its operands.
enum class Slope : uint8_t {
    flat,      ///< the derivative is 0
    factor,    ///< multiplied by `times_slope`
    first,     ///< chosen from two operands: this one if `takes_first` is true
    second,    ///< chosen from two operands: this one if `takes_first` is false
    converted, ///< the same number in another type
    refused,   ///< no derivative is defined
};
Slope slope(ir::Op op, size_t operand);

/// `t` times the derivative of `op` by operand `which`.
ir::Value times_slope(ir::Builder &b, ir::Op op, std::span<const ir::Value> operands, size_t which, ir::Value t);
/// For an instruction that chooses one of two operands: u1, true if it is the first.
ir::Value takes_first(ir::Builder &b, ir::Op op, std::span<const ir::Value> operands);

} // namespace qd::autodiff
