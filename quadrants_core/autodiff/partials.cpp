#include "autodiff/partials.h"

#include "base/error.h"

#include <numbers>

namespace qd::autodiff {

using namespace ir;

namespace {

[[noreturn]] void no_such(Op op) {
    fail_internal(std::string("there is no derivative of `") + info(op).name + "` in a kernel");
}

Slope of_plain(Op op, size_t operand) {
    switch (PlainOp(op)) {
    case PlainOp::select: return operand == 0 ? Slope::flat : operand == 1 ? Slope::first : Slope::second;
    case PlainOp::cast: return Slope::converted;
    case PlainOp::bitcast: return Slope::refused;
    case PlainOp::constant:
    case PlainOp::dim:
    case PlainOp::chunk_begin:
    case PlainOp::chunk_end:
    case PlainOp::chunk_step: return Slope::flat;
    case PlainOp::splat:
    case PlainOp::iota: break; // SIMD is introduced later
    }
    no_such(op);
}

Slope of_arithmetic(Op op) {
    switch (ArithmeticOp(op)) {
    case ArithmeticOp::add:
    case ArithmeticOp::sub:
    case ArithmeticOp::mul:
    case ArithmeticOp::div:
    case ArithmeticOp::mod:
    case ArithmeticOp::pow:
    case ArithmeticOp::neg:
    case ArithmeticOp::abs: return Slope::factor;
    case ArithmeticOp::min:
    case ArithmeticOp::max: return Slope::first;
    case ArithmeticOp::rem:
    case ArithmeticOp::floordiv:
    case ArithmeticOp::sign: return Slope::flat;
    }
    no_such(op);
}

Slope of_real(Op op) {
    switch (RealOp(op)) {
    case RealOp::atan2:
    case RealOp::fma:
    case RealOp::sqrt:
    case RealOp::rsqrt:
    case RealOp::exp:
    case RealOp::log:
    case RealOp::log2:
    case RealOp::sin:
    case RealOp::cos:
    case RealOp::tan:
    case RealOp::asin:
    case RealOp::acos:
    case RealOp::atan:
    case RealOp::tanh: return Slope::factor;
    case RealOp::floor:
    case RealOp::ceil:
    case RealOp::trunc: return Slope::flat;
    case RealOp::round: return Slope::refused;
    }
    no_such(op);
}

/// Emits terms in the type of the current derivative.
struct Terms {
    Builder &b;
    Op op;
    std::span<const Value> operands;
    Value t;

    Value x(size_t i) const { return operands[i]; }
    Value number(double v) const { return b.number(b.fn.type(t), v); }
    Value square(Value v) const { return b.mul(v, v); }
    Value again() const { return b.emit(op, operands); } ///< the instruction's own value
    Value times(Value slope) const { return b.mul(t, slope); }
    Value over(Value v) const { return b.div(t, v); }
    Value minus(Value v) const { return b.neg(v); }
    /// 1 - v
    Value rest(Value v) const {
        const Value one = number(1);
        return b.sub(one, v);
    }
    /// 1 + v
    Value more(Value v) const {
        const Value one = number(1);
        return b.add(one, v);
    }

    /// The product, but 0 if `factor` is 0, even if the other factor is infinite or NaN.
    Value zero_if_zero(Value factor, Value product) const {
        const Value zero = number(0);
        const Value vanishes = b.eq(factor, zero);
        return b.select(vanishes, zero, product);
    }

