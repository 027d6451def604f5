#include "codegen/llvm/task_code.h"

#include "analysis/launch_range.h"
#include "codegen/llvm/task_frame.h"

#include <llvm/IR/Module.h>

namespace qd::codegen {

TaskCode::TaskCode(const ir::Function &task, llvm::Module &own_module, const TargetFacts &facts)
    : fn(task), target(facts), module(own_module), context(module.getContext()), b(context), entry(context),
      words(entry, facts.spaces.global), alias_scopes(task.distinct_arrays), frame(facts.make_frame(*this)),
      forms(facts.make_forms(*this)), values(task.insts.size()), base(task.insts.size()) {
    if (task.fast_math) {
        // NaN and infinity retain their meaning, so that tests for them work.
        llvm::FastMathFlags flags;
        flags.setAllowReassoc();
        flags.setAllowContract();
        flags.setAllowReciprocal();
        flags.setApproxFunc();
        flags.setNoSignedZeros();
        b.setFastMathFlags(flags);
    }
}

TaskCode::~TaskCode() = default;

void TaskCode::begin(llvm::Function *function) {
    out = function;
    words.begin(out->getArg(0));
    alias_scopes.begin();
    llvm::BasicBlock *first = llvm::BasicBlock::Create(context, "entry", out);
    llvm::BasicBlock *start = llvm::BasicBlock::Create(context, "start", out);
    leave = llvm::BasicBlock::Create(context, "leave", out);
    entry.SetInsertPoint(first);
    entry.SetInsertPoint(entry.CreateBr(start));
    b.SetInsertPoint(start);
}

void TaskCode::forget_values() {
    values.assign(fn.insts.size(), nullptr);
    base.assign(fn.insts.size(), 0);
    wide.clear();
}

void TaskCode::apart() {
    if (!target.plain) return;
    llvm::BasicBlock *next = new_block("apart");
    b.CreateBr(next);
    b.SetInsertPoint(next);
}

void TaskCode::add_constant(const char *name, const void *content, size_t bytes, size_t align) {
    llvm::Constant *data =
        llvm::ConstantDataArray::get(context, llvm::ArrayRef(static_cast<const uint8_t *>(content), bytes));
    auto *left =
        new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::ExternalLinkage, data, name);
    left->setAlignment(llvm::Align(align));
}

llvm::BasicBlock *TaskCode::new_block(const char *name) { return llvm::BasicBlock::Create(context, name, out, leave); }

void TaskCode::refuse(Value v, const std::string &why) const {
    std::string op = v ? ir::info(fn[v].op).name : "value";
    throw Refused("cannot compile `" + fn.name + "`: " + op + ": " + why);
}

llvm::Value *TaskCode::get(Value v) {
    if (v.id >= values.size()) refuse({}, "value out of range");
    if (llvm::Value *known = values[v.id]) return known;
    if (fn[v].op == Op::param)
        set(v, param(v));
    else if (fn[v].op == Op::constant) // defined in another part of the task
        set(v, constant(fn[v].type, fn[v].imm));
    else
        refuse(v, "used before its definition");
    return values[v.id];
}

uint32_t TaskCode::slot_of(Value param) const {
    if (const auto slot = analysis::slot_of(fn, param)) return *slot;
    refuse(param, "not a parameter of the task");
}

llvm::Value *TaskCode::param(Value v) {
    Type t = fn.type(v);
    llvm::Value *value = words.slot(slot_of(v), memory_type(t));
    return t.is_bool() ? entry.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())) : value;
}

llvm::Type *TaskCode::scalar(Scalar s) {
    switch (s) {
    case Scalar::u1: return b.getInt1Ty();
    case Scalar::i8:
    case Scalar::u8: return b.getInt8Ty();
    case Scalar::i16:
    case Scalar::u16: return b.getInt16Ty();
    case Scalar::i32:
    case Scalar::u32: return b.getInt32Ty();
    case Scalar::i64:
    case Scalar::u64: return b.getInt64Ty();
    case Scalar::f16: return b.getHalfTy();
    case Scalar::f32: return b.getFloatTy();
    case Scalar::f64: return b.getDoubleTy();
    case Scalar::none: break;
    }
    refuse({}, "a value without a type");
}

llvm::Type *TaskCode::type(Type t) {
    if (t.is_pointer()) return pointer(t.space);
    if (!t.is_scalar()) refuse({}, "a value of type " + ir::to_string(t));
    return t.lanes > 1 ? llvm::FixedVectorType::get(scalar(t.elem), t.lanes) : scalar(t.elem);
}

llvm::SyncScope::ID TaskCode::scope(ir::Space space) const {
    return scope(space == ir::Space::shared ? target.block_scope : target.device_scope);
}

llvm::Type *TaskCode::memory_type(Type t) { return type(t.is_bool() ? Type(Scalar::u8, t.lanes) : t); }

llvm::Constant *TaskCode::constant(Type t, uint64_t bits) {
    llvm::Type *element = scalar(t.elem);
    unsigned width = unsigned(ir::bits_of(t.elem));
    llvm::APInt word(64, bits);
    llvm::Constant *c;
    if (t.is_float())
        c = llvm::ConstantFP::get(context, llvm::APFloat(element->getFltSemantics(), word.trunc(width)));
    else
        c = llvm::ConstantInt::get(context, width == 64 ? word : word.trunc(width));
    return t.lanes > 1 ? llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(t.lanes), c) : c;
}

} // namespace qd::codegen
