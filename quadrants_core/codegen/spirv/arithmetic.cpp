#include "codegen/spirv/arithmetic.h"

#include "codegen/spirv/glsl.h"

namespace qd::codegen::spirv {

using ir::ArithmeticOp;
using ir::BitsOp;
using ir::ComparisonOp;
using ir::PlainOp;
using ir::RealOp;
using spv::Op::OpBitwiseAnd;
using spv::Op::OpBitwiseOr;
using spv::Op::OpLogicalAnd;
using spv::Op::OpLogicalNot;
using spv::Op::OpLogicalNotEqual;
using spv::Op::OpLogicalOr;

Id Arithmetic::pure(Value v) {
    const ir::Inst &in = fn_[v];
    const Family family = ir::family(in.op);
    if (family == Family::plain) return plain(v);
    const Type t = code_.arg_type(v, 0);
    if (t.lanes > 1) code_.refuse("a device has no vectors");
    if (t.elem == Scalar::f16) code_.refuse("of f16 must be lowered first");
    Id args[3] = {};
    for (size_t i = 0; i < in.args.size && i < 3; ++i) args[i] = code_.arg(v, i);
    if (family == Family::comparison) return compare(ComparisonOp(in.op), t.elem, args[0], args[1]);
    if (family == Family::real) return real(RealOp(in.op), t.elem, args[0], args[1], args[2]);
    return binary(in.op, t.elem, args[0], args[1]);
}

Id Arithmetic::binary(Op op, Scalar t, Id x, Id y) {
    if (t == Scalar::u1) return on_bools(op, x, y);
    if (ir::family(op) == Family::bits) return bits(BitsOp(op), t, x, y);
    return ir::is_float(t) ? on_floats(op, t, x, y) : on_integers(op, t, x, y);
}

Id Arithmetic::plain(Value v) {
    const ir::Inst &in = fn_[v];
    if (in.type.lanes > 1) code_.refuse("a device has no vectors");
    switch (PlainOp(in.op)) {
    case PlainOp::constant: return code_.constant(in.type.elem, in.imm);
    case PlainOp::splat: return code_.arg(v, 0);
    case PlainOp::iota: return code_.number(in.type.elem, 0);
    case PlainOp::dim: return frame_.extent(fn_.args(v)[0], uint32_t(in.imm));
    case PlainOp::chunk_begin:
    case PlainOp::chunk_end:
    case PlainOp::chunk_step: return frame_.range(in.op);
    case PlainOp::select: return code_.select(code_.type(in.type), code_.arg(v, 0), code_.arg(v, 1), code_.arg(v, 2));
    case PlainOp::cast: return cast(code_.arg_type(v, 0).elem, in.type.elem, code_.arg(v, 0));
    case PlainOp::bitcast: return bitcast(code_.arg_type(v, 0).elem, in.type.elem, code_.arg(v, 0));
    }
    code_.refuse("has no instructions");
}

/// Arithmetic modulo 2. Shift counts are modulo 1.
Id Arithmetic::on_bools(Op op, Id x, Id y) {
    if (ir::family(op) == Family::bits) {
        switch (BitsOp(op)) {
        case BitsOp::band: return code_.boolean(OpLogicalAnd, {x, y});
        case BitsOp::bor: return code_.boolean(OpLogicalOr, {x, y});
        case BitsOp::bxor: return code_.boolean(OpLogicalNotEqual, {x, y});
        case BitsOp::bnot:
        case BitsOp::clz: return code_.boolean(OpLogicalNot, {x});
        case BitsOp::shl:
        case BitsOp::shr:
        case BitsOp::ushr:
        case BitsOp::popcnt: return x;
        }
    }
    switch (ArithmeticOp(op)) {
    case ArithmeticOp::add:
    case ArithmeticOp::sub: return code_.boolean(OpLogicalNotEqual, {x, y});
    case ArithmeticOp::mul:
    case ArithmeticOp::min: return code_.boolean(OpLogicalAnd, {x, y});
    case ArithmeticOp::max: return code_.boolean(OpLogicalOr, {x, y});
    case ArithmeticOp::neg:
    case ArithmeticOp::abs:
    case ArithmeticOp::sign: return x;
    case ArithmeticOp::div:
    case ArithmeticOp::rem:
    case ArithmeticOp::floordiv:
    case ArithmeticOp::mod:
    case ArithmeticOp::pow: break;
    }
    code_.refuse("of u1 must be lowered first");
}

Id Arithmetic::on_integers(Op op, Scalar t, Id x, Id y) {
    const bool is_signed = ir::is_signed(t);
    const Id type = code_.scalar(t);
    const auto apply = [&](spv::Op code) { return code_.op(code, type, {x, y}); };
    const auto less = [&](Id a, Id b) {
        return code_.boolean(is_signed ? spv::Op::OpSLessThan : spv::Op::OpULessThan, {a, b});
    };
    const Id zero = code_.constant(t, 0);
    switch (ArithmeticOp(op)) {
    case ArithmeticOp::add: return apply(spv::Op::OpIAdd);
    case ArithmeticOp::sub: return apply(spv::Op::OpISub);
    case ArithmeticOp::mul: return apply(spv::Op::OpIMul);
    case ArithmeticOp::div: return apply(is_signed ? spv::Op::OpSDiv : spv::Op::OpUDiv);
    case ArithmeticOp::rem: {
        if (!is_signed) return apply(spv::Op::OpUMod);
        // Vulkan leaves OpSRem of negative numbers undefined.
        const Id quotient = apply(spv::Op::OpSDiv);
        const Id product = code_.op(spv::Op::OpIMul, type, {quotient, y});
        return code_.op(spv::Op::OpISub, type, {x, product});
    }
    case ArithmeticOp::floordiv:
    case ArithmeticOp::mod:
    case ArithmeticOp::pow: code_.refuse("of integers must be lowered first");
    case ArithmeticOp::min: return code_.select(type, less(x, y), x, y);
    case ArithmeticOp::max: return code_.select(type, less(x, y), y, x);
    case ArithmeticOp::neg: return code_.op(spv::Op::OpSNegate, type, {x});
    case ArithmeticOp::abs:
        if (!is_signed) return x;
        return code_.select(type, less(x, zero), code_.op(spv::Op::OpSNegate, type, {x}), x);
    case ArithmeticOp::sign: {
        const Id one = code_.constant(t, 1);
        const Id positive = code_.select(type, less(zero, x), one, zero);
        return is_signed ? code_.select(type, less(x, zero), code_.constant(t, UINT64_MAX), positive) : positive;
    }
    }
    code_.refuse("no such operation on integers");
}

Id Arithmetic::exact(spv::Op op, Scalar t, Words operands) {
    const Id result = code_.op(op, code_.scalar(t), operands);
    code_.module.decorate(result, spv::Decoration::NoContraction);
    return result;
}

Id Arithmetic::on_floats(Op op, Scalar t, Id x, Id y) {
    const Id type = code_.scalar(t);
    switch (ArithmeticOp(op)) {
    case ArithmeticOp::add: return exact(spv::Op::OpFAdd, t, {x, y});
    case ArithmeticOp::sub: return exact(spv::Op::OpFSub, t, {x, y});
    case ArithmeticOp::mul: return exact(spv::Op::OpFMul, t, {x, y});
    case ArithmeticOp::div: return exact(spv::Op::OpFDiv, t, {x, y});
    case ArithmeticOp::rem:
    case ArithmeticOp::floordiv:
    case ArithmeticOp::mod:
    case ArithmeticOp::pow: code_.refuse("the target has no such function of floats");
    case ArithmeticOp::min: return extreme(false, t, x, y);
    case ArithmeticOp::max: return extreme(true, t, x, y);
    case ArithmeticOp::neg: return exact(spv::Op::OpFNegate, t, {x});
    case ArithmeticOp::abs: return code_.extended(glsl::FAbs, type, {x});
    case ArithmeticOp::sign: {
        const Id zero = code_.number(t, 0);
        const Id above = code_.boolean(spv::Op::OpFOrdGreaterThan, {x, zero});
        const Id below = code_.boolean(spv::Op::OpFOrdLessThan, {x, zero});
        const Id negative = code_.select(type, below, code_.number(t, -1), x);
        return code_.select(type, above, code_.number(t, 1), negative);
    }
    }
    code_.refuse("no such operation on floats");
}

/// NaN loses; without fast_math, -0 < +0: equal operands are combined bit by bit.
Id Arithmetic::extreme(bool greater, Scalar t, Id x, Id y) {
    const Id type = code_.scalar(t);
    const Id wins = code_.boolean(greater ? spv::Op::OpFOrdGreaterThan : spv::Op::OpFOrdLessThan, {x, y});
    const Id alone = code_.boolean(spv::Op::OpIsNan, {y});
    const Id takes_x = code_.boolean(OpLogicalOr, {wins, alone});
    const Id chosen = code_.select(type, takes_x, x, y);
    if (fn_.fast_math) return chosen;
    const Id equal = code_.boolean(spv::Op::OpFOrdEqual, {x, y});
    const Id both = code_.op(greater ? OpBitwiseAnd : OpBitwiseOr, code_.integer(bits_in_memory(t)),
                             {word_of(t, x), word_of(t, y)});
    return code_.select(type, equal, float_of(t, both), chosen);
}

Id Arithmetic::low(Id word) { return code_.op(spv::Op::OpUConvert, code_.integer(32), {word}); }
Id Arithmetic::high(Id word) {
    return low(code_.op(spv::Op::OpShiftRightLogical, code_.integer(64), {word, code_.whole(64, 32)}));
}

/// The count as u32. SPIR-V of Vulkan counts bits of 32-bit words only.
Id Arithmetic::count_ones(unsigned width, Id x) {
    const Id u32 = code_.integer(32);
    if (width == 32) return code_.op(spv::Op::OpBitCount, u32, {x});
    if (width < 32) return count_ones(32, code_.op(spv::Op::OpUConvert, u32, {x}));
    const Id in_low = count_ones(32, low(x)), in_high = count_ones(32, high(x));
    return code_.op(spv::Op::OpIAdd, u32, {in_low, in_high});
}

/// The count as u32.
Id Arithmetic::leading_zeros(unsigned width, Id x) {
    const Id u32 = code_.integer(32);
    if (width == 32) {
        const Id highest = code_.extended(glsl::FindUMsb, u32, {x}); // -1 for 0
        return code_.op(spv::Op::OpISub, u32, {code_.whole(32, 31), highest});
    }
    if (width < 32) {
        const Id zeros = leading_zeros(32, code_.op(spv::Op::OpUConvert, u32, {x}));
        return code_.op(spv::Op::OpISub, u32, {zeros, code_.whole(32, 32 - width)});
    }
    const Id upper = high(x), in_upper = leading_zeros(32, upper), in_lower = leading_zeros(32, low(x));
    const Id more = code_.op(spv::Op::OpIAdd, u32, {in_lower, code_.whole(32, 32)});
    const Id none = code_.boolean(spv::Op::OpIEqual, {upper, code_.whole(32, 0)});
    return code_.select(u32, none, more, in_upper);
}

/// SPIR-V leaves shifts by the width and more undefined.
Id Arithmetic::shift(spv::Op op, Scalar t, Id x, Id by) {
    const Id type = code_.scalar(t);
    const Id count = code_.op(OpBitwiseAnd, type, {by, code_.constant(t, uint64_t(ir::bits_of(t)) - 1)});
    return code_.op(op, type, {x, count});
}

Id Arithmetic::bits(BitsOp op, Scalar t, Id x, Id y) {
    const Id type = code_.scalar(t);
    const unsigned width = bits_in_memory(t);
    const auto converted = [&](Id count) { return width == 32 ? count : code_.op(spv::Op::OpUConvert, type, {count}); };
    switch (op) {
    case BitsOp::band: return code_.op(OpBitwiseAnd, type, {x, y});
    case BitsOp::bor: return code_.op(OpBitwiseOr, type, {x, y});
    case BitsOp::bxor: return code_.op(spv::Op::OpBitwiseXor, type, {x, y});
    case BitsOp::bnot: return code_.op(spv::Op::OpNot, type, {x});
    case BitsOp::shl: return shift(spv::Op::OpShiftLeftLogical, t, x, y);
    case BitsOp::shr:
        return shift(ir::is_signed(t) ? spv::Op::OpShiftRightArithmetic : spv::Op::OpShiftRightLogical, t, x, y);
    case BitsOp::ushr: return shift(spv::Op::OpShiftRightLogical, t, x, y);
    case BitsOp::popcnt: return converted(count_ones(width, x));
    case BitsOp::clz: return converted(leading_zeros(width, x));
    }
    code_.refuse("no such operation on integers");
}

Id Arithmetic::compare_bools(ComparisonOp op, Id x, Id y) {
    const auto negated = [&](Id c) { return code_.boolean(OpLogicalNot, {c}); };
    switch (op) {
    case ComparisonOp::lt: return code_.boolean(OpLogicalAnd, {negated(x), y});
    case ComparisonOp::le: return code_.boolean(OpLogicalOr, {negated(x), y});
    case ComparisonOp::gt: return code_.boolean(OpLogicalAnd, {x, negated(y)});
    case ComparisonOp::ge: return code_.boolean(OpLogicalOr, {x, negated(y)});
    case ComparisonOp::eq: return code_.boolean(spv::Op::OpLogicalEqual, {x, y});
    case ComparisonOp::ne: return code_.boolean(OpLogicalNotEqual, {x, y});
    }
    code_.refuse("unknown comparison");
}

Id Arithmetic::compare(ComparisonOp op, Scalar t, Id x, Id y) {
    if (t == Scalar::u1) return compare_bools(op, x, y);
    const auto pick = [&](spv::Op real, spv::Op with_sign, spv::Op without) {
        return code_.boolean(ir::is_float(t) ? real : ir::is_signed(t) ? with_sign : without, {x, y});
    };
    using enum spv::Op;
    switch (op) {
    case ComparisonOp::lt: return pick(OpFOrdLessThan, OpSLessThan, OpULessThan);
    case ComparisonOp::le: return pick(OpFOrdLessThanEqual, OpSLessThanEqual, OpULessThanEqual);
    case ComparisonOp::gt: return pick(OpFOrdGreaterThan, OpSGreaterThan, OpUGreaterThan);
    case ComparisonOp::ge: return pick(OpFOrdGreaterThanEqual, OpSGreaterThanEqual, OpUGreaterThanEqual);
    case ComparisonOp::eq: return pick(OpFOrdEqual, OpIEqual, OpIEqual);
    case ComparisonOp::ne: return pick(OpFUnordNotEqual, OpINotEqual, OpINotEqual);
    }
    code_.refuse("unknown comparison");
}

} // namespace qd::codegen::spirv
