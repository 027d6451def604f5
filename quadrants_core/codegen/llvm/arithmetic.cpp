// Emits pure ops except the transcendental ones, exactly by the laws of ops.def. One code path serves scalars and vectors.
// lower_division and lower_pow have reduced integer ops to what LLVM's instructions compute.
#include "codegen/llvm/arithmetic.h"

#include "codegen/llvm/compat.h"
#include "codegen/llvm/task_frame.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

namespace qd::codegen {

using llvm::Intrinsic::ID;
namespace intrinsics = llvm::Intrinsic;

llvm::Value *Arithmetic::pure(Value v) {
    const ir::Inst &in = fn_[v];
    const Family family = ir::family(in.op);
    if (family != Family::plain && code_.arg_type(v, 0).elem == Scalar::f16)
        code_.refuse(v, "of f16 must be lowered first");
    switch (family) {
    case Family::arithmetic: return arithmetic(v);
    case Family::bits:
        return bits(BitsOp(in.op), code_.arg_type(v, 0), code_.arg(v, 0), in.args.size > 1 ? code_.arg(v, 1) : nullptr);
    case Family::comparison:
        return compare(ComparisonOp(in.op), code_.arg_type(v, 0), code_.arg(v, 0), code_.arg(v, 1));
    case Family::real: {
        llvm::Value *args[3] = {};
        for (size_t i = 0; i < in.args.size; ++i) args[i] = code_.arg(v, i);
        return real_function(RealOp(in.op), args[0], args[1], args[2]);
    }
    case Family::reduction:
        if (in.op == Op::reduce_add)
            if (llvm::Value *count = set_lanes(v)) return count;
        return reduce(ReductionOp(in.op), code_.arg_type(v, 0), code_.arg(v, 0));
    case Family::plain: return plain(v);
    case Family::meta:
    case Family::group:
    case Family::address:
    case Family::memory:
    case Family::atomic:
    case Family::packed:
    case Family::cell:
    case Family::step:
    case Family::outside:
    case Family::control:
    case Family::terminator: break;
    }
    code_.refuse(v, "has no machine code");
}

llvm::Value *Arithmetic::plain(Value v) {
    const ir::Inst &in = fn_[v];
    switch (PlainOp(in.op)) {
    case PlainOp::constant: return code_.constant(in.type, in.imm);
    case PlainOp::splat:
        return in.type.lanes > 1 ? b_.CreateVectorSplat(in.type.lanes, code_.arg(v, 0)) : code_.arg(v, 0);
    case PlainOp::iota: {
        std::vector<llvm::Constant *> lanes;
        llvm::Type *element = code_.scalar(in.type.elem);
        for (int i = 0; i < in.type.lanes; ++i)
            lanes.push_back(in.type.is_float() ? real(element, i) : integer(element, i));
        return in.type.lanes > 1 ? llvm::ConstantVector::get(lanes) : lanes[0];
    }
    case PlainOp::dim:
        return b_.CreateTrunc(
            code_.words.slot(abi::extent_slot(code_.slot_of(fn_.args(v)[0]), unsigned(in.imm)), b_.getInt64Ty()),
            b_.getInt32Ty());
    case PlainOp::chunk_begin:
    case PlainOp::chunk_end:
    case PlainOp::chunk_step: return code_.frame->range(v);
    case PlainOp::select: return b_.CreateSelect(code_.arg(v, 0), code_.arg(v, 1), code_.arg(v, 2));
    case PlainOp::cast: {
        const Type from = code_.arg_type(v, 0);
        if (from.elem != in.type.elem && (from.elem == Scalar::f16 || in.type.elem == Scalar::f16) &&
            from.elem != Scalar::f32 && in.type.elem != Scalar::f32)
            code_.refuse(v, "of f16 must be lowered first");
        if (const auto wide = code_.wide.find(fn_.args(v)[0].id);
            wide != code_.wide.end() && in.type == Type(Scalar::i64))
            return wide->second;
        llvm::Value *x = code_.arg(v, 0);
        // LLVM treats an integer that is converted to half and then to a wider type as unchanged if its significant bits fit,
        // though it may round to infinity. LLVM may also find out that a number is an integer.
        if (in.type.elem == Scalar::f16 && !code_.target.plain) x = b_.CreateArithmeticFence(x, x->getType());
        return cast(from, in.type, x);
    }
    case PlainOp::bitcast: return b_.CreateBitCast(code_.arg(v, 0), code_.type(in.type));
    }
    code_.refuse(v, "has no machine code");
}

llvm::Value *Arithmetic::arithmetic(Value v) {
    const ArithmeticOp op = ArithmeticOp(fn_[v].op);
    const Type t = code_.arg_type(v, 0);
    llvm::Value *x = code_.arg(v, 0), *y = fn_[v].args.size > 1 ? code_.arg(v, 1) : nullptr;
    if (!t.is_float()) return on_integers(op, t, x, y);
    return on_floats(op, x, y);
}

/// NaN loses, -0 < +0. Does not use LLVM's minimumnum and maximumnum, which mean this: on x86 with AVX-512 (LLVM 22) they
/// return the NaN where the other operand is known not to be one.
llvm::Value *Arithmetic::extreme(bool greater, llvm::Value *x, llvm::Value *y) {
    if (code_.target.plain)
        if (llvm::Value *plain = code_.target.plain->extreme(b_, greater, !fn_.fast_math, x, y)) return plain;
    if (fn_.fast_math) return intrinsic(greater ? intrinsics::maxnum : intrinsics::minnum, x, y);
    llvm::Value *ordered = intrinsic(greater ? intrinsics::maximum : intrinsics::minimum, x, y);
    llvm::Value *or_x = b_.CreateSelect(b_.CreateFCmpUNO(y, y), x, ordered);
    return b_.CreateSelect(b_.CreateFCmpUNO(x, x), y, or_x);
}

llvm::Value *Arithmetic::extreme_int(bool greater, bool is_signed, llvm::Value *x, llvm::Value *y) {
    if (code_.target.plain)
        if (llvm::Value *plain = code_.target.plain->extreme_int(b_, greater, is_signed, x, y)) return plain;
    const ID with_sign = greater ? intrinsics::smax : intrinsics::smin,
             id = greater ? intrinsics::umax : intrinsics::umin;
    return b_.CreateBinaryIntrinsic(is_signed ? with_sign : id, x, y);
}

/// The flag for approximate functions is for known exponents. With it, an exponent that is a converted integer would become a
/// call of __powisf2, a function of the compiler's own runtime that none of our libraries has.
llvm::Value *Arithmetic::power(llvm::Value *x, llvm::Value *y) {
    need_functions("pow");
    llvm::IRBuilder<>::FastMathFlagGuard guard(b_);
    if (!llvm::isa<llvm::Constant>(y)) b_.getFastMathFlags().setApproxFunc(false);
    return intrinsic(intrinsics::pow, x, y);
}

llvm::Value *Arithmetic::on_floats(ArithmeticOp op, llvm::Value *x, llvm::Value *y) {
    switch (op) {
    case ArithmeticOp::add: return b_.CreateFAdd(x, y);
    case ArithmeticOp::sub: return b_.CreateFSub(x, y);
    case ArithmeticOp::mul: return b_.CreateFMul(x, y);
    case ArithmeticOp::div: return b_.CreateFDiv(x, y);
    case ArithmeticOp::rem:
        need_functions("rem");
        code_.apart();
        return b_.CreateFRem(x, y);
    case ArithmeticOp::floordiv: return floor_division(true, x, y);
    case ArithmeticOp::mod: return floor_division(false, x, y);
    case ArithmeticOp::pow: return power(x, y);
    case ArithmeticOp::min: return extreme(false, x, y);
    case ArithmeticOp::max: return extreme(true, x, y);
    case ArithmeticOp::neg: return b_.CreateFNeg(x);
    case ArithmeticOp::abs:
        if (code_.target.plain)
            if (llvm::Value *plain = code_.target.plain->abs(b_, x)) return plain;
        return intrinsic(intrinsics::fabs, x);
    case ArithmeticOp::sign: {
        llvm::Type *t = x->getType();
        llvm::Value *one = intrinsic(intrinsics::copysign, real(t, 1), x);
        return b_.CreateSelect(b_.CreateFCmpONE(x, real(t, 0)), one, x);
    }
    }
    code_.refuse({}, "no such operation on floats");
}

llvm::Value *Arithmetic::on_integers(ArithmeticOp op, Type t, llvm::Value *x, llvm::Value *y) {
    const bool is_signed = ir::is_signed(t.elem);
    switch (op) {
    case ArithmeticOp::add: return b_.CreateAdd(x, y);
    case ArithmeticOp::sub: return b_.CreateSub(x, y);
    case ArithmeticOp::mul: return b_.CreateMul(x, y);
    case ArithmeticOp::div: return is_signed ? b_.CreateSDiv(x, y) : b_.CreateUDiv(x, y);
    case ArithmeticOp::rem: return is_signed ? b_.CreateSRem(x, y) : b_.CreateURem(x, y);
    case ArithmeticOp::floordiv:
    case ArithmeticOp::mod:
    case ArithmeticOp::pow: code_.refuse({}, std::string(ir::info(Op(op)).name) + " of integers must be lowered first");
    case ArithmeticOp::min: return extreme_int(false, is_signed, x, y);
    case ArithmeticOp::max: return extreme_int(true, is_signed, x, y);
    case ArithmeticOp::neg: return b_.CreateNeg(x);
    case ArithmeticOp::abs:
        if (!is_signed) return x;
        if (code_.target.plain)
            if (llvm::Value *plain = code_.target.plain->abs(b_, x)) return plain;
        return b_.CreateBinaryIntrinsic(intrinsics::abs, x, b_.getFalse());
    case ArithmeticOp::sign: {
        llvm::Value *zero = llvm::Constant::getNullValue(x->getType());
        if (!is_signed) return b_.CreateZExtOrTrunc(b_.CreateICmpNE(x, zero), x->getType());
        llvm::Value *positive = b_.CreateZExt(b_.CreateICmpSGT(x, zero), x->getType());
        llvm::Value *negative = b_.CreateZExt(b_.CreateICmpSLT(x, zero), x->getType());
        return b_.CreateSub(positive, negative);
    }
    }
    code_.refuse({}, "no such operation on integers");
}

llvm::Value *Arithmetic::bits(BitsOp op, Type t, llvm::Value *x, llvm::Value *y) {
    const auto count = [&] { return b_.CreateAnd(y, llvm::ConstantInt::get(y->getType(), ir::bits_of(t.elem) - 1)); };
    switch (op) {
    case BitsOp::band: return b_.CreateAnd(x, y);
    case BitsOp::bor: return b_.CreateOr(x, y);
    case BitsOp::bxor: return b_.CreateXor(x, y);
    case BitsOp::bnot: return b_.CreateNot(x);
    case BitsOp::shl: return b_.CreateShl(x, count());
    case BitsOp::shr: return ir::is_signed(t.elem) ? b_.CreateAShr(x, count()) : b_.CreateLShr(x, count());
    case BitsOp::ushr: return b_.CreateLShr(x, count());
    case BitsOp::popcnt: return t.is_bool() ? x : b_.CreateUnaryIntrinsic(intrinsics::ctpop, x);
    case BitsOp::clz:
        return t.is_bool() ? b_.CreateNot(x) : b_.CreateBinaryIntrinsic(intrinsics::ctlz, x, b_.getFalse());
    }
    code_.refuse({}, "no such operation on integers");
}

llvm::Value *Arithmetic::compare(ComparisonOp op, Type t, llvm::Value *x, llvm::Value *y) {
    using P = llvm::CmpInst::Predicate;
    const auto pick = [&](P real, P with_sign, P without) {
        return b_.CreateCmp(t.is_float() ? real : t.is_int() && ir::is_signed(t.elem) ? with_sign : without, x, y);
    };
    switch (op) {
    case ComparisonOp::lt: return pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
    case ComparisonOp::le: return pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
    case ComparisonOp::gt: return pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT);
    case ComparisonOp::ge: return pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE);
    case ComparisonOp::eq: return pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
    case ComparisonOp::ne: return pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
    }
    code_.refuse({}, "unknown comparison");
}

