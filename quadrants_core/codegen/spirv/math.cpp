// Emits functions of floats.
#include "codegen/spirv/arithmetic.h"

#include "codegen/spirv/glsl.h"

#include <string>

namespace qd::codegen::spirv {

using ir::RealOp;

/// Returns a float with the bits of `size` and the sign of another; `size` is not negative.
Id Arithmetic::with_sign_of(Scalar t, Id size, Id sign) {
    const unsigned bits = bits_in_memory(t);
    const Id type = code_.integer(bits);
    const Id mask = code_.whole(bits, uint64_t(1) << (bits - 1));
    const Id own = code_.op(spv::Op::OpBitwiseAnd, type, {word_of(t, sign), mask});
    return float_of(t, code_.op(spv::Op::OpBitwiseOr, type, {word_of(t, size), own}));
}

/// Rounds half away from zero. x - trunc(x) is exact.
Id Arithmetic::rounded(Scalar t, Id x) {
    const Id type = code_.scalar(t);
    const Id size = code_.extended(glsl::FAbs, type, {x});
    const Id whole = code_.extended(glsl::Trunc, type, {size});
    const Id rest = exact(spv::Op::OpFSub, t, {size, whole});
    const Id up = code_.boolean(spv::Op::OpFOrdGreaterThanEqual, {rest, code_.number(t, 0.5)});
    const Id next = exact(spv::Op::OpFAdd, t, {whole, code_.number(t, 1)});
    return with_sign_of(t, code_.select(type, up, next, whole), x);
}

/// a * b + c of f32, rounded once, in f64: the product is exact; the sum is rounded to odd, so that rounding it again gives what rounding
/// once would. Under fast_math two roundings will do, as they must for f64.
Id Arithmetic::fused(Scalar t, Id x, Id y, Id z) {
    using enum spv::Op;
    if (fn_.fast_math) return exact(OpFAdd, t, {exact(OpFMul, t, {x, y}), z});
    if (t == Scalar::f64) code_.refuse("of f64 would be rounded twice");
    const Scalar wide = Scalar::f64;
    const Id product = exact(OpFMul, wide, {cast(t, wide, x), cast(t, wide, y)}), c = cast(t, wide, z);
    const Id sum = exact(OpFAdd, wide, {product, c});
    // The error of the sum, exactly (Knuth).
    const Id without = exact(OpFSub, wide, {sum, product});
    const Id lost = exact(OpFSub, wide, {product, exact(OpFSub, wide, {sum, without})});
    const Id error = exact(OpFAdd, wide, {lost, exact(OpFSub, wide, {c, without})});
    const Id u64 = code_.integer(64), zero = code_.number(wide, 0);
    const Id bits = word_of(wide, sum);
    const Id is_even =
        code_.boolean(OpIEqual, {code_.op(OpBitwiseAnd, u64, {bits, code_.whole(64, 1)}), code_.whole(64, 0)});
    const Id below = code_.boolean(OpFOrdLessThan, {error, zero}),
             above = code_.boolean(OpFOrdGreaterThan, {error, zero});
    const Id inexact = code_.boolean(OpLogicalOr, {below, above});
    const Id moves = code_.boolean(OpLogicalAnd, {is_even, inexact});
    // Toward the exact sum: down in size if the error and the sum have opposite signs.
    const Id negative = code_.boolean(OpFOrdLessThan, {sum, zero});
    const Id outward = code_.boolean(OpLogicalEqual, {negative, below});
    const Id one = code_.whole(64, 1);
    const Id moved = code_.select(u64, outward, code_.op(OpIAdd, u64, {bits, one}), code_.op(OpISub, u64, {bits, one}));
    return cast(wide, t, float_of(wide, code_.select(u64, moves, moved, bits)));
}

Id Arithmetic::real(RealOp op, Scalar t, Id x, Id y, Id z) {
    const Id type = code_.scalar(t);
    const auto direct = [&](uint32_t number) { return code_.extended(number, type, {x}); };
    const auto function = [&](uint32_t number) {
        if (t == Scalar::f64) code_.refuse("the target has no such function of f64");
        return y ? code_.extended(number, type, {x, y}) : code_.extended(number, type, {x});
    };
    switch (op) {
    case RealOp::fma: return fused(t, x, y, z);
    case RealOp::sqrt: return direct(glsl::Sqrt);
    case RealOp::rsqrt: return exact(spv::Op::OpFDiv, t, {code_.number(t, 1), direct(glsl::Sqrt)});
    case RealOp::floor: return direct(glsl::Floor);
    case RealOp::ceil: return direct(glsl::Ceil);
    case RealOp::trunc: return direct(glsl::Trunc);
    case RealOp::round: return rounded(t, x);
    case RealOp::atan2: return function(glsl::Atan2);
    case RealOp::exp: return function(glsl::Exp);
    case RealOp::log: return function(glsl::Log);
    case RealOp::log2: return function(glsl::Log2);
    case RealOp::sin: return function(glsl::Sin);
    case RealOp::cos: return function(glsl::Cos);
    case RealOp::tan: return function(glsl::Tan);
    case RealOp::asin: return function(glsl::Asin);
    case RealOp::acos: return function(glsl::Acos);
    case RealOp::atan: return function(glsl::Atan);
    case RealOp::tanh: return function(glsl::Tanh);
    }
    code_.refuse("no such function of floats");
}

} // namespace qd::codegen::spirv
