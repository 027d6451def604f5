// `//` and `%` of floats (base/floor_division.h): a quotient, its floor and a fused step, which are exact if the quotient is
// small. Other cases call functions of backends/cpu/externals.cpp.
//
// Let q be x / y rounded, y > 0, and n = floor(q) an exact integer. Rounding moves a quotient at most up to an integer, never
// past one, so n is right or one too large. x - n * y is exact in one fused step, and negative if n is too large; then x - n *
// y + y is the remainder.
#include "codegen/llvm/arithmetic.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

namespace qd::codegen {

namespace intrinsics = llvm::Intrinsic;

llvm::Value *Arithmetic::floor_division(bool quotient, llvm::Value *x, llvm::Value *y) {
    const char *name = quotient ? "qd_floor_div" : "qd_floor_mod";
    if (code_.target.plain) return call_for_lanes(name, {x, y});
    llvm::IRBuilder<>::FastMathFlagGuard guard(b_);
    b_.clearFastMathFlags();
    llvm::Type *t = x->getType();
    llvm::Type *word = t->getWithNewType(b_.getIntNTy(t->getScalarSizeInBits()));
    llvm::Value *sign = b_.CreateAnd(b_.CreateBitCast(y, word), llvm::APInt::getSignMask(t->getScalarSizeInBits()));
    llvm::Value *size = intrinsic(intrinsics::fabs, y);
    llvm::Value *turned = b_.CreateBitCast(b_.CreateXor(b_.CreateBitCast(x, word), sign), t); // x where y > 0, else -x
    llvm::Value *ratio = b_.CreateFDiv(turned, size);
    llvm::Value *whole = intrinsic(intrinsics::floor, ratio);
    llvm::Value *rest = intrinsic(intrinsics::fma, b_.CreateFNeg(whole), size, turned);
    llvm::Value *above = b_.CreateFCmpOLT(rest, real(t, 0));
    // Beyond this quotient, the steps of Python's algorithm may round.
    const double limit = std::ldexp(1.0, t->getScalarType()->isFloatTy() ? 22 : 51);
    llvm::Value *large = b_.CreateFCmpOGE(intrinsic(intrinsics::fabs, ratio), real(t, limit));
    llvm::Value *rare = b_.CreateOr(large, b_.CreateFCmpOEQ(size, real(t, INFINITY)));
    llvm::Value *usual = quotient ? b_.CreateFSub(whole, b_.CreateSelect(above, real(t, 1), real(t, 0)))
                                  : b_.CreateSelect(above, b_.CreateFAdd(rest, size), rest);
    if (!quotient) usual = intrinsic(intrinsics::copysign, usual, y);
    return unless_rare(rare, usual, name, {x, y});
}

} // namespace qd::codegen
