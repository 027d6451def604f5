#include "codegen/llvm/outside.h"

#include "codegen/llvm/task_frame.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

namespace qd::codegen {

using ir::OutsideOp;

void OutsideCode::outside(Value v) {
    switch (OutsideOp(fn_[v].op)) {
    case OutsideOp::random:
    case OutsideOp::assert_:
    case OutsideOp::count: code_.refuse(v, "must be lowered first");
    case OutsideOp::print:
    case OutsideOp::fail: return message(v);
    case OutsideOp::poll: return code_.set(v, stop_requested());
    case OutsideOp::poll_requests: return code_.set(v, requested());
    case OutsideOp::safepoint: return code_.set(v, safepoint());
    case OutsideOp::left_early: return code_.set(v, left_early());
    case OutsideOp::serve_requests: return code_.set(v, serve_requests());
    case OutsideOp::clock: return code_.set(v, clock());
    case OutsideOp::thread_index: return code_.set(v, code_.frame->thread_index());
    case OutsideOp::external: return external(v);
    case OutsideOp::graph_begin:
    case OutsideOp::graph_end: code_.refuse(v, "must be cut into tasks first");
    }
}

/// Stores the values for the frame, which hands them on.
void OutsideCode::message(Value v) {
    const ir::Inst &in = fn_[v];
    llvm::Type *i64 = b_.getInt64Ty();
    llvm::AllocaInst *slots = code_.entry.CreateAlloca(llvm::ArrayType::get(i64, std::max(in.args.size, 1u)));
    for (uint32_t i = 0; i < in.args.size; ++i) {
        const Type t = code_.arg_type(v, i);
        if (!t.is_scalar() || ir::bits_of(t.elem) != 64) code_.refuse(v, "its values must be words of 8 bytes");
        b_.CreateStore(code_.arg(v, i), b_.CreateConstInBoundsGEP1_64(i64, slots, i));
    }
    code_.frame->message(v, slots);
}

/// Reads the counter of device_lib/clock.h.
llvm::Value *OutsideCode::clock() {
    const llvm::Intrinsic::ID id =
        code_.target.clock_counts_cycles ? llvm::Intrinsic::readcyclecounter : llvm::Intrinsic::readsteadycounter;
    return b_.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type *>(), llvm::ArrayRef<llvm::Value *>());
}

/// Looks up the function at every call, since its address differs between processes.
void OutsideCode::external(Value v) {
    const uint64_t count = fn_[v].imm % ir::external_arguments, id = fn_[v].imm / ir::external_arguments;
    llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty();
    auto *find = llvm::FunctionType::get(ptr, {i64}, false);
    llvm::CallInst *function =
        b_.CreateCall(find, code_.words.service(offsetof(abi::HostServices, external)), {b_.getInt64(id)});
    function->setDoesNotThrow();
    std::vector<llvm::Value *> slots;
    for (unsigned i = 0; i < count; ++i) slots.push_back(b_.CreateConstInBoundsGEP1_32(i64, code_.arg(v, 0), i));
    auto *signature = llvm::FunctionType::get(b_.getVoidTy(), std::vector<llvm::Type *>(count, ptr), false);
    b_.CreateCall(signature, function, slots);
}

llvm::Value *OutsideCode::stop_requested() {
    llvm::Type *i32 = b_.getInt32Ty();
    llvm::Value *stop = b_.CreateLoad(i32, code_.words.pointer(b_, offsetof(abi::Launch, stream.stop)), true);
    llvm::Value *failed = b_.CreateLoad(i32, code_.words.pointer(b_, offsetof(abi::Launch, stream.failed)), true);
    return b_.CreateICmpNE(b_.CreateOr(stop, failed), b_.getInt32(0));
}

llvm::Value *OutsideCode::requested() {
    llvm::Value *asked =
        b_.CreateLoad(b_.getInt32Ty(), code_.words.pointer(b_, offsetof(abi::Launch, stream.counts_requested)), true);
    return b_.CreateOr(stop_requested(), b_.CreateICmpNE(asked, b_.getInt32(0)));
}

llvm::Value *OutsideCode::safepoint() {
    llvm::Type *i32 = b_.getInt32Ty();
    if (!reported_) {
        reported_ = code_.entry.CreateAlloca(i32);
        code_.entry.CreateStore(b_.getInt32(0), reported_, true);
    }
    llvm::Value *asked =
        b_.CreateLoad(i32, code_.words.pointer(b_, offsetof(abi::Launch, stream.counts_requested)), true);
    llvm::Value *wants = b_.CreateICmpNE(asked, b_.CreateLoad(i32, reported_, true));
    b_.CreateStore(asked, reported_, true); // volatile, so that it occupies no register in the loop
    return wants;
}

void OutsideCode::leave() {
    if (!left_) {
        left_ = code_.entry.CreateAlloca(b_.getInt32Ty());
        code_.entry.CreateStore(b_.getInt32(0), left_);
    }
    b_.CreateStore(b_.getInt32(1), left_);
}

llvm::Value *OutsideCode::left_early() {
    if (!left_) return b_.getFalse(); // no loop so far can be left early
    return b_.CreateICmpNE(b_.CreateLoad(b_.getInt32Ty(), left_), b_.getInt32(0));
}

llvm::Value *OutsideCode::serve_requests() {
    b_.CreateStore(b_.getInt32(0), code_.words.pointer(b_, offsetof(abi::Launch, stream.counts_requested)), true);
    return stop_requested();
}

} // namespace qd::codegen
