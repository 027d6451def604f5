#include "codegen/llvm/gpu/frame.h"

#include "analysis/launch_range.h"

#include <llvm/IR/Module.h>

namespace qd::codegen {

using ir::GroupOp;

llvm::Function *GpuFrame::declare(Entry entry) {
    if (entry == Entry::bounds) code_.refuse({}, "a device does not compute ranges");
    const size_t bytes = sizeof(abi::Launch) + 8 * size_t(analysis::slots_of(code_.fn));
    llvm::Type *i64 = b_.getInt64Ty(), *words = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
    auto *signature = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(parameter_space()), i64, i64}, false);
    auto *kernel = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, abi::body_symbol, code_.module);
    kernel->setDoesNotThrow();
    if (code_.fn.fast_math) kernel->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    kernel->addFnAttr(llvm::Attribute::Convergent);
    kernel->addParamAttr(0, llvm::Attribute::getWithAlignment(code_.context, llvm::Align(8)));
    finish(*kernel, words);
    return kernel;
}

llvm::Value *GpuFrame::index_in_grid() {
    llvm::Type *i64 = b_.getInt64Ty();
    llvm::Value *first = b_.CreateMul(b_.CreateZExt(block_index(), i64), b_.CreateZExt(block_threads(), i64));
    return b_.CreateAdd(first, b_.CreateZExt(thread_in_block(), i64));
}

llvm::Value *GpuFrame::range(Value v) {
    llvm::Type *i64 = b_.getInt64Ty();
    const Op op = code_.fn[v].op;
    if (op == Op::chunk_begin) return b_.CreateAdd(code_.out->getArg(1), index_in_grid());
    if (op == Op::chunk_end) return code_.out->getArg(2);
    return b_.CreateMul(b_.CreateZExt(blocks(), i64), b_.CreateZExt(block_threads(), i64));
}

void GpuFrame::message(Value v, llvm::Value *) { code_.refuse(v, "a device has no way to hand a message to the host"); }

llvm::CallInst *GpuFrame::together(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> args,
                                   llvm::ArrayRef<llvm::Type *> types) {
    llvm::CallInst *call = b_.CreateIntrinsic(id, types, args);
    call->addFnAttr(llvm::Attribute::Convergent);
    return call;
}

llvm::Value *GpuFrame::group(Value v) {
    switch (GroupOp(code_.fn[v].op)) {
    case GroupOp::lane: return lane();
    case GroupOp::lanes: return b_.getInt32(lanes());
    case GroupOp::thread_in_block: return thread_in_block();
    case GroupOp::block_index: return block_index();
    case GroupOp::block_threads: return block_threads();
    case GroupOp::shuffle:
    case GroupOp::shuffle_xor:
    case GroupOp::shuffle_up:
    case GroupOp::shuffle_down: return shuffle_number(v);
    case GroupOp::ballot: return ballot(code_.arg(v, 0));
    case GroupOp::group_any: return b_.CreateICmpNE(ballot(code_.arg(v, 0)), b_.getInt64(0));
    }
    code_.refuse(v, "has no machine code");
}

/// Shuffles a number of any type as one or two words.
llvm::Value *GpuFrame::shuffle_number(Value v) {
    const Op op = code_.fn[v].op;
    llvm::Value *x = code_.arg(v, 0), *by = code_.arg(v, 1);
    llvm::Type *type = x->getType(), *i32 = b_.getInt32Ty();
    const unsigned bits = unsigned(type->getPrimitiveSizeInBits());
    llvm::Value *whole = b_.CreateBitCast(x, b_.getIntNTy(bits));
    llvm::Value *low = shuffle(op, b_.CreateZExtOrTrunc(whole, i32), by);
    if (bits <= 32) return b_.CreateBitCast(b_.CreateZExtOrTrunc(low, whole->getType()), type);
    llvm::Value *high = shuffle(op, b_.CreateTrunc(b_.CreateLShr(whole, 32), i32), by);
    llvm::Value *upper = b_.CreateShl(b_.CreateZExt(high, whole->getType()), 32);
    return b_.CreateBitCast(b_.CreateOr(upper, b_.CreateZExt(low, whole->getType())), type);
}

} // namespace qd::codegen
