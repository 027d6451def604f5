// Emits operations in instructions that LLVM's FastISel supports. Everything else goes through the slow selector, SelectionDAG:
// an intrinsic alone, any other instruction together with all that precedes it in its block.
#include "codegen/llvm/arithmetic.h"

#include <cmath>

namespace qd::codegen {

namespace {

bool is_plain_float(llvm::Value *x) { return x->getType()->isFloatTy() || x->getType()->isDoubleTy(); }
bool is_plain_word(llvm::Value *x) { return x->getType()->isIntegerTy(32) || x->getType()->isIntegerTy(64); }

} // namespace

/// NaN loses; the sign of a zero matters only if `exact`.
llvm::Value *Arithmetic::plain_extreme(bool greater, bool exact, llvm::Value *x, llvm::Value *y) {
    if (!is_plain_float(x)) return nullptr;
    if (llvm::isa<llvm::ConstantFP>(x)) std::swap(x, y);
    const auto *bound = llvm::dyn_cast<llvm::ConstantFP>(y);
    llvm::Value *first = greater ? b_.CreateFCmpOGT(x, y) : b_.CreateFCmpOLT(x, y);
    llvm::Value *result = b_.CreateSelect(first, x, y); // y if one is NaN or they are equal
    if (exact && !(bound && !bound->isZero())) {
        llvm::Type *word = b_.getIntNTy(x->getType()->getPrimitiveSizeInBits());
        llvm::Value *bits_x = b_.CreateBitCast(x, word), *bits_y = b_.CreateBitCast(y, word);
        llvm::Value *both = greater ? b_.CreateAnd(bits_x, bits_y) : b_.CreateOr(bits_x, bits_y);
        llvm::Value *zero = b_.CreateBitCast(both, x->getType());
        result = b_.CreateSelect(b_.CreateFCmpOEQ(x, y), zero, result);
    }
    return bound && !bound->isNaN() ? result : b_.CreateSelect(b_.CreateFCmpUNO(y, y), x, result);
}

llvm::Value *Arithmetic::plain_extreme_int(bool greater, bool is_signed, llvm::Value *x, llvm::Value *y) {
    if (!is_plain_word(x)) return nullptr;
    using P = llvm::CmpInst::Predicate;
    const P signed_order = greater ? P::ICMP_SGT : P::ICMP_SLT, order = greater ? P::ICMP_UGT : P::ICMP_ULT;
    return b_.CreateSelect(b_.CreateICmp(is_signed ? signed_order : order, x, y), x, y);
}

llvm::Value *Arithmetic::plain_abs(llvm::Value *x) {
    if (is_plain_word(x)) {
        llvm::Value *negative = b_.CreateICmpSLT(x, llvm::Constant::getNullValue(x->getType()));
        return b_.CreateSelect(negative, b_.CreateNeg(x), x);
    }
    if (!is_plain_float(x)) return nullptr;
    const unsigned width = unsigned(x->getType()->getPrimitiveSizeInBits());
    llvm::Value *bits = b_.CreateBitCast(x, b_.getIntNTy(width));
    return b_.CreateBitCast(b_.CreateAnd(bits, b_.getInt(llvm::APInt::getSignedMaxValue(width))), x->getType());
}

/// Saturates; NaN becomes 0.
llvm::Value *Arithmetic::plain_to_int(Scalar to, llvm::Value *x) {
    const unsigned bits = unsigned(ir::bits_of(to));
    const bool is_signed = ir::is_signed(to);
    if (!is_plain_float(x) || (!is_signed && bits == 64)) return nullptr;
    llvm::Type *wide = bits < 32 || (bits == 32 && is_signed) ? b_.getInt32Ty() : b_.getInt64Ty();
    const unsigned width = wide->getIntegerBitWidth();
    using llvm::APInt;
    const APInt least = is_signed ? APInt::getSignedMinValue(bits).sext(width) : APInt(width, 0);
    const APInt greatest =
        is_signed ? APInt::getSignedMaxValue(bits).sext(width) : APInt::getMaxValue(bits).zext(width);
    llvm::Value *result = b_.CreateFreeze(b_.CreateFPToSI(x, wide));
    llvm::Value *above = b_.CreateFCmpOGE(x, real(x->getType(), std::ldexp(1.0, int(bits) - is_signed)));
    result = b_.CreateSelect(above, b_.getInt(greatest), result);
    llvm::Value *below = b_.CreateFCmpOLE(x, real(x->getType(), is_signed ? -std::ldexp(1.0, int(bits) - 1) : 0.0));
    result = b_.CreateSelect(below, b_.getInt(least), result);
    result = b_.CreateSelect(b_.CreateFCmpUNO(x, x), llvm::ConstantInt::get(wide, 0), result);
    return b_.CreateTrunc(result, b_.getIntNTy(bits));
}

} // namespace qd::codegen
