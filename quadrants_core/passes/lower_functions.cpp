// Functions of floats as arithmetic in f64, for targets that have none, or none that is accurate. f32 is converted there and back; under
// fast_math its functions stay, except for powers. The series are those of Taylor on ranges so small that their rest is below one ulp of f64:
//
//   exp   x = n ln2 + r, |r| <= ln2 / 2                   log   x = 2^k m, sqrt(1/2) <= m < sqrt(2); s = (m - 1) / (m + 1)
//   sin   x = n pi/2 + r, |r| <= pi/4, for |x| < 2^20     atan  of 0 .. 1, at a quarter of the angle
//
// The others are made of these. The error of f64 is a few ulp; that of a power grows with the size of its logarithm.
#include "passes/passes.h"
#include "passes/rewrite.h"

#include <cmath>
#include <utility>

namespace qd::passes {

using namespace ir;

namespace {

// ln2 and pi/2 in parts of 32 digits, so that their products with integers of 21 bits are exact.
constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33, per_ln2 = 0x1.71547652b82fep+0;
constexpr double quarter_high = 0x1.921fb544p+0, quarter_mid = 0x1.0b4611a6p-34, quarter_low = 0x1.3198a2e037073p-69;
constexpr double per_quarter = 0x1.45f306dc9c883p-1, pi = 0x1.921fb54442d18p+1;

class Functions {
  public:
    explicit Functions(Builder &b) : b_(b) {}

    Value exp(Value x);
    Value log(Value x) { return logarithm(x, false); }
    Value log2(Value x) { return logarithm(x, true); }
    Value sine(Value x, int quarters); ///< sin(x + quarters * pi/2)
    Value tan(Value x);
    Value atan2(Value y, Value x);
    Value asin(Value x);
    Value acos(Value x);
    Value tanh(Value x);
    Value pow(Value x, Value y);
    Value number(double v) { return b_.number(Scalar::f64, v); }

  private:
    Value logarithm(Value x, bool binary);
    /// The sum of coefficients * x^k, the first one for k = 0.
    Value polynomial(Value x, const std::vector<double> &coefficients);
    Value minus(Value x, Value n, double part);
    Value power_of_two(Value exponent);
    Value with_sign(Value size, Value sign);
    Value cosine_of_arc_sine(Value x);
    Value word(uint64_t v) { return b_.constant(Scalar::u64, v); }
    Value is_nan(Value x) { return b_.ne(x, x); }

