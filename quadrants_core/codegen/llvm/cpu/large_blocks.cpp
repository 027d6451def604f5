// Emits a block in parts. Values that a part shares with the rest go through a frame of the function that has the block.
#include "codegen/llvm/cpu/large_blocks.h"

#include "codegen/llvm/cpu/frame.h"
#include "codegen/llvm/emitter.h"

#include <llvm/IR/Module.h>

#include <algorithm>

namespace qd::codegen {

bool LargeBlocks::emit(Emitter &emitter, ir::BlockId id) {
    analysis::Parts parts = analysis::parts_of(code_.fn, id);
    if (parts.list.empty()) return false;
    const std::vector<Value> &insts = code_.fn[id].insts;
    llvm::IRBuilder<> &b = code_.b;
    llvm::AllocaInst *frame = code_.entry.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), parts.frame_bytes));
    frame->setAlignment(llvm::Align(16));
    std::vector<bool> stored(code_.fn.insts.size());
    size_t at = 0;
    for (analysis::Part &part : parts.list) {
        for (; at < part.begin; at++) emitter.instruction(insts[at]);
        for (auto [v, place] : part.takes) {
            if (!stored[v.id]) put(v, frame, place);
            stored[v.id] = true;
        }
        llvm::Function *function = declare(code_.module, "part", {b.getPtrTy()}, code_.fn.fast_math);
        function->setLinkage(llvm::Function::InternalLinkage);
        b.CreateCall(function, {code_.out->getArg(0), code_.out->getArg(1), frame})->setDoesNotThrow();
        for (auto [v, place] : part.leaves) stored[v.id] = true;
        for (auto [v, place] : part.shows) fetch(v, frame, place);
        at = part.end;
        to_do_.push_back({id, std::move(part), function});
    }
    for (; at < insts.size(); at++) emitter.instruction(insts[at]);
    return true;
}

void LargeBlocks::emit_parts(Emitter &emitter) {
    if (to_do_.empty()) return;
    code_.forget_values();
    while (!to_do_.empty()) {
        const ToDo next = std::move(to_do_.back());
        to_do_.pop_back();
        emit_part(emitter, next);
        forget(next);
    }
}

void LargeBlocks::emit_part(Emitter &emitter, const ToDo &to_do) {
    emitter.begin(to_do.function, false);
    llvm::Value *frame = code_.out->getArg(2);
    for (auto [v, place] : to_do.part.takes) fetch(v, frame, place);
    const std::vector<Value> &insts = code_.fn[to_do.block].insts;
    for (size_t at = to_do.part.begin; at < to_do.part.end; at++) emitter.instruction(insts[at]);
    for (auto [v, place] : to_do.part.leaves) put(v, frame, place);
    code_.b.CreateBr(code_.leave);
    emitter.finish();
}

/// Forgets the values of this part, which the next function does not have; clearing the whole table each time would be slow.
/// Constants are valid everywhere.
void LargeBlocks::forget(const ToDo &to_do) {
    const ir::Function &fn = code_.fn;
    const auto one = [&](Value v) { code_.values[v.id] = nullptr, code_.base[v.id] = 0; };
    const auto all = [&](std::span<const Value> values) { std::ranges::for_each(values, one); };
    const auto visit = [&](const auto &again, Value v) -> void {
        one(v);
        all(fn.results(v));
        for (ir::BlockId block : fn[v].blocks) {
            if (!block) continue;
            all(fn[block].params);
            for (Value inner : fn[block].insts) again(again, inner);
        }
    };
    for (auto [v, place] : to_do.part.takes) one(v);
    all(fn.params);
    for (size_t at = to_do.part.begin; at < to_do.part.end; at++) visit(visit, fn[to_do.block].insts[at]);
}

void LargeBlocks::put(Value v, llvm::Value *frame, uint64_t at) {
    llvm::IRBuilder<> &b = code_.b;
    const Type t = code_.fn.type(v);
    llvm::Value *value = code_.get(v);
    if (t.is_bool()) value = b.CreateZExt(value, code_.memory_type(t));
    b.CreateAlignedStore(value, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, at), llvm::Align(8));
}

void LargeBlocks::fetch(Value v, llvm::Value *frame, uint64_t at) {
    llvm::IRBuilder<> &b = code_.b;
    const Type t = code_.fn.type(v);
    llvm::Value *from = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, at);
    llvm::Value *value = b.CreateAlignedLoad(code_.memory_type(t), from, llvm::Align(8));
    code_.set(v, t.is_bool() ? b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())) : value);
    code_.base[v.id] = alias_scope_of(v);
}

/// Returns the alias scope of a pointer that another function computed.
uint32_t LargeBlocks::alias_scope_of(Value v) {
    const ir::Function &fn = code_.fn;
    while (fn[v].op == Op::offset) v = fn.args(v)[0];
    if (fn[v].op == Op::array_base) return code_.alias_scopes.number(AliasScope::array, code_.slot_of(fn.args(v)[0]));
    return fn[v].op == Op::tree_base ? code_.alias_scopes.number(AliasScope::tree, fn[v].imm) : 0;
}

} // namespace qd::codegen
