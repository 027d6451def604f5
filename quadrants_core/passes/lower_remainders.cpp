// rem, floordiv and mod of floats in integers, exactly (base/floor_division.h), for targets without a function for them:
//
//   x = mx * 2^ex, y = my * 2^ey            of the sizes; mx and my are integers
//   rest = mx % my                          then, while left = ex - ey > 0, in steps of as many bits as fit in 64:
//   rest = (rest << step) % my; left -= step
//   rem(x, y) = rest * 2^ey with the sign of x
//
// floordiv and mod are made of rem. f16 is computed as f32 before (lower_f16).
#include "passes/passes.h"
#include "passes/rewrite.h"

#include <cmath>

namespace qd::passes {

using namespace ir;

namespace {

/// The fields of a float type.
struct Format {
    Scalar real, word;
    int fraction; ///< bits
    int bias;
    int step; ///< zeros that a remainder has room for in a u64

    static Format of(Scalar s) {
        return s == Scalar::f64 ? Format{Scalar::f64, Scalar::u64, 52, 1023, 11}
                                : Format{Scalar::f32, Scalar::u32, 23, 127, 40};
    }
    int bits() const { return bits_of(real); }
};

class Division {
  public:
    Division(Builder &b, Value x, Value y) : b_(b), format_(Format::of(b.fn.type(x).elem)), x_(x), y_(y) {}

    Value remainder();
    Value floor_mod();
    Value floor_quotient();

  private:
    struct Parts {
        Value size;     ///< the float without its sign
        Value digits;   ///< u64
        Value exponent; ///< i32, of the last digit, not less than 1: 1 is that of subnormal numbers
    };
    Parts parts(Value v);
    Value sign_bits(Value v);
    Value with_sign(Value size, Value sign);
    Value reduced(const Parts &x, const Parts &y, Value steps);
    Value scaled(Value digits, Value exponent);
    Value power_of_two(Value exponent);
    Value differ_in_sign(Value a, Value b);
    Value number(double v) { return b_.number(format_.real, v); }
    Value word(uint64_t v) { return b_.constant(format_.word, v); }