    Builder &b_;
};

/// Returns 1/k! for k = first, first + step, ..., with alternating signs if `alternates`.
std::vector<double> reciprocal_factorials(int first, int step, int count, bool alternates) {
    std::vector<double> list;
    for (int i = 0; i < count; ++i) {
        long double product = 1;
        for (int k = 2; k <= first + i * step; ++k) product *= k;
        list.push_back(double((alternates && i % 2 ? -1 : 1) / product));
    }
    return list;
}

/// Returns scale / (2k + 1), with alternating signs if `alternates`.
std::vector<double> odd_reciprocals(int count, double scale, bool alternates) {
    std::vector<double> list;
    for (int i = 0; i < count; ++i) list.push_back((alternates && i % 2 ? -scale : scale) / (2 * i + 1));
    return list;
}

Value Functions::polynomial(Value x, const std::vector<double> &coefficients) {
    Value sum = number(coefficients.back());
    for (size_t i = coefficients.size() - 1; i-- > 0;) {
        const Value product = b_.mul(sum, x);
        const Value next = number(coefficients[i]);
        sum = b_.add(product, next);
    }
    return sum;
}

/// x - n * part
Value Functions::minus(Value x, Value n, double part) {
    const Value factor = number(part);
    const Value product = b_.mul(n, factor);
    return b_.sub(x, product);
}

/// 2^exponent, of an i64.
Value Functions::power_of_two(Value exponent) {
    const Value bias = b_.i64(1023);
    const Value biased = b_.add(exponent, bias);
    const Value shift = b_.i64(52);
    const Value bits = b_.shl(biased, shift);
    return b_.bitcast(bits, Scalar::f64);
}

Value Functions::with_sign(Value size, Value sign) {
    const Value mask = word(uint64_t(1) << 63);
    const Value from = b_.bitcast(sign, Scalar::u64);
    const Value own = b_.band(from, mask);
    const Value bits = b_.bitcast(size, Scalar::u64);
    const Value both = b_.bor(bits, own);
    return b_.bitcast(both, Scalar::f64);
}

/// The power of two has two factors: n exceeds the exponents of f64 on both sides.
Value Functions::exp(Value x) {
    const Value least = number(-750), most = number(710);
    const Value low = b_.max(x, least);
    const Value bounded = b_.min(low, most);
    const Value scale = number(per_ln2);
    const Value quotient = b_.mul(bounded, scale);
    const Value n = b_.round(quotient);
    const Value first = minus(bounded, n, ln2_high);
    const Value r = minus(first, n, ln2_low);
    const Value p = polynomial(r, reciprocal_factorials(2, 1, 12, false));
    const Value square = b_.mul(r, r);
    const Value tail = b_.mul(p, square);
    const Value rest = b_.add(r, tail);
    const Value one = number(1);
    const Value sum = b_.add(rest, one);
    const Value exponent = b_.cast(n, Scalar::i64);
    const Value shift = b_.i64(1);
    const Value half = b_.shr(exponent, shift);
    const Value other = b_.sub(exponent, half);
    const Value factor = power_of_two(half);
    const Value part = b_.mul(sum, factor);
    const Value second = power_of_two(other);
    const Value result = b_.mul(part, second);
    const Value unknown = is_nan(x);
    return b_.select(unknown, x, result);
}

Value Functions::logarithm(Value x, bool binary) {
    const Value zero = number(0), one = number(1), infinity = number(INFINITY), nan = number(NAN);
    const Value normal = number(0x1p-1022), larger = number(0x1p54);
    const Value is_small = b_.lt(x, normal);
    const Value raised = b_.mul(x, larger);
    const Value scaled = b_.select(is_small, raised, x);
    const Value bits = b_.bitcast(scaled, Scalar::i64);
    const Value root_half = b_.i64(0x3fe6a09e667f3bcd);
    const Value shift = b_.i64(52);
    const Value above = b_.sub(bits, root_half);
    const Value power = b_.shr(above, shift);
    const Value position = b_.shl(power, shift);
    const Value mantissa = b_.sub(bits, position);
    const Value m = b_.bitcast(mantissa, Scalar::f64);
    const Value less = b_.i64(54);
    const Value lowered = b_.sub(power, less);
    const Value exponent = b_.select(is_small, lowered, power);
    const Value k = b_.cast(exponent, Scalar::f64);

    const Value upper = b_.sub(m, one), lower = b_.add(m, one);
    const Value s = b_.div(upper, lower);
    const Value square = b_.mul(s, s);
    const Value series = polynomial(square, odd_reciprocals(12, 2, false));
    const Value part = b_.mul(s, series);
    Value sum;
    if (binary) {
        const Value scale = number(per_ln2);
        const Value digits = b_.mul(part, scale);
        sum = b_.add(k, digits);
    } else {
        const Value high = number(ln2_high), low = number(ln2_low);
        const Value small = b_.mul(k, low);
        const Value tail = b_.add(small, part);
        const Value large = b_.mul(k, high);
        sum = b_.add(large, tail);
    }
    const Value finite = b_.lt(x, infinity);
    const Value known = b_.select(finite, sum, x); // infinity, NaN
    const Value lowest = b_.neg(infinity);
    const Value is_zero = b_.eq(x, zero);
    const Value with_zero = b_.select(is_zero, lowest, known);
    const Value negative = b_.lt(x, zero);
    return b_.select(negative, nan, with_zero);
}

Value Functions::sine(Value x, int quarters) {
    const Value scale = number(per_quarter);
    const Value quotient = b_.mul(x, scale);
    const Value n = b_.round(quotient);
    Value r = minus(x, n, quarter_high);
    r = minus(r, n, quarter_mid);
    r = minus(r, n, quarter_low);
    const Value z = b_.mul(r, r);
    const Value odd_series = polynomial(z, reciprocal_factorials(1, 2, 9, true));
    const Value odd = b_.mul(r, odd_series);
    const Value even = polynomial(z, reciprocal_factorials(0, 2, 10, true));
    const Value count = b_.cast(n, Scalar::i64);
    const Value first = b_.i64(quarters);
    const Value quarter = b_.add(count, first);
    const Value one = b_.i64(1), two = b_.i64(2), none = b_.i64(0);
    const Value low = b_.band(quarter, one);
    const Value is_odd = b_.eq(low, none);
    const Value value = b_.select(is_odd, odd, even);
    const Value high = b_.band(quarter, two);
    const Value upper = b_.ne(high, none);
    const Value opposite = b_.neg(value);
    const Value result = b_.select(upper, opposite, value);
    if (quarters) return result;
    const Value zero = number(0);
    const Value is_zero = b_.eq(x, zero); // -0 has lost its sign
    return b_.select(is_zero, x, result);
}

Value Functions::tan(Value x) {
    const Value above = sine(x, 0);
    const Value below = sine(x, 1);
    return b_.div(above, below);
}

/// The angle of 0 .. 1 is halved twice: tan(a / 2) = t / (1 + sqrt(1 + t^2)).
Value Functions::atan2(Value y, Value x) {
    const Value zero = number(0), one = number(1), infinity = number(INFINITY);
    const Value width = b_.abs(x), height = b_.abs(y);
    const Value steep = b_.gt(height, width);
    const Value small = b_.select(steep, width, height), large = b_.select(steep, height, width);
    const Value ratio = b_.div(small, large);
    const Value no_angle = b_.eq(large, zero), diagonal = b_.eq(small, infinity);
    const Value some = b_.select(no_angle, zero, ratio);
    Value t = b_.select(diagonal, one, some);
    for (int halving = 0; halving < 2; ++halving) {
        const Value square = b_.mul(t, t);
        const Value sum = b_.add(one, square);
        const Value root = b_.sqrt(sum);
        const Value below = b_.add(one, root);
        t = b_.div(t, below);
    }
    const Value z = b_.mul(t, t);
    const Value series = polynomial(z, odd_reciprocals(13, 4, true));
    const Value angle = b_.mul(t, series);
    const Value right = number(pi / 2), straight = number(pi);
    const Value rest = b_.sub(right, angle);
    const Value upright = b_.select(steep, rest, angle);
    const Value beyond = b_.sub(straight, upright);
    const Value bits = b_.bitcast(x, Scalar::i64);
    const Value none = b_.i64(0);
    const Value is_left = b_.lt(bits, none);
    const Value size = b_.select(is_left, beyond, upright);
    const Value result = with_sign(size, y);
    const Value sum = b_.add(x, y);
    const Value no_x = is_nan(x), no_y = is_nan(y);
    const Value unknown = b_.bor(no_x, no_y);
    return b_.select(unknown, sum, result);
}

/// sqrt((1 - x) (1 + x)); NaN outside of -1 .. 1.
Value Functions::cosine_of_arc_sine(Value x) {
    const Value one = number(1);
    const Value below = b_.sub(one, x), above = b_.add(one, x);
    const Value product = b_.mul(below, above);
    return b_.sqrt(product);
}

Value Functions::asin(Value x) {
    const Value other = cosine_of_arc_sine(x);
    return atan2(x, other);
}

Value Functions::acos(Value x) {
    const Value other = cosine_of_arc_sine(x);
    return atan2(other, x);
}

/// Near 0: by sinh, tanh = sinh / sqrt(1 + sinh^2).
Value Functions::tanh(Value x) {
    const Value one = number(1);
    const Value square = b_.mul(x, x);
    const Value series = polynomial(square, reciprocal_factorials(1, 2, 9, false));
    const Value sinh = b_.mul(x, series);
    const Value sinh_square = b_.mul(sinh, sinh);
    const Value cosh_square = b_.add(one, sinh_square);
    const Value cosh = b_.sqrt(cosh_square);
    const Value near = b_.div(sinh, cosh);
    const Value size = b_.abs(x), minus_two = number(-2);
    const Value twice = b_.mul(size, minus_two);
    const Value decayed = exp(twice);
    const Value above = b_.sub(one, decayed), below = b_.add(one, decayed);
    const Value ratio = b_.div(above, below);
    const Value far = with_sign(ratio, x);
    const Value limit = number(0.5);
    const Value is_near = b_.lt(size, limit);
    return b_.select(is_near, near, far);
}

Value Functions::pow(Value x, Value y) {
    const Value zero = number(0), one = number(1), half = number(0.5);
    const Value size = b_.abs(x);
    const Value l = log(size);
    const Value exponent = b_.mul(y, l);
    const Value power = exp(exponent);
    const Value is_one = b_.eq(size, one), is_zero = b_.eq(y, zero);
    const Value y_known = b_.eq(y, y);
    const Value of_one = b_.band(is_one, y_known);
    const Value with_one = b_.select(of_one, one, power);
    // The sign of the base stays for odd exponents; others of a finite negative base have no result.
    const Value whole = b_.floor(y);
    const Value is_whole = b_.eq(whole, y);
    const Value halved = b_.mul(y, half);
    const Value below = b_.floor(halved);
    const Value is_half = b_.ne(below, halved);
    const Value is_odd = b_.band(is_whole, is_half);
    const Value turned = with_sign(with_one, x);
    const Value with_own_sign = b_.select(is_odd, turned, with_one);
    const Value infinity = number(INFINITY), nan = number(NAN);
    const Value negative = b_.lt(x, zero);
    const Value finite = b_.lt(size, infinity);
    const Value fractional = b_.bnot(is_whole);
    const Value no_root = b_.band(negative, finite);
    const Value none = b_.band(no_root, fractional);
    const Value result = b_.select(none, nan, with_own_sign);
    const Value exactly_one = b_.eq(x, one);
    const Value trivial = b_.bor(exactly_one, is_zero);
    return b_.select(trivial, one, result);
}

/// Emits a function in f64.
Value emit(Functions &f, Op op, std::span<const Value> args) {
    if (op == Op::pow) return f.pow(args[0], args[1]);
    switch (RealOp(op)) {
    case RealOp::atan2: return f.atan2(args[0], args[1]);
    case RealOp::exp: return f.exp(args[0]);
    case RealOp::log: return f.log(args[0]);
    case RealOp::log2: return f.log2(args[0]);
    case RealOp::sin: return f.sine(args[0], 0);
    case RealOp::cos: return f.sine(args[0], 1);
    case RealOp::tan: return f.tan(args[0]);
    case RealOp::asin: return f.asin(args[0]);
    case RealOp::acos: return f.acos(args[0]);
    case RealOp::atan: {
        const Value one = f.number(1);
        return f.atan2(args[0], one);
    }
    case RealOp::tanh: return f.tanh(args[0]);
    case RealOp::fma:
    case RealOp::sqrt:
    case RealOp::rsqrt:
    case RealOp::floor:
    case RealOp::ceil:
    case RealOp::round:
    case RealOp::trunc: break;
    }
    return {};
}

Value expand(Builder &b, Value v) {
    const Op op = b.fn[v].op;
    const Type t = b.fn.type(v);
    std::vector<Value> args(b.fn.args(v).begin(), b.fn.args(v).end());
    if (t.elem == Scalar::f32)
        for (Value &arg : args) arg = b.cast(arg, Scalar::f64);
    Functions functions(b);
    const Value result = emit(functions, op, args);
    return t.elem == Scalar::f32 ? b.cast(result, Scalar::f32) : result;
}

} // namespace

bool lower_functions(Function &fn, const Config &) {
    const auto is_wanted = [&](Value v) {
        const Op op = fn[v].op;
        const Type t = fn.type(v);
        if (!(info(op).traits & routine) || !t.is_float() || t.elem == Scalar::f16 || t.lanes > 1) return false;
        return t.elem == Scalar::f64 || op == Op::pow || !fn.fast_math;
    };
    return expand_each(fn, is_wanted, expand);
}

} // namespace qd::passes