llvm::Value *Arithmetic::cast(Type from, Type to, llvm::Value *x) {
    if (from.elem == to.elem) return x;
    llvm::Type *target = code_.type(to);
    bool from_signed = from.is_int() && ir::is_signed(from.elem);
    if (to.is_bool()) {
        llvm::Constant *zero = llvm::Constant::getNullValue(x->getType());
        return from.is_float() ? b_.CreateFCmpUNE(x, zero) : b_.CreateICmpNE(x, zero);
    }
    if (from.is_float() && to.is_float()) return b_.CreateFPCast(x, target);
    if (from.is_float()) {
        ID id = ir::is_signed(to.elem) ? intrinsics::fptosi_sat : intrinsics::fptoui_sat;
        if (code_.target.plain)
            if (llvm::Value *plain = code_.target.plain->to_int(b_, to.elem, x)) return plain;
        return b_.CreateIntrinsic(id, {target, x->getType()}, {x});
    }
    if (to.is_float()) return from_signed ? b_.CreateSIToFP(x, target) : b_.CreateUIToFP(x, target);
    return b_.CreateIntCast(x, target, from_signed);
}

/// Returns the sum of a condition over its lanes as the population count of one word; null if the operand is not a condition.
llvm::Value *Arithmetic::set_lanes(Value sum) {
    const Value ones = fn_.args(sum)[0];
    if (fn_[ones].op != Op::cast || !fn_.type(ones).is_int() || fn_.type(ones).lanes == 1) return nullptr;
    const Type condition = code_.arg_type(ones, 0);
    if (!condition.is_bool()) return nullptr;
    llvm::Value *lanes = code_.at_hand(fn_.args(ones)[0]);
    if (!lanes) return nullptr;
    llvm::Value *word = b_.CreateBitCast(lanes, b_.getIntNTy(condition.lanes));
    return b_.CreateIntCast(b_.CreateUnaryIntrinsic(intrinsics::ctpop, word), code_.type(fn_.type(sum)), false);
}

