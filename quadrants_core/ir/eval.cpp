// The laws atop ops.def, as code.
#include "ir/eval.h"
#include "base/error.h"

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

/// T: the C++ integer of the type. Arithmetic goes through uint64_t, where it wraps.
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
    switch (op) {
    case Op::add: return T(ua + ub);
    case Op::sub: return T(ua - ub);
    case Op::mul: return T(ua * ub);
    case Op::div: return divide();
    case Op::rem: return remainder();
    case Op::floordiv: {
        T r = remainder();
        return T(divide() - (r != 0 && (r < 0) != (b < 0) ? 1 : 0));
    }
    case Op::mod: {
        T r = remainder();
        return r != 0 && (r < 0) != (b < 0) ? T(r + b) : r;
    }
    case Op::pow: return power(a, b);
    case Op::min: return b < a ? b : a;
    case Op::max: return a < b ? b : a;
    case Op::neg: return T(0 - ua);
    case Op::abs: return a < 0 ? T(0 - ua) : a;
    case Op::sign: return T((a > 0) - (a < 0));
    case Op::band: return T(ua & ub);
    case Op::bor: return T(ua | ub);
    case Op::bxor: return T(ua ^ ub);
    case Op::bnot: return T(~ua);
    case Op::shl: return T(ua << count);
    case Op::shr: return T(a >> count);
    case Op::ushr: return T(U(a) >> count);
    case Op::popcnt: return T(std::popcount(U(a)));
    case Op::clz: return T(std::countl_zero(U(a)));
    default: fail_internal(std::string("eval: `") + info(op).name + "` on integers");
    }
}

/// One-bit arithmetic: modulo 2, a divisor of 0 gives 0, every shift count is 0.
bool bit_op(Op op, bool a, bool b) {
    switch (op) {
    case Op::add:
    case Op::sub:
    case Op::bxor: return a != b;
    case Op::mul:
    case Op::band:
    case Op::div:
    case Op::floordiv:
    case Op::min: return a && b;
    case Op::bor:
    case Op::max: return a || b;
    case Op::rem:
    case Op::mod: return false;
    case Op::pow: return a || !b;
    case Op::neg:
    case Op::abs:
    case Op::sign:
    case Op::shl:
    case Op::shr:
    case Op::ushr:
    case Op::popcnt: return a;
    case Op::bnot:
    case Op::clz: return !a;
    default: fail_internal(std::string("eval: `") + info(op).name + "` on u1");
    }
}

/// -0 is less than +0; NaN loses.
template <class T> T least(T a, T b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return b < a ? b : a;
}

template <class T> T float_op(Op op, T a, T b, T c) {
    switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::rem: return std::fmod(a, b);
    case Op::floordiv: return std::floor(a / b);
    case Op::mod: {
        T whole = std::floor(a / b);
        T part = b * whole;
        return a - part;
    }
    case Op::pow: return std::pow(a, b);
    case Op::min: return least(a, b);
    case Op::max: return -least(-a, -b);
    case Op::atan2: return std::atan2(a, b);
    case Op::fma: return std::fma(a, b, c);
    case Op::neg: return -a;
    case Op::abs: return std::fabs(a);
    case Op::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : a;
    case Op::sqrt: return std::sqrt(a);
    case Op::rsqrt: return T(1) / std::sqrt(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::tanh: return std::tanh(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::round: return std::round(a);
    case Op::trunc: return std::trunc(a);
    default: fail_internal(std::string("eval: `") + info(op).name + "` on floats");
    }
}

template <class T> bool compare(Op op, T a, T b) {
    switch (op) {
    case Op::lt: return a < b;
    case Op::le: return a <= b;
    case Op::gt: return a > b;
    case Op::ge: return a >= b;
    case Op::eq: return a == b;
    case Op::ne: return a != b;
    default: fail_internal(std::string("eval: `") + info(op).name + "` does not compare");
    }
}

Constant convert(Constant v, Scalar to) {
    if (to == Scalar::u1) return {to, is_float(v.type) ? to_double(v) != 0 : v.bits != 0};
    if (is_float(v.type)) return from_double(to, to_double(v));
    if (v.type != Scalar::u64 || !is_float(to)) return from_int(to, to_int(v));
    switch (to) {
    case Scalar::f64: return {to, std::bit_cast<uint64_t>(double(v.bits))};
    case Scalar::f32: return {to, std::bit_cast<uint32_t>(float(v.bits))};
    default: return {to, f32_to_f16(float(v.bits))};
    }
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

enum class Meaning : uint8_t { none, arithmetic, comparison, choice, conversion };

Meaning meaning(Op op) {
    const OpInfo &row = info(op);
    if (row.effect != Effect::pure) return Meaning::none;
    if (row.result == Result::same) return Meaning::arithmetic;
    if (row.result == Result::boolean) return Meaning::comparison;
    if (op == Op::select) return Meaning::choice;
    return op == Op::cast || op == Op::bitcast ? Meaning::conversion : Meaning::none;
}

} // namespace

bool can_eval(Op op) { return meaning(op) != Meaning::none; }

Constant eval(Op op, Scalar type, std::span<const Constant> operands) {
    QD_CHECK(can_eval(op) && operands.size() == size_t(info(op).operands), info(op).name);
    Constant zero{type, 0};
    Constant a = operands[0];
    Constant b = operands.size() > 1 ? operands[1] : zero;
    Constant c = operands.size() > 2 ? operands[2] : zero;
    switch (meaning(op)) {
    case Meaning::none: return {};
    case Meaning::arithmetic: return arithmetic(op, type, a, b, c);
    case Meaning::comparison: return {Scalar::u1, comparison(op, a, b)};
    case Meaning::choice: return a.bits & 1 ? b : c;
    case Meaning::conversion: return op == Op::cast ? convert(a, type) : Constant{type, a.bits};
    }
    return {};
}

} // namespace qd::ir
