// Implements the semantics listed at the top of ops.def.
#include "ir/eval.h"
#include "base/error.h"
#include "base/floor_division.h"

#include <bit>
#include <cmath>

namespace qd::ir {

namespace {

template <class T> T power(T base, T exponent) {
    if constexpr (std::is_signed_v<T>) {
        if (exponent < 0) return base == 1 ? 1 : base == T(-1) ? (exponent & 1 ? T(-1) : T(1)) : 0;
    }
    using U = std::make_unsigned_t<T>;
    uint64_t result = 1, b = U(base);
    for (uint64_t e = U(exponent); e; e >>= 1) {
        if (e & 1) result *= b;
        b *= b;
    }
    return T(result);
}

/// T: the C++ integer type. Arithmetic goes through uint64_t, where it wraps.
template <class T> T integer_op(Op op, T a, T b) {
    using U = std::make_unsigned_t<T>;
    constexpr int width = 8 * int(sizeof(T));
    uint64_t ua = uint64_t(a), ub = uint64_t(b);
    auto divide = [&]() -> T {
        if (b == 0) return 0;
        if (std::is_signed_v<T> && b == T(-1)) return T(0 - ua);
        return T(a / b);
    };
    auto remainder = [&]() -> T { return b == 0 || (std::is_signed_v<T> && b == T(-1)) ? T(0) : T(a % b); };
    int count = int(ub % uint64_t(width));
    if (family(op) == Family::bits) {
        switch (BitsOp(op)) {
        case BitsOp::band: return T(ua & ub);
        case BitsOp::bor: return T(ua | ub);
        case BitsOp::bxor: return T(ua ^ ub);
        case BitsOp::bnot: return T(~ua);
        case BitsOp::shl: return T(ua << count);
        case BitsOp::shr: return T(a >> count);
        case BitsOp::ushr: return T(U(a) >> count);
        case BitsOp::popcnt: return T(std::popcount(U(a)));
        case BitsOp::clz: return T(std::countl_zero(U(a)));
        }
    }
    switch (ArithmeticOp(op)) {
    case ArithmeticOp::add: return T(ua + ub);
    case ArithmeticOp::sub: return T(ua - ub);
    case ArithmeticOp::mul: return T(ua * ub);
    case ArithmeticOp::div: return divide();
    case ArithmeticOp::rem: return remainder();
    case ArithmeticOp::floordiv: {
        T r = remainder();
        return T(divide() - (r != 0 && (r < 0) != (b < 0) ? 1 : 0));
    }
    case ArithmeticOp::mod: {
        T r = remainder();
        return r != 0 && (r < 0) != (b < 0) ? T(r + b) : r;
    }
    case ArithmeticOp::pow: return power(a, b);
    case ArithmeticOp::min: return b < a ? b : a;
    case ArithmeticOp::max: return a < b ? b : a;
    case ArithmeticOp::neg: return T(0 - ua);
    case ArithmeticOp::abs: return a < 0 ? T(0 - ua) : a;
    case ArithmeticOp::sign: return T((a > 0) - (a < 0));
    }
    fail_internal(std::string("eval: `") + info(op).name + "` on integers");
}

/// One-bit arithmetic: modulo 2, division by 0 gives 0, every shift count is 0.
bool bit_op(Op op, bool a, bool b) {
    if (family(op) == Family::bits) {
        switch (BitsOp(op)) {
        case BitsOp::band: return a && b;
        case BitsOp::bor: return a || b;
        case BitsOp::bxor: return a != b;
        case BitsOp::bnot:
        case BitsOp::clz: return !a;
        case BitsOp::shl:
        case BitsOp::shr:
        case BitsOp::ushr:
        case BitsOp::popcnt: return a;
        }
    }
    switch (ArithmeticOp(op)) {
    case ArithmeticOp::add:
    case ArithmeticOp::sub: return a != b;
    case ArithmeticOp::mul:
    case ArithmeticOp::div:
    case ArithmeticOp::floordiv:
    case ArithmeticOp::min: return a && b;
    case ArithmeticOp::max: return a || b;
    case ArithmeticOp::rem:
    case ArithmeticOp::mod: return false;
    case ArithmeticOp::pow: return a || !b;
    case ArithmeticOp::neg:
    case ArithmeticOp::abs:
    case ArithmeticOp::sign: return a;
    }
    fail_internal(std::string("eval: `") + info(op).name + "` on u1");
}

/// -0 is less than +0; NaN yields the other operand.
template <class T> T least(T a, T b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return b < a ? b : a;
}

template <class T> T real_op(RealOp op, T a, T b, T c) {
    switch (op) {
    case RealOp::atan2: return std::atan2(a, b);
    case RealOp::fma: return std::fma(a, b, c);
    case RealOp::sqrt: return std::sqrt(a);
    case RealOp::rsqrt: return T(1) / std::sqrt(a);
    case RealOp::exp: return std::exp(a);
    case RealOp::log: return std::log(a);
    case RealOp::log2: return std::log2(a);
    case RealOp::sin: return std::sin(a);
    case RealOp::cos: return std::cos(a);
    case RealOp::tan: return std::tan(a);
    case RealOp::asin: return std::asin(a);
    case RealOp::acos: return std::acos(a);
    case RealOp::atan: return std::atan(a);
    case RealOp::tanh: return std::tanh(a);
    case RealOp::floor: return std::floor(a);
    case RealOp::ceil: return std::ceil(a);
    case RealOp::round: return std::round(a);
    case RealOp::trunc: return std::trunc(a);
    }
    return a;
}

template <class T> T float_op(Op op, T a, T b, T c) {
    if (family(op) == Family::real) return real_op(RealOp(op), a, b, c);
    if (family(op) == Family::arithmetic) {
        switch (ArithmeticOp(op)) {
        case ArithmeticOp::add: return a + b;
        case ArithmeticOp::sub: return a - b;
        case ArithmeticOp::mul: return a * b;
        case ArithmeticOp::div: return a / b;
        case ArithmeticOp::rem: return std::fmod(a, b);
        case ArithmeticOp::floordiv: return floor_div(a, b);
        case ArithmeticOp::mod: return floor_mod(a, b);
        case ArithmeticOp::pow: return std::pow(a, b);
        case ArithmeticOp::min: return least(a, b);
        case ArithmeticOp::max: return -least(-a, -b);
        case ArithmeticOp::neg: return -a;
        case ArithmeticOp::abs: return std::fabs(a);
        case ArithmeticOp::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : a;
        }
    }
    fail_internal(std::string("eval: `") + info(op).name + "` on floats");
}

template <class T> bool compare(Op op, T a, T b) {
    switch (ComparisonOp(op)) {
    case ComparisonOp::lt: return a < b;
    case ComparisonOp::le: return a <= b;
    case ComparisonOp::gt: return a > b;
    case ComparisonOp::ge: return a >= b;
    case ComparisonOp::eq: return a == b;
    case ComparisonOp::ne: return a != b;
    }
    return false;
}

Constant convert(Constant v, Scalar to) {
    if (to == Scalar::u1) return {to, is_float(v.type) ? to_double(v) != 0 : v.bits != 0};
    if (is_float(v.type)) return from_double(to, to_double(v));
    if (v.type != Scalar::u64 || !is_float(to)) return from_int(to, to_int(v));
    if (to == Scalar::f64) return {to, std::bit_cast<uint64_t>(double(v.bits))};
    const float single = float(v.bits);
    return {to, to == Scalar::f32 ? std::bit_cast<uint32_t>(single) : f32_to_f16(single)};
}

Constant arithmetic(Op op, Scalar type, Constant a, Constant b, Constant c) {
    auto integer = [&]<class T>(T) -> Constant {
        using U = std::make_unsigned_t<T>;
        return {type, uint64_t(U(integer_op<T>(op, T(a.bits), T(b.bits))))};
    };
    switch (type) {
    case Scalar::none: return {};
    case Scalar::u1: return {type, bit_op(op, a.bits & 1, b.bits & 1)};
    case Scalar::i8: return integer(int8_t());
    case Scalar::u8: return integer(uint8_t());
    case Scalar::i16: return integer(int16_t());
    case Scalar::u16: return integer(uint16_t());
    case Scalar::i32: return integer(int32_t());
    case Scalar::u32: return integer(uint32_t());
    case Scalar::i64: return integer(int64_t());
    case Scalar::u64: return integer(uint64_t());
    case Scalar::f16:
    case Scalar::f32: {
        float r = float_op<float>(op, float(to_double(a)), float(to_double(b)), float(to_double(c)));
        return {type, type == Scalar::f16 ? f32_to_f16(r) : std::bit_cast<uint32_t>(r)};
    }
    case Scalar::f64:
        return {type, std::bit_cast<uint64_t>(float_op<double>(op, to_double(a), to_double(b), to_double(c)))};
    }
    return {};
}

bool comparison(Op op, Constant a, Constant b) {
    if (is_float(a.type)) return compare(op, to_double(a), to_double(b));
    if (is_signed(a.type)) return compare(op, to_int(a), to_int(b));
    return compare(op, a.bits, b.bits);
}

} // namespace

bool can_eval(Op op) {
    return is_arithmetic(op) || family(op) == Family::comparison || op == Op::select || op == Op::cast ||
           op == Op::bitcast;
}

Constant eval(Op op, Scalar type, std::span<const Constant> operands) {
    QD_CHECK(can_eval(op) && operands.size() == size_t(info(op).operands), info(op).name);
    Constant zero{type, 0};
    Constant a = operands[0];
    Constant b = operands.size() > 1 ? operands[1] : zero;
    Constant c = operands.size() > 2 ? operands[2] : zero;
    if (is_arithmetic(op)) return arithmetic(op, type, a, b, c);
    if (family(op) == Family::comparison) return {Scalar::u1, comparison(op, a, b)};
    if (op == Op::select) return a.bits & 1 ? b : c;
    return op == Op::cast ? convert(a, type) : Constant{type, a.bits};
}

} // namespace qd::ir
