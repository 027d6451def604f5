// Integer powers become multiplications: a loop that squares the base and halves the exponent. On SIMD lanes it continues until all lanes
// are done. A negative exponent gives 0, except 1 for the base 1, and 1 or -1 for the base -1. u1 is modulo 2: only 0 ** 1 is 0.
#include "passes/passes.h"
#include "passes/rewrite.h"

#include <array>

namespace qd::passes {

using namespace ir;

namespace {

/// u1 of one lane: true if any lane of `x` is not zero.
Value any(Builder &b, Value x, Value zero) {
    const Value lanes = b.ne(x, zero);
    return b.fn.type(x).lanes == 1 ? lanes : b.emit(Op::reduce_max, {lanes}, Scalar::u1);
}

/// base ** exponent, if no exponent is negative.
Value multiply(Builder &b, Value base, Value exponent) {
    Function &fn = b.fn;
    const Type t = fn.type(base);
    const Value zero = b.integer(t, 0);
    const Value one = b.integer(t, 1);
    const Value loop = b.loop(std::array{exponent, base, one}, {});

    Builder body(fn, fn[loop].blocks[0]);
    body.span = b.span;
    const std::vector<Value> now = fn[body.block].params; // remaining exponent, power of the base, product
    const Value goes_on = any(body, now[0], zero);
    const Value branch = body.if_(goes_on);
    Builder(fn, fn[branch].blocks[0]).yield();
    Builder(fn, fn[branch].blocks[1]).break_(now);
    const Value bit = body.band(now[0], one);
    const Value odd = body.ne(bit, zero);
    const Value product = body.mul(now[2], now[1]);
    const Value next = body.select(odd, product, now[2]);
    const Value square = body.mul(now[1], now[1]);
    const Value half = body.ushr(now[0], one);
    body.yield(std::array{half, square, next});
    return fn.results(loop)[2];
}

/// base ** exponent, if every exponent is negative.
Value invert(Builder &b, Value base, Value exponent) {
    const Type t = b.fn.type(base);
    const Value zero = b.integer(t, 0);
    const Value one = b.integer(t, 1);
    const Value minus_one = b.integer(t, -1);
    const Value bit = b.band(exponent, one);
    const Value odd = b.ne(bit, zero);
    const Value sign = b.select(odd, minus_one, one);
    const Value is_minus_one = b.eq(base, minus_one);
    const Value of_sign = b.select(is_minus_one, sign, zero);
    const Value is_one = b.eq(base, one);
    return b.select(is_one, one, of_sign);
}

Value power(Builder &b, Value v) {
    Function &fn = b.fn;
    const Type t = fn.type(v);
    const Value x = fn.args(v)[0], y = fn.args(v)[1];
    if (t.is_bool()) {
        const Value none = b.bnot(y);
        return b.bor(x, none);
    }
    if (!is_signed(t.elem)) return multiply(b, x, y);

    const Value zero = b.integer(t, 0);
    const Value negative = b.lt(y, zero);
    if (t.lanes > 1) {
        const Value exponent = b.select(negative, zero, y);
        const Value product = multiply(b, x, exponent);
        const Value inverse = invert(b, x, y);
        return b.select(negative, inverse, product);
    }
    const Value branch = b.if_(negative);
    const Value result = fn.add_result(branch, t);
    Builder below(fn, fn[branch].blocks[0]), above(fn, fn[branch].blocks[1]);
    below.span = above.span = b.span;
    const Value inverse = invert(below, x, y);
    below.yield(std::array{inverse});
    const Value product = multiply(above, x, y);
    above.yield(std::array{product});
    return result;
}

} // namespace

bool lower_pow(Function &fn, const Config &) {
    const auto is_power = [&](Value v) { return fn[v].op == Op::pow && !fn.type(v).is_float(); };
    return expand_each(fn, is_power, [](Builder &b, Value v) { return power(b, v); });
}

} // namespace qd::passes
