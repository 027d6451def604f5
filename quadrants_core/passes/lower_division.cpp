// Lowers integer division to machine division, which is undefined where the divisor is zero or the smallest integer is divided by -1;
// the IR defines these cases (ops.def). Afterwards each `div` and `rem` of integers has a divisor for which the machine division gives
// the defined result, and there is no floordiv or mod of integers:
//  - where machine division is undefined, the divisor is replaced by 1: x / 1 = MIN for MIN / -1, and x rem 1 = 0 for all remainders.
//    The quotient by zero is selected separately.
//  - floordiv and mod are computed from div and rem: where the remainder and the divisor have opposite signs, the quotient is
//    decremented, and the divisor is added to the remainder.
//  - a constant divisor needs no selection. u1 is modulo 2: the quotient is `and`, the remainder 0.
//
// Float divisions stay.
#include "passes/passes.h"
#include "passes/rewrite.h"

#include "ir/eval.h"

#include <optional>

namespace qd::passes {

using namespace ir;

namespace {

std::optional<Constant> constant(const Function &fn, Value v) {
    if (fn[v].op == Op::splat) v = fn.args(v)[0];
    if (fn[v].op != Op::constant) return std::nullopt;
    return Constant{fn[v].type.elem, fn[v].imm};
}

Constant least(Scalar s) { return {s, uint64_t(1) << (bits_of(s) - 1)}; }

Value divide(Builder &b, Value v) {
    Function &fn = b.fn;
    const Op op = fn[v].op;
    const Type t = fn.type(v);
    const Value x = fn.args(v)[0], y = fn.args(v)[1];
    const bool quotient = op == Op::div || op == Op::floordiv, floors = op == Op::floordiv || op == Op::mod;
    if (t.is_bool()) return quotient ? b.band(x, y) : b.integer(t, 0);

    const bool with_sign = is_signed(t.elem);
    const std::optional<Constant> known = constant(fn, y);
    if (known && known->bits == 0) return b.integer(t, 0);
    if (known && with_sign && to_int(*known) == -1) return quotient ? b.neg(x) : b.integer(t, 0);

    const Value zero = b.integer(t, 0);
    Value by_zero, divisor = y;
    if (!known) {
        const Value one = b.integer(t, 1);
        by_zero = b.eq(y, zero);
        Value has_no_value = by_zero;
        if (with_sign) {
            const Value minus_one = b.integer(t, -1);
            const Value lowest = b.integer(t, to_int(least(t.elem)));
            const Value negates = b.eq(y, minus_one);
            const Value is_lowest = b.eq(x, lowest);
            const Value overflows = b.band(negates, is_lowest);
            has_no_value = b.bor(by_zero, overflows);
        }
        divisor = b.select(has_no_value, one, y);
    }
    const auto unless_by_zero = [&](Value result) { return by_zero ? b.select(by_zero, zero, result) : result; };
    if (!with_sign || !floors) return quotient ? unless_by_zero(b.div(x, divisor)) : b.rem(x, divisor);

    const Value toward_zero = quotient ? b.div(x, divisor) : Value{};
    const Value remainder = b.rem(x, divisor);
    const Value signs = b.bxor(remainder, divisor);
    const Value opposite = b.lt(signs, zero);
    const Value inexact = b.ne(remainder, zero);
    const Value adjust = b.band(opposite, inexact);
    if (!quotient) {
        const Value more = b.select(adjust, divisor, zero);
        return b.add(remainder, more);
    }
    const Value less = b.cast(adjust, t);
    return unless_by_zero(b.sub(toward_zero, less));
}

} // namespace

bool lower_division(Function &fn, const Config &) {
    const auto divides = [&](Value v) {
        const Op op = fn[v].op;
        const bool is_division = op == Op::floordiv || op == Op::mod || op == Op::div || op == Op::rem;
        return is_division && !fn.type(v).is_float();
    };
    return expand_each(fn, divides, divide);
}

} // namespace qd::passes
