// Emits conversions. Those that SPIR-V leaves undefined convert 0 instead, and the result is selected.
#include "codegen/spirv/arithmetic.h"

#include <cmath>

namespace qd::codegen::spirv {

namespace {

constexpr unsigned word = 32; ///< conversions between floats and integers use at least this width

} // namespace

Id Arithmetic::bitcast(Scalar from, Scalar to, Id x) {
    if (from == to) return x;
    if (from == Scalar::u1 || to == Scalar::u1) code_.refuse("u1 has no bits in common with other types");
    const Id type = code_.scalar(to), old = code_.scalar(from);
    return code_.bitcast(type, old, x);
}

Id Arithmetic::cast(Scalar from, Scalar to, Id x) {
    if (from == to) return x;
    if (from == Scalar::f16) return cast(Scalar::f32, to, from_half(x));
    if (to == Scalar::f16) return to_half(cast(from, Scalar::f32, x));
    if (from == Scalar::u1) {
        const Id one = ir::is_float(to) ? code_.number(to, 1) : code_.constant(to, 1);
        return code_.select(code_.scalar(to), x, one, code_.constant(to, 0));
    }
    if (to == Scalar::u1) {
        const Id zero = code_.constant(from, 0);
        return code_.boolean(ir::is_float(from) ? spv::Op::OpFUnordNotEqual : spv::Op::OpINotEqual, {x, zero});
    }
    if (ir::is_float(from) && ir::is_float(to))
        return to == Scalar::f64 ? code_.op(spv::Op::OpFConvert, code_.scalar(to), {x}) : narrow_float(x);
    if (ir::is_float(from)) return float_to_int(from, to, x);
    if (ir::is_float(to)) return int_to_float(from, to, x);
    if (ir::size_of(from) == ir::size_of(to)) return x;
    return code_.op(ir::is_signed(from) ? spv::Op::OpSConvert : spv::Op::OpUConvert, code_.scalar(to), {x});
}

/// Truncates and saturates; NaN gives 0.
Id Arithmetic::float_to_int(Scalar from, Scalar to, Id x) {
    const bool is_signed = ir::is_signed(to);
    const unsigned bits = bits_in_memory(to), wide = std::max(bits, word);
    const int digits = int(bits) - is_signed;
    const double lowest = is_signed ? -std::ldexp(1.0, digits) : 0;
    const Id limit = code_.number(from, std::ldexp(1.0, digits)), least = code_.number(from, lowest);
    const Id above = code_.boolean(spv::Op::OpFOrdGreaterThanEqual, {x, limit});
    const Id below = code_.boolean(spv::Op::OpFOrdLessThan, {x, least});
    const Id from_least = code_.boolean(spv::Op::OpFOrdGreaterThanEqual, {x, least});
    const Id to_limit = code_.boolean(spv::Op::OpFOrdLessThan, {x, limit});
    const Id fits = code_.boolean(spv::Op::OpLogicalAnd, {from_least, to_limit});
    const Id safe = code_.select(code_.scalar(from), fits, x, code_.number(from, 0));
    Id result = code_.op(is_signed ? spv::Op::OpConvertFToS : spv::Op::OpConvertFToU, code_.integer(wide), {safe});
    const Id type = code_.scalar(to);
    if (wide != bits) result = code_.op(spv::Op::OpUConvert, type, {result});
    const uint64_t most = digits == 64 ? UINT64_MAX : (uint64_t(1) << digits) - 1;
    result = code_.select(type, above, code_.constant(to, most), result);
    return code_.select(type, below, code_.constant(to, is_signed ? ~most : 0), result);
}

Id Arithmetic::int_to_float(Scalar from, Scalar to, Id x) {
    const bool is_signed = ir::is_signed(from);
    if (bits_in_memory(from) < word)
        x = code_.op(is_signed ? spv::Op::OpSConvert : spv::Op::OpUConvert, code_.integer(word), {x});
    return code_.op(is_signed ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF, code_.scalar(to), {x});
}

/// f64 to f32. A number too large for f32 becomes infinite.
Id Arithmetic::narrow_float(Id x) {
    const Id type = code_.scalar(Scalar::f32), wide = code_.scalar(Scalar::f64);
    const double limit = 0x1.ffffffp127; // rounds to infinity, as does all that is larger
    const Id above = code_.boolean(spv::Op::OpFOrdGreaterThanEqual, {x, code_.number(Scalar::f64, limit)});
    const Id below = code_.boolean(spv::Op::OpFOrdLessThanEqual, {x, code_.number(Scalar::f64, -limit)});
    const Id large = code_.boolean(spv::Op::OpLogicalOr, {above, below});
    const Id safe = code_.select(wide, large, code_.number(Scalar::f64, 0), x);
    const Id result = code_.op(spv::Op::OpFConvert, type, {safe});
    const Id up = code_.select(type, above, code_.number(Scalar::f32, INFINITY), result);
    return code_.select(type, below, code_.number(Scalar::f32, -INFINITY), up);
}

/// f32 to the bits of f16, rounded to nearest even: the rounding of OpFConvert is not defined. In integers throughout:
///     normal      the exponent changes its bias; 13 bits of the fraction are rounded away
///     subnormal   the fraction with its leading 1 is shifted right by 126 - exponent
Id Arithmetic::to_half(Id x) {
    const Id u32 = code_.integer(word);
    const auto c = [&](uint32_t value) { return code_.whole(word, value); };
    const auto op = [&](spv::Op code, Id a, Id b) { return code_.op(code, u32, {a, b}); };
    using enum spv::Op;
    const Id bits = word_of(Scalar::f32, x), size = op(OpBitwiseAnd, bits, c(0x7fffffff));
    const Id sign = op(OpBitwiseAnd, op(OpShiftRightLogical, bits, c(16)), c(0x8000));

    const Id biased = op(OpISub, size, c(0x38000000));
    const Id odd = op(OpBitwiseAnd, op(OpShiftRightLogical, biased, c(13)), c(1));
    const Id normal = op(OpShiftRightLogical, op(OpIAdd, op(OpIAdd, biased, c(0xfff)), odd), c(13));

    const Id exponent = op(OpShiftRightLogical, size, c(23));
    const Id distance = op(OpISub, c(126), exponent);
    const Id far = code_.boolean(OpUGreaterThan, {distance, c(31)}); // also where the number is not subnormal
    const Id by = code_.select(u32, far, c(31), distance);
    const Id fraction = op(OpBitwiseOr, op(OpBitwiseAnd, size, c(0x7fffff)), c(0x800000));
    const Id kept = op(OpShiftRightLogical, fraction, by);
    const Id unit = op(OpShiftLeftLogical, c(1), by), half = op(OpShiftRightLogical, unit, c(1));
    const Id rest = op(OpBitwiseAnd, fraction, op(OpISub, unit, c(1)));
    const Id more = code_.boolean(OpUGreaterThan, {op(OpIAdd, rest, op(OpBitwiseAnd, kept, c(1))), half});
    const Id subnormal = op(OpIAdd, kept, code_.select(u32, more, c(1), c(0)));

    const Id is_small = code_.boolean(OpULessThan, {size, c(0x38800000)});
    const Id is_large = code_.boolean(OpUGreaterThanEqual, {size, c(0x477ff000)});
    const Id is_nan = code_.boolean(OpUGreaterThan, {size, c(0x7f800000)});
    Id result = code_.select(u32, is_small, subnormal, normal);
    result = code_.select(u32, is_large, c(0x7c00), result);
    result = code_.select(u32, is_nan, c(0x7e00), result);
    return code_.op(OpUConvert, code_.scalar(Scalar::f16), {op(OpBitwiseOr, result, sign)});
}

/// The bits of f16 to f32, exactly. A subnormal number is its fraction times 2^-24.
Id Arithmetic::from_half(Id half) {
    const Id u32 = code_.integer(word), f32 = code_.scalar(Scalar::f32);
    const auto c = [&](uint32_t value) { return code_.whole(word, value); };
    const auto op = [&](spv::Op code, Id a, Id b) { return code_.op(code, u32, {a, b}); };
    using enum spv::Op;
    const Id bits = code_.op(OpUConvert, u32, {half}), size = op(OpBitwiseAnd, bits, c(0x7fff));
    const Id sign = op(OpShiftLeftLogical, op(OpBitwiseAnd, bits, c(0x8000)), c(16));
    const Id normal = op(OpIAdd, op(OpShiftLeftLogical, size, c(13)), c(0x38000000));
    const Id special = op(OpIAdd, normal, c(0x38000000));
    const Id fraction = code_.op(OpConvertUToF, f32, {size});
    const Id subnormal =
        word_of(Scalar::f32, exact(OpFMul, Scalar::f32, {fraction, code_.number(Scalar::f32, 0x1p-24)}));
    const Id is_small = code_.boolean(OpULessThan, {size, c(0x400)});
    const Id is_special = code_.boolean(OpUGreaterThanEqual, {size, c(0x7c00)});
    Id result = code_.select(u32, is_small, subnormal, normal);
    result = code_.select(u32, is_special, special, result);
    return float_of(Scalar::f32, op(OpBitwiseOr, result, sign));
}

} // namespace qd::codegen::spirv
