// Emits functions of floats and LLVM's intrinsics.
#include "codegen/llvm/arithmetic.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

namespace qd::codegen {

namespace intrinsics = llvm::Intrinsic;

llvm::Value *Arithmetic::intrinsic(llvm::Intrinsic::ID id, llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    llvm::Value *args[] = {x, y, z};
    return b_.CreateIntrinsic(id, {x->getType()}, llvm::ArrayRef(args, y ? z ? 3 : 2 : 1));
}

void Arithmetic::need_functions(const char *name) {
    if (!target_.has_functions) code_.refuse({}, std::string("the target has no function `") + name + "`");
}

/// Calls libm per lane: `name` for f64, `name`f for f32.
llvm::Value *Arithmetic::call_libm(const char *name, llvm::Value *x, llvm::Value *y) {
    need_functions(name);
    llvm::Type *element = x->getType()->getScalarType();
    std::string symbol = element->isFloatTy() ? std::string(name) + "f" : name;
    llvm::SmallVector<llvm::Type *, 2> parameters(y ? 2 : 1, element);
    llvm::FunctionCallee callee =
        code_.module.getOrInsertFunction(symbol, llvm::FunctionType::get(element, parameters, false));
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    llvm::Value *both[] = {x, y};
    const llvm::ArrayRef<llvm::Value *> args(both, parameters.size());
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    if (!vector) return b_.CreateCall(callee, args);
    llvm::Value *result = llvm::PoisonValue::get(vector);
    for (uint64_t i = 0; i < vector->getNumElements(); ++i) {
        llvm::SmallVector<llvm::Value *, 2> lane;
        for (llvm::Value *arg : args) lane.push_back(b_.CreateExtractElement(arg, i));
        result = b_.CreateInsertElement(result, b_.CreateCall(callee, lane), i);
    }
    return result;
}

/// Calls `name` for all lanes at once; the results come back in place of the first argument. `name` for f64, `name`f for f32.
llvm::Value *Arithmetic::call_for_lanes(const char *name, llvm::ArrayRef<llvm::Value *> args) {
    need_functions(name);
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

/// Returns `usual`, except in lanes where `rare` holds: these get the result of the function.
llvm::Value *Arithmetic::unless_rare(llvm::Value *rare, llvm::Value *usual, const char *name,
                                     llvm::ArrayRef<llvm::Value *> args) {
    llvm::BasicBlock *from = b_.GetInsertBlock(), *slow = code_.new_block("rare"), *next = code_.new_block("usual");
    llvm::Value *any = rare->getType()->isVectorTy() ? b_.CreateOrReduce(rare) : rare;
    b_.CreateCondBr(any, slow, next, llvm::MDBuilder(code_.context).createUnlikelyBranchWeights());
    b_.SetInsertPoint(slow);
    llvm::Value *called = b_.CreateSelect(rare, call_for_lanes(name, args), usual);
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    llvm::PHINode *result = b_.CreatePHI(usual->getType(), 2);
    result->addIncoming(usual, from);
    result->addIncoming(called, slow);
    return result;
}

llvm::Value *Arithmetic::real_function(RealOp op, llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    if (llvm::Value *inlined = inline_math(op, x)) return inlined;
    const auto function = [&](llvm::Intrinsic::ID id) {
        need_functions(ir::info(Op(op)).name);
        return intrinsic(id, x);
    };
    switch (op) {
    case RealOp::atan2: return call_libm("atan2", x, y);
    case RealOp::fma: return intrinsic(intrinsics::fma, x, y, z);
    case RealOp::sqrt: return intrinsic(intrinsics::sqrt, x);
    case RealOp::rsqrt: return rsqrt(x);
    case RealOp::exp: return function(intrinsics::exp);
    case RealOp::log: return function(intrinsics::log);
    case RealOp::log2: return function(intrinsics::log2);
    case RealOp::sin: return function(intrinsics::sin);
    case RealOp::cos: return function(intrinsics::cos);
    case RealOp::tan: return function(intrinsics::tan);
    case RealOp::asin: return function(intrinsics::asin);
    case RealOp::acos: return function(intrinsics::acos);
    case RealOp::atan: return function(intrinsics::atan);
    case RealOp::tanh: return function(intrinsics::tanh);
    case RealOp::floor: return intrinsic(intrinsics::floor, x);
    case RealOp::ceil: return intrinsic(intrinsics::ceil, x);
    case RealOp::round: return intrinsic(intrinsics::round, x);
    case RealOp::trunc: return intrinsic(intrinsics::trunc, x);
    }
    code_.refuse({}, "no such function of floats");
}

/// Under fast_math, on a target with an estimate: one Newton step on it. Where the step cannot refine (0, infinity, negative
/// numbers, NaN), x * estimate is NaN, and the estimate is kept, which has the right value.
llvm::Value *Arithmetic::rsqrt(llvm::Value *x) {
    llvm::Type *t = x->getType();
    llvm::Value *estimate = fn_.fast_math && code_.target.root_estimate ? code_.target.root_estimate(b_, x) : nullptr;
    if (!estimate) return b_.CreateFDiv(real(t, 1), intrinsic(intrinsics::sqrt, x));
    llvm::IRBuilder<>::FastMathFlagGuard guard(b_);
    b_.clearFastMathFlags(); // x / 2 may be subnormal, so the estimate is multiplied first
    llvm::Value *root = b_.CreateFMul(x, estimate);
    llvm::Value *factor = intrinsic(intrinsics::fma, b_.CreateFMul(estimate, real(t, -0.5)), root, real(t, 1.5));
    llvm::Value *refined = b_.CreateFMul(estimate, factor);
    return b_.CreateSelect(b_.CreateFCmpORD(root, root), refined, estimate);
}

} // namespace qd::codegen