llvm::Value *Arithmetic::reduce(ReductionOp op, Type t, llvm::Value *x) {
    if (t.lanes == 1) return x;
    bool is_signed = ir::is_signed(t.elem);
    if (t.is_bool()) { // one word of bits
        llvm::Value *word = b_.CreateBitCast(x, b_.getIntNTy(t.lanes));
        if (op == ReductionOp::reduce_min)
            return b_.CreateICmpEQ(word, llvm::Constant::getAllOnesValue(word->getType()));
        if (op == ReductionOp::reduce_add) word = b_.CreateAnd(b_.CreateUnaryIntrinsic(intrinsics::ctpop, word), 1);
        return b_.CreateICmpNE(word, llvm::Constant::getNullValue(word->getType()));
    }
    switch (op) {
    case ReductionOp::reduce_add:
        if (!t.is_float()) return b_.CreateAddReduce(x);
        return b_.CreateFAddReduce(real(code_.scalar(t.elem), -0.0), x);
    case ReductionOp::reduce_min: return t.is_float() ? b_.CreateFPMinReduce(x) : b_.CreateIntMinReduce(x, is_signed);
    case ReductionOp::reduce_max: return t.is_float() ? b_.CreateFPMaxReduce(x) : b_.CreateIntMaxReduce(x, is_signed);
    }
    code_.refuse({}, "unknown reduction");
}

} // namespace qd::codegen
