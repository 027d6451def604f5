#include "codegen/llvm/heap.h"

#include "abi/abi.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace qd::codegen {

using ir::Op;
using ir::Value;

bool reserves(const ir::Function &fn, ir::BlockId body) {
    return std::ranges::any_of(fn[body].insts, [&](Value v) {
        if (fn[v].op == Op::for_ && fn.loops.at(fn[v].imm).heap_persists) return reserves(fn, fn[v].blocks[0]);
        return fn[v].op == Op::reserve ||
               (fn[v].op == Op::if_ && (reserves(fn, fn[v].blocks[0]) || reserves(fn, fn[v].blocks[1])));
    });
}

void HeapCode::begin(llvm::Value *thread, std::function<void(llvm::Instruction *)> note) {
    thread_ = thread;
    note_ = std::move(note);
    at_entry_.reset();
}

llvm::Value *HeapCode::at(size_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), thread_, offset); }

llvm::Value *HeapCode::read(llvm::Value *at, llvm::Type *t) {
    llvm::LoadInst *load = b_.CreateAlignedLoad(t, at, llvm::Align(8));
    note_(load);
    return load;
}

void HeapCode::write(llvm::Value *value, llvm::Value *at) { note_(b_.CreateAlignedStore(value, at, llvm::Align(8))); }

llvm::Value *HeapCode::word(size_t offset) { return read(at(offset), b_.getInt64Ty()); }

llvm::BasicBlock *HeapCode::new_block(const char *name, llvm::BasicBlock *before) {
    return llvm::BasicBlock::Create(b_.getContext(), name, before->getParent(), before);
}

HeapCode::Mark HeapCode::mark() {
    return {read(at(offsetof(abi::Thread, heap.top)), b_.getPtrTy()),
            read(at(offsetof(abi::Thread, heap.end)), b_.getPtrTy()), word(offsetof(abi::Thread, heap.used))};
}

/// The next stack may reuse this memory, although the two count as different objects: the fence keeps their accesses apart.
void HeapCode::give_back(const Mark &mark) {
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
    write(mark.top, at(offsetof(abi::Thread, heap.top)));
    write(mark.end, at(offsetof(abi::Thread, heap.end)));
    write(mark.used, at(offsetof(abi::Thread, heap.used)));
}

/// Emits: if step <= end - top, top += step, else the service allocates. The step is abi::heap_step(bytes).
llvm::Value *HeapCode::reserve(const ir::Inst &inst, llvm::Value *entries, llvm::Value *service,
                               llvm::BasicBlock *leave) {
    llvm::Type *i64 = b_.getInt64Ty(), *ptr = b_.getPtrTy();
    const auto larger = [&](llvm::Value *x, llvm::Value *y) {
        return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y);
    };
    llvm::Value *size = b_.CreateMul(entries, b_.getInt64(ir::entry_bytes(inst)));
    llvm::Value *rounded = b_.CreateAnd(b_.CreateAdd(size, b_.getInt64(7)), b_.getInt64(~7ULL));
    llvm::Value *countable = b_.CreateICmpULT(entries, b_.getInt64(1ULL << 31));
    llvm::Value *bytes = b_.CreateSelect(countable, rounded, b_.getInt64(UINT64_MAX));
    if (ir::stack_of(inst) < abi::counted_stacks) {
        llvm::Value *counts = read(at(offsetof(abi::Thread, heap.entries)), ptr);
        llvm::Value *most = b_.CreateConstInBoundsGEP1_64(i64, counts, ir::stack_of(inst));
        llvm::Value *lanes = b_.getInt64(uint64_t(ir::reserve_lanes(inst)) << 32);
        write(larger(read(most, i64), b_.CreateOr(entries, lanes)), most);
    }
    llvm::Value *top = read(at(offsetof(abi::Thread, heap.top)), ptr);
    llvm::Value *large = b_.CreateAnd(countable, b_.CreateICmpUGE(rounded, b_.getInt64(abi::min_spaced_bytes)));
    llvm::Value *step = b_.CreateSelect(large, b_.CreateOr(bytes, b_.getInt64(abi::spacing_bit)), bytes);
    llvm::Value *room = b_.CreateSub(word(offsetof(abi::Thread, heap.end)), b_.CreatePtrToInt(top, i64));
    llvm::BasicBlock *here = new_block("room", leave), *more = new_block("no_room", leave),
                     *found_more = new_block("more_room", leave), *done = new_block("reserved", leave);
    b_.CreateCondBr(b_.CreateICmpULE(step, room), here, more,
                    llvm::MDBuilder(b_.getContext()).createBranchWeights(1000, 1));

    b_.SetInsertPoint(here);
    write(b_.CreateGEP(b_.getInt8Ty(), top, step), at(offsetof(abi::Thread, heap.top)));
    llvm::Value *used = b_.CreateAdd(word(offsetof(abi::Thread, heap.used)), bytes);
    write(used, at(offsetof(abi::Thread, heap.used)));
    write(larger(word(offsetof(abi::Thread, heap.peak)), used), at(offsetof(abi::Thread, heap.peak)));
    b_.CreateBr(done);

    b_.SetInsertPoint(more);
    auto *signature = llvm::FunctionType::get(ptr, {ptr, ptr, i64, b_.getInt32Ty()}, false);
    llvm::Value *launch = leave->getParent()->getArg(0);
    llvm::CallInst *found =
        b_.CreateCall(signature, service, {launch, thread_, bytes, b_.getInt32(ir::stack_of(inst))});
    found->setDoesNotThrow();
    found->addFnAttr(llvm::Attribute::Cold);
    b_.CreateCondBr(b_.CreateIsNull(found), leave, found_more);
    b_.SetInsertPoint(found_more);
    b_.CreateBr(done);

    b_.SetInsertPoint(done);
    llvm::PHINode *place = b_.CreatePHI(ptr, 2);
    place->addIncoming(top, here);
    place->addIncoming(found, found_more);
    return b_.CreatePtrToInt(place, i64);
}

} // namespace qd::codegen
