// `//` and `%` of reals (base/floor_division.h): a quotient, its floor and a fused step, which are exact where the quotient is small.
// For the rest functions of backends/cpu/externals.cpp are called.
//
// Let q be x / y rounded, y > 0, and n = floor(q) an exact integer. Rounding moves no quotient past an integer but up to one, so n is
// right or one too large. x - n * y is exact in one fused step, and negative if n is too large; then x - n * y + y is what is left.
#include "codegen/llvm/arithmetic.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <cmath>

namespace qd::codegen {

namespace intrinsics = llvm::Intrinsic;

/// Of all lanes at once: the results come back in place of the first argument. `name` for f64, `name`f for f32.
llvm::Value *Arithmetic::call_for_lanes(const char *name, llvm::ArrayRef<llvm::Value *> args) {
    llvm::Type *t = args[0]->getType(), *element = t->getScalarType();
    const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(t);
    const unsigned lanes = vector ? vector->getNumElements() : 1;
    const llvm::Align align(element->getPrimitiveSizeInBits() / 8);
    llvm::SmallVector<llvm::Value *, 3> given;
    llvm::SmallVector<llvm::Type *, 3> types;
    for (llvm::Value *arg : args) {
        llvm::AllocaInst *slot = code_.entry.CreateAlloca(llvm::ArrayType::get(element, lanes));
        slot->setAlignment(align);
        b_.CreateAlignedStore(arg, slot, align);
        given.push_back(slot);
        types.push_back(slot->getType());
    }
    given.push_back(b_.getInt32(lanes));
    types.push_back(b_.getInt32Ty());
    const std::string symbol = element->isFloatTy() ? std::string(name) + "f" : name;
    llvm::FunctionCallee callee =
        code_.module.getOrInsertFunction(symbol, llvm::FunctionType::get(b_.getVoidTy(), types, false));
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setMemoryEffects(llvm::MemoryEffects::argMemOnly());
    b_.CreateCall(callee, given);
    return b_.CreateAlignedLoad(t, given[0], align);
}

/// `usual`; where `rare` holds in some lane, what the function gives in all of them.
llvm::Value *Arithmetic::unless_rare(llvm::Value *rare, llvm::Value *usual, const char *name,
                                     llvm::ArrayRef<llvm::Value *> args) {
    llvm::BasicBlock *from = b_.GetInsertBlock(), *slow = code_.new_block("rare"), *next = code_.new_block("usual");
    llvm::Value *any = rare->getType()->isVectorTy() ? b_.CreateOrReduce(rare) : rare;
    b_.CreateCondBr(any, slow, next, llvm::MDBuilder(code_.context).createUnlikelyBranchWeights());
    b_.SetInsertPoint(slow);
    llvm::Value *called = call_for_lanes(name, args);
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    llvm::PHINode *result = b_.CreatePHI(usual->getType(), 2);
    result->addIncoming(usual, from);
    result->addIncoming(called, slow);
    return result;
}

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
    // The quotient beyond which Python's steps may round theirs.
    const double limit = std::ldexp(1.0, t->getScalarType()->isFloatTy() ? 22 : 51);
    llvm::Value *large = b_.CreateFCmpOGE(intrinsic(intrinsics::fabs, ratio), real(t, limit));
    llvm::Value *rare = b_.CreateOr(large, b_.CreateFCmpOEQ(size, real(t, INFINITY)));
    llvm::Value *usual = quotient ? b_.CreateFSub(whole, b_.CreateSelect(above, real(t, 1), real(t, 0)))
                                  : b_.CreateSelect(above, b_.CreateFAdd(rest, size), rest);
    if (!quotient) usual = intrinsic(intrinsics::copysign, usual, y);
    return unless_rare(rare, usual, name, {x, y});
}

} // namespace qd::codegen
