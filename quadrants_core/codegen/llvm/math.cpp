// Transcendental functions and LLVM's intrinsics.
#include "codegen/llvm/emitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

namespace qd::codegen {

namespace intrinsics = llvm::Intrinsic;

llvm::Value *Emitter::intrinsic(llvm::Intrinsic::ID id, llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    llvm::Value *args[] = {x, y, z};
    return b_.CreateIntrinsic(id, {x->getType()}, llvm::ArrayRef(args, y ? z ? 3 : 2 : 1));
}

/// A call of libm per lane: `name` for f64, `name`f for f32.
llvm::Value *Emitter::call_libm(const char *name, llvm::Value *x, llvm::Value *y) {
    llvm::Type *element = x->getType()->getScalarType();
    std::string symbol = element->isFloatTy() ? std::string(name) + "f" : name;
    auto *signature = llvm::FunctionType::get(element, {element, element}, false);
    llvm::FunctionCallee callee = module_.getOrInsertFunction(symbol, signature);
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    if (!vector) return b_.CreateCall(callee, {x, y});
    llvm::Value *result = llvm::PoisonValue::get(vector);
    for (uint64_t i = 0; i < vector->getNumElements(); ++i) {
        llvm::Value *lane_x = b_.CreateExtractElement(x, i), *lane_y = b_.CreateExtractElement(y, i);
        result = b_.CreateInsertElement(result, b_.CreateCall(callee, {lane_x, lane_y}), i);
    }
    return result;
}

llvm::Value *Emitter::transcendental(Op op, llvm::Value *x) {
    if (llvm::Value *inlined = vector_math(op, x)) return inlined;
    switch (op) {
    case Op::exp: return intrinsic(intrinsics::exp, x);
    case Op::log: return intrinsic(intrinsics::log, x);
    case Op::sin: return intrinsic(intrinsics::sin, x);
    case Op::cos: return intrinsic(intrinsics::cos, x);
    case Op::tan: return intrinsic(intrinsics::tan, x);
    case Op::asin: return intrinsic(intrinsics::asin, x);
    case Op::acos: return intrinsic(intrinsics::acos, x);
    case Op::atan: return intrinsic(intrinsics::atan, x);
    case Op::tanh: return intrinsic(intrinsics::tanh, x);
    default: return nullptr;
    }
}

/// Under fast_math, where the target has an estimate: one Newton step on it. What the step cannot refine (0, infinity,
/// negative numbers, NaN) makes x * estimate NaN, and keeps the estimate, which has the right value.
llvm::Value *Emitter::rsqrt(llvm::Value *x) {
    llvm::Type *t = x->getType();
    llvm::Value *estimate = fn_.fast_math && target_.root_estimate ? target_.root_estimate(b_, x) : nullptr;
    if (!estimate) return b_.CreateFDiv(real(t, 1), intrinsic(intrinsics::sqrt, x));
    llvm::Value *half = b_.CreateFMul(x, real(t, -0.5));
    llvm::Value *slope = b_.CreateFMul(half, estimate);
    llvm::Value *factor = intrinsic(intrinsics::fma, slope, estimate, real(t, 1.5));
    llvm::Value *refined = b_.CreateFMul(estimate, factor);
    return b_.CreateSelect(b_.CreateFCmpORD(slope, slope), refined, estimate);
}

} // namespace qd::codegen