    Builder &b_;
    const Format format_;
    const Value x_, y_;
};

Value Division::sign_bits(Value v) {
    const Value bits = b_.bitcast(v, format_.word);
    const Value mask = word(uint64_t(1) << (format_.bits() - 1));
    return b_.band(bits, mask);
}

Value Division::with_sign(Value size, Value sign) {
    const Value bits = b_.bitcast(size, format_.word);
    const Value other = sign_bits(sign);
    const Value both = b_.bor(bits, other);
    return b_.bitcast(both, format_.real);
}

Division::Parts Division::parts(Value v) {
    const Value size = b_.abs(v);
    const Value bits = b_.bitcast(size, format_.word);
    const Value shift = word(uint64_t(format_.fraction));
    const Value field = b_.ushr(bits, shift);
    const Value low = word((uint64_t(1) << format_.fraction) - 1);
    const Value fraction = b_.band(bits, low);
    const Value zero = word(0);
    const Value is_small = b_.eq(field, zero);
    const Value leading = word(uint64_t(1) << format_.fraction);
    const Value whole = b_.bor(fraction, leading);
    const Value chosen = b_.select(is_small, fraction, whole);
    const Value digits = format_.word == Scalar::u64 ? chosen : b_.cast(chosen, Scalar::u64);
    const Value exponent = b_.cast(field, Scalar::i32);
    const Value one = b_.i32(1);
    return {size, digits, b_.max(exponent, one)};
}

/// Returns the rest of the digits after `steps` more zeros (i32; none if it is not positive).
Value Division::reduced(const Parts &x, const Parts &y, Value steps) {
    const Value start = b_.rem(x.digits, y.digits);
    const Value none = b_.i32(0), most = b_.i32(format_.step);
    const Value loop = b_.loop(std::array{start, steps}, {});
    Builder body(b_.fn, b_.fn[loop].blocks[0]);
    body.span = b_.span;
    const std::vector<Value> now = b_.fn[body.block].params;
    const Value goes_on = body.gt(now[1], none);
    const Value branch = body.if_(goes_on);
    Builder(b_.fn, b_.fn[branch].blocks[0]).yield();
    Builder(b_.fn, b_.fn[branch].blocks[1]).break_(now);
    const Value step = body.min(now[1], most);
    const Value count = body.cast(step, Scalar::u64);
    const Value longer = body.shl(now[0], count);
    const Value rest = body.rem(longer, y.digits);
    const Value left = body.sub(now[1], step);
    body.yield(std::array{rest, left});
    return b_.fn.results(loop)[0];
}

/// 2^exponent, of an i32 whose power is a normal number.
Value Division::power_of_two(Value exponent) {
    const Value bias = b_.i32(format_.bias);
    const Value biased = b_.add(exponent, bias);
    const Value wide = b_.cast(biased, format_.word);
    const Value shift = word(uint64_t(format_.fraction));
    const Value bits = b_.shl(wide, shift);
    return b_.bitcast(bits, format_.real);
}

/// digits * 2^exponent, exactly: in two factors, since the power may be smaller than any normal number.
Value Division::scaled(Value digits, Value exponent) {
    const Value whole = b_.cast(digits, format_.real);
    const Value one = b_.i32(1);
    const Value half = b_.shr(exponent, one);
    const Value rest = b_.sub(exponent, half);
    const Value first = power_of_two(half);
    const Value second = power_of_two(rest);
    const Value part = b_.mul(whole, first);
    return b_.mul(part, second);
}

Value Division::remainder() {
    const Parts x = parts(x_), y = parts(y_);
    const Value infinity = number(INFINITY), zero = number(0);
    const Value finite = b_.lt(x.size, infinity);
    const Value divides = b_.gt(y.size, zero); // not for NaN
    const Value valid = b_.band(finite, divides);
    const Value distance = b_.sub(x.exponent, y.exponent);
    const Value none = b_.i32(0);
    const Value steps = b_.select(valid, distance, none);
    const Value rest = reduced(x, y, steps);
    const Value last = b_.i32(format_.bias + format_.fraction);
    const Value exponent = b_.sub(y.exponent, last);
    const Value size = scaled(rest, exponent);
    const Value result = with_sign(size, x_);
    const Value less = b_.lt(x.size, y.size);
    const Value known = b_.select(less, x_, result);
    const Value nan = number(NAN);
    return b_.select(valid, known, nan);
}

Value Division::differ_in_sign(Value a, Value b) {
    const Value zero = number(0);
    const Value first = b_.lt(a, zero);
    const Value second = b_.lt(b, zero);
    return b_.ne(first, second);
}

Value Division::floor_mod() {
    const Value rest = remainder();
    const Value apart = differ_in_sign(y_, rest);
    const Value moved = b_.add(rest, y_);
    const Value inexact = b_.select(apart, moved, rest);
    const Value signed_zero = with_sign(number(0), y_);
    const Value zero = number(0);
    const Value exact = b_.eq(rest, zero);
    return b_.select(exact, signed_zero, inexact);
}

Value Division::floor_quotient() {
    const Value rest = remainder();
    const Value zero = number(0), one = number(1), half = number(0.5);
    const Value ratio = b_.div(x_, y_);
    const Value multiple = b_.sub(x_, rest);
    const Value quotient = b_.div(multiple, y_);
    const Value less = b_.sub(quotient, one);
    const Value apart = differ_in_sign(y_, rest);
    const Value inexact = b_.ne(rest, zero);
    const Value lowers = b_.band(apart, inexact);
    const Value chosen = b_.select(lowers, less, quotient);
    const Value whole = b_.floor(chosen);
    const Value above = b_.sub(chosen, whole);
    const Value rounds_up = b_.gt(above, half);
    const Value next = b_.add(whole, one);
    const Value nearest = b_.select(rounds_up, next, whole);
    const Value signed_zero = with_sign(zero, ratio);
    const Value is_zero = b_.eq(chosen, zero);
    const Value result = b_.select(is_zero, signed_zero, nearest);
    const Value by_zero = b_.eq(y_, zero);
    return b_.select(by_zero, ratio, result);
}

Value divide(Builder &b, Value v) {
    Division division(b, b.fn.args(v)[0], b.fn.args(v)[1]);
    const Op op = b.fn[v].op;
    return op == Op::rem ? division.remainder() : op == Op::mod ? division.floor_mod() : division.floor_quotient();
}

} // namespace

bool lower_remainders(Function &fn, const Config &) {
    const auto is_wanted = [&](Value v) {
        const Op op = fn[v].op;
        const Type t = fn.type(v);
        return (op == Op::rem || op == Op::mod || op == Op::floordiv) && t.is_float() && t.elem != Scalar::f16 &&
               t.lanes == 1;
    };
    return expand_each(fn, is_wanted, divide);
}

} // namespace qd::passes
