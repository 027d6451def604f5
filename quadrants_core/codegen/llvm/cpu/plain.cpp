// Emits operations in instructions that LLVM's FastISel supports. Everything else goes through the slow selector, SelectionDAG:
// an intrinsic alone, any other instruction together with all that precedes it in its block.
#include "codegen/llvm/cpu/plain.h"

#include "codegen/llvm/task_code.h"

#include <cmath>

namespace qd::codegen {

namespace {

bool is_plain_float(llvm::Value *x) { return x->getType()->isFloatTy() || x->getType()->isDoubleTy(); }
bool is_plain_word(llvm::Value *x) { return x->getType()->isIntegerTy(32) || x->getType()->isIntegerTy(64); }

class FastForms final : public PlainForms {
  public:
    llvm::Value *extreme(llvm::IRBuilder<> &b, bool greater, bool exact, llvm::Value *x, llvm::Value *y) const override;
    llvm::Value *extreme_int(llvm::IRBuilder<> &b, bool greater, bool is_signed, llvm::Value *x,
                             llvm::Value *y) const override;
    llvm::Value *abs(llvm::IRBuilder<> &b, llvm::Value *x) const override;
    llvm::Value *to_int(llvm::IRBuilder<> &b, Scalar to, llvm::Value *x) const override;
};

llvm::Value *FastForms::extreme(llvm::IRBuilder<> &b, bool greater, bool exact, llvm::Value *x, llvm::Value *y) const {
    if (!is_plain_float(x)) return nullptr;
    if (llvm::isa<llvm::ConstantFP>(x)) std::swap(x, y);
    const auto *bound = llvm::dyn_cast<llvm::ConstantFP>(y);
    llvm::Value *first = greater ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
    llvm::Value *result = b.CreateSelect(first, x, y); // y if one is NaN or they are equal
    if (exact && !(bound && !bound->isZero())) {
        llvm::Type *word = b.getIntNTy(x->getType()->getPrimitiveSizeInBits());
        llvm::Value *bits_x = b.CreateBitCast(x, word), *bits_y = b.CreateBitCast(y, word);
        llvm::Value *both = greater ? b.CreateAnd(bits_x, bits_y) : b.CreateOr(bits_x, bits_y);
        llvm::Value *zero = b.CreateBitCast(both, x->getType());
        result = b.CreateSelect(b.CreateFCmpOEQ(x, y), zero, result);
    }
    return bound && !bound->isNaN() ? result : b.CreateSelect(b.CreateFCmpUNO(y, y), x, result);
}

llvm::Value *FastForms::extreme_int(llvm::IRBuilder<> &b, bool greater, bool is_signed, llvm::Value *x,
                                    llvm::Value *y) const {
    if (!is_plain_word(x)) return nullptr;
    using P = llvm::CmpInst::Predicate;
    const P signed_order = greater ? P::ICMP_SGT : P::ICMP_SLT, order = greater ? P::ICMP_UGT : P::ICMP_ULT;
    return b.CreateSelect(b.CreateICmp(is_signed ? signed_order : order, x, y), x, y);
}

llvm::Value *FastForms::abs(llvm::IRBuilder<> &b, llvm::Value *x) const {
    if (is_plain_word(x)) {
        llvm::Value *negative = b.CreateICmpSLT(x, llvm::Constant::getNullValue(x->getType()));
        return b.CreateSelect(negative, b.CreateNeg(x), x);
    }
    if (!is_plain_float(x)) return nullptr;
    const unsigned width = unsigned(x->getType()->getPrimitiveSizeInBits());
    llvm::Value *bits = b.CreateBitCast(x, b.getIntNTy(width));
    return b.CreateBitCast(b.CreateAnd(bits, b.getInt(llvm::APInt::getSignedMaxValue(width))), x->getType());
}

llvm::Value *FastForms::to_int(llvm::IRBuilder<> &b, Scalar to, llvm::Value *x) const {
    const unsigned bits = unsigned(ir::bits_of(to));
    const bool is_signed = ir::is_signed(to);
    if (!is_plain_float(x) || (!is_signed && bits == 64)) return nullptr;
    llvm::Type *wide = bits < 32 || (bits == 32 && is_signed) ? b.getInt32Ty() : b.getInt64Ty();
    const unsigned width = wide->getIntegerBitWidth();
    using llvm::APInt;
    const APInt least = is_signed ? APInt::getSignedMinValue(bits).sext(width) : APInt(width, 0);
    const APInt greatest =
        is_signed ? APInt::getSignedMaxValue(bits).sext(width) : APInt::getMaxValue(bits).zext(width);
    llvm::Value *result = b.CreateFreeze(b.CreateFPToSI(x, wide));
    llvm::Value *above = b.CreateFCmpOGE(x, real(x->getType(), std::ldexp(1.0, int(bits) - is_signed)));
    result = b.CreateSelect(above, b.getInt(greatest), result);
    llvm::Value *below = b.CreateFCmpOLE(x, real(x->getType(), is_signed ? -std::ldexp(1.0, int(bits) - 1) : 0.0));
    result = b.CreateSelect(below, b.getInt(least), result);
    result = b.CreateSelect(b.CreateFCmpUNO(x, x), llvm::ConstantInt::get(wide, 0), result);
    return b.CreateTrunc(result, b.getIntNTy(bits));
}

} // namespace

const PlainForms &plain_forms() {
    static const FastForms forms;
    return forms;
}

} // namespace qd::codegen