    Value arithmetic(size_t which) const;
    Value quotient(size_t which) const;
    Value power(size_t which) const;
    Value real(size_t which) const;
    Value root() const;
    Value arc(size_t which) const;
};

Value Terms::quotient(size_t which) const {
    const Value part = over(x(1));
    if (which == 0) return part;
    const Value whole = b.div(x(0), x(1));
    const Value product = b.mul(part, whole);
    return minus(product);
}

Value Terms::power(size_t which) const {
    if (which == 1) {
        const Value value = again();
        const Value log = b.log(x(0));
        const Value slope = b.mul(log, value);
        return times(zero_if_zero(value, slope));
    }
    const Value one = number(1);
    const Value less = b.sub(x(1), one);
    const Value lower = b.pow(x(0), less);
    const Value slope = b.mul(x(1), lower);
    return times(zero_if_zero(x(1), slope));
}

Value Terms::arithmetic(size_t which) const {
    switch (ArithmeticOp(op)) {
    case ArithmeticOp::add: return t;
    case ArithmeticOp::sub: return which == 0 ? t : minus(t);
    case ArithmeticOp::mul: return times(x(1 - which));
    case ArithmeticOp::div: return quotient(which);
    case ArithmeticOp::mod: {
        if (which == 0) return t;
        const Value whole = b.floordiv(x(0), x(1));
        const Value product = times(whole);
        return minus(product);
    }
    case ArithmeticOp::pow: return power(which);
    case ArithmeticOp::neg: return minus(t);
    case ArithmeticOp::abs: {
        const Value side = b.sign(x(0));
        return times(side);
    }
    case ArithmeticOp::rem:
    case ArithmeticOp::floordiv:
    case ArithmeticOp::min:
    case ArithmeticOp::max:
    case ArithmeticOp::sign: break;
    }
    no_such(op);
}

/// t / sqrt(1 - x^2)
Value Terms::root() const {
    const Value squared = square(x(0));
    const Value inside = rest(squared);
    const Value below = b.sqrt(inside);
    return over(below);
}

Value Terms::arc(size_t which) const {
    const Value first = square(x(0));
    const Value second = square(x(1));
    const Value below = b.add(first, second);
    const Value part = over(below);
    const Value product = b.mul(part, x(1 - which));
    return which == 0 ? product : minus(product);
}

Value Terms::real(size_t which) const {
    switch (RealOp(op)) {
    case RealOp::atan2: return arc(which);
    case RealOp::fma: return which == 2 ? t : times(x(1 - which));
    case RealOp::sqrt: {
        const Value half = number(0.5);
        const Value value = again();
        const Value slope = b.div(half, value);
        return times(slope);
    }
    case RealOp::rsqrt: {
        const Value value = again();
        const Value squared = square(value);
        const Value cube = b.mul(squared, value);
        const Value half = number(-0.5);
        const Value slope = b.mul(half, cube);
        return times(slope);
    }
    case RealOp::exp: {
        const Value value = again();
        return times(value);
    }
    case RealOp::log: return over(x(0));
    case RealOp::log2: {
        const Value base = number(std::numbers::ln2);
        const Value below = b.mul(x(0), base);
        return over(below);
    }
    case RealOp::sin: {
        const Value slope = b.cos(x(0));
        return times(slope);
    }
    case RealOp::cos: {
        const Value slope = b.sin(x(0));
        const Value product = times(slope);
        return minus(product);
    }
    case RealOp::tan: {
        const Value value = again();
        const Value squared = square(value);
        const Value slope = more(squared);
        return times(slope);
    }
    case RealOp::asin: return root();
    case RealOp::acos: {
        const Value product = root();
        return minus(product);
    }
    case RealOp::atan: {
        const Value squared = square(x(0));
        const Value below = more(squared);
        return over(below);
    }
    case RealOp::tanh: {
        const Value value = again();
        const Value squared = square(value);
        const Value slope = rest(squared);
        return times(slope);
    }
    case RealOp::floor:
    case RealOp::ceil:
    case RealOp::trunc:
    case RealOp::round: break;
    }
    no_such(op);
}

} // namespace

Slope slope(Op op, size_t operand) {
    switch (family(op)) {
    case Family::plain: return of_plain(op, operand);
    case Family::arithmetic: {
        const Slope found = of_arithmetic(op);
        return found == Slope::first && operand == 1 ? Slope::second : found;
    }
    case Family::real: return of_real(op);
    case Family::bits:
    case Family::comparison: return Slope::flat;
    case Family::reduction: break; // of SIMD lanes, which are introduced later
    case Family::group:
    case Family::meta:
    case Family::address:
    case Family::memory:
    case Family::atomic:
    case Family::packed:
    case Family::cell:
    case Family::step:
    case Family::outside:
    case Family::control:
    case Family::terminator: return Slope::flat; // no derivative that follows from the operands alone
    }
    no_such(op);
}

Value times_slope(Builder &b, Op op, std::span<const Value> operands, size_t which, Value t) {
    const Terms terms{b, op, operands, t};
    if (family(op) == Family::arithmetic) return terms.arithmetic(which);
    if (family(op) == Family::real) return terms.real(which);
    no_such(op);
}

Value takes_first(Builder &b, Op op, std::span<const Value> operands) {
    if (op == Op::select) return operands[0];
    if (op != Op::max && op != Op::min) no_such(op);
    const Value wins = op == Op::max ? b.gt(operands[0], operands[1]) : b.lt(operands[0], operands[1]);
    if (b.fn.fast_math) return wins;
    const Value other_is_none = b.ne(operands[1], operands[1]);
    return b.bor(wins, other_is_none);
}

} // namespace qd::autodiff
