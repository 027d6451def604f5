// Updates of memory that threads may share. The target's plan says which of them need no lock.
#include "codegen/llvm/updates.h"

#include "analysis/uses.h"
#include "codegen/llvm/task_frame.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>

namespace qd::codegen {

using ir::AtomicOp;

namespace {

llvm::Value *same_bits(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
    llvm::Type *word = b.getIntNTy(unsigned(x->getType()->getPrimitiveSizeInBits()));
    return b.CreateICmpEQ(b.CreateBitCast(x, word), b.CreateBitCast(y, word));
}

} // namespace

UpdateCode::UpdateCode(TaskCode &code, Arithmetic &arithmetic)
    : code_(code), arithmetic_(arithmetic), fn_(code.fn), b_(code.b), uses_(analysis::use_counts(fn_)),
      plan_(code.target.make_updates(code, uses_)) {}

Op UpdatePlan::root_of(Value atomic) const {
    Value root = fn_.args(atomic)[0];
    while (fn_[root].op == Op::offset) root = fn_.args(root)[0];
    return fn_[root].op;
}

bool UpdatePlan::is_private(Value atomic) const {
    const Op root = root_of(atomic);
    return root == Op::local || root == Op::stack;
}

llvm::SyncScope::ID UpdateCode::scope(Value atomic) const { return code_.scope(code_.arg_type(atomic, 0).space); }

llvm::Value *UpdateCode::unlocked(Value v) {
    const Type t = fn_[v].type;
    const llvm::Align align(uint64_t(ir::size_of(t.elem)));
    const uint32_t base = code_.alias_scope_of(v);
    llvm::Value *pointer = plan_->place(v, code_.arg(v, 0)), *x = code_.arg(v, 1), *mask = plan_->mask(v);
    const auto changed = [&](llvm::Value *word) -> llvm::Value * {
        if (!mask) return word;
        llvm::Value *bits = b_.CreateXor(b_.CreateBitCast(word, mask->getType()), mask);
        return b_.CreateBitCast(bits, word->getType());
    };
    llvm::LoadInst *load = b_.CreateAlignedLoad(code_.memory_type(t), pointer, align);
    code_.alias_scopes.note(load, base);
    llvm::Value *old = changed(load), *next;
    if (t.is_bool()) old = b_.CreateICmpNE(load, llvm::Constant::getNullValue(load->getType()));
    const Op op = ir::plain_op(fn_[v].op);
    if (fn_[v].op == Op::atomic_xchg)
        next = x;
    else if (fn_[v].op == Op::atomic_cas)
        next = b_.CreateSelect(same_bits(b_, old, x), code_.arg(v, 2), old);
    else if (ir::family(op) == Family::bits)
        next = arithmetic_.bits(BitsOp(op), t, old, x);
    else if (!t.is_float())
        next = arithmetic_.on_integers(ArithmeticOp(op), t, old, x);
    else if (t.elem != Scalar::f16)
        next = arithmetic_.on_floats(ArithmeticOp(op), old, x);
    else
        next = arithmetic_.cast(Scalar::f32, t,
                                arithmetic_.on_floats(ArithmeticOp(op), arithmetic_.cast(t, Scalar::f32, old),
                                                      arithmetic_.cast(t, Scalar::f32, x)));
    if (t.is_bool()) next = b_.CreateZExt(next, code_.memory_type(t));
    code_.alias_scopes.note(b_.CreateAlignedStore(changed(next), pointer, align), base);
    return old;
}

llvm::Value *UpdateCode::locked(Value v) {
    using Rmw = llvm::AtomicRMWInst;
    const ir::Inst &in = fn_[v];
    Type t = in.type;
    llvm::Value *pointer = code_.arg(v, 0), *value = code_.arg(v, 1);
    uint32_t base = code_.alias_scope_of(v);
    bool is_float = t.is_float(), is_signed = ir::is_signed(t.elem), is_bool = t.is_bool();
    // Locks are built from exchange and compare-and-swap, so these also order other accesses.
    auto ordering = llvm::AtomicOrdering::Monotonic;
    Rmw::BinOp op = Rmw::BAD_BINOP;
    switch (AtomicOp(in.op)) {
    case AtomicOp::atomic_add: op = is_bool ? Rmw::Xor : is_float ? Rmw::FAdd : Rmw::Add; break;
    case AtomicOp::atomic_mul: op = is_bool ? Rmw::And : Rmw::BAD_BINOP; break;
    case AtomicOp::atomic_min: op = is_bool ? Rmw::And : is_float ? Rmw::FMin : is_signed ? Rmw::Min : Rmw::UMin; break;
    case AtomicOp::atomic_max: op = is_bool ? Rmw::Or : is_float ? Rmw::FMax : is_signed ? Rmw::Max : Rmw::UMax; break;
    case AtomicOp::atomic_and: op = Rmw::And; break;
    case AtomicOp::atomic_or: op = Rmw::Or; break;
    case AtomicOp::atomic_xor: op = Rmw::Xor; break;
    case AtomicOp::atomic_xchg:
        op = Rmw::Xchg;
        ordering = llvm::AtomicOrdering::AcquireRelease;
        break;
    case AtomicOp::atomic_cas: break;
    }
    if (in.op == Op::atomic_cas || op == Rmw::BAD_BINOP || (t.elem == Scalar::f16 && op != Rmw::Xchg))
        return by_swaps(v, pointer, value);
    llvm::Align align{uint64_t(ir::size_of(t.elem))};
    llvm::Type *word = is_float ? code_.type(t) : code_.memory_type(t);
    if (op == Rmw::Xchg && is_float) word = b_.getIntNTy(unsigned(ir::bits_of(t.elem)));
    llvm::Value *operand = is_bool                    ? b_.CreateZExt(value, word)
                           : word != value->getType() ? b_.CreateBitCast(value, word)
                                                      : value;
    code_.apart();
    llvm::AtomicRMWInst *rmw = b_.CreateAtomicRMW(op, pointer, operand, align, ordering, scope(v));
    code_.forms->mark(*rmw);
    code_.alias_scopes.note(rmw, base);
    if (fn_[v].type.is_bool()) return b_.CreateICmpNE(rmw, llvm::Constant::getNullValue(word));
    return word != code_.type(t) ? b_.CreateBitCast(rmw, code_.type(t)) : rmw;
}

/// Emits compare-and-swap: once for atomic_cas, in a loop for ops that the machine has no instruction for.
llvm::Value *UpdateCode::by_swaps(Value v, llvm::Value *pointer, llvm::Value *operand) {
    Type t = fn_[v].type;
    uint32_t base = code_.alias_scope_of(v);
    llvm::Type *word = b_.getIntNTy(unsigned(8 * ir::size_of(t.elem)));
    llvm::Align align{uint64_t(ir::size_of(t.elem))};
    auto to_word = [&](llvm::Value *x) { return t.is_bool() ? b_.CreateZExt(x, word) : b_.CreateBitCast(x, word); };
    auto to_value = [&](llvm::Value *x) {
        return t.is_bool() ? b_.CreateICmpNE(x, llvm::Constant::getNullValue(word))
                           : b_.CreateBitCast(x, code_.type(t));
    };
    if (fn_[v].op == Op::atomic_cas) {
        llvm::Value *expected = to_word(operand), *desired = to_word(code_.arg(v, 2));
        code_.apart();
        llvm::AtomicCmpXchgInst *swap =
            b_.CreateAtomicCmpXchg(pointer, expected, desired, align, llvm::AtomicOrdering::AcquireRelease,
                                   llvm::AtomicOrdering::Acquire, scope(v));
        code_.alias_scopes.note(swap, base);
        return to_value(b_.CreateExtractValue(swap, 0));
    }
    code_.apart();
    llvm::LoadInst *first = b_.CreateAlignedLoad(word, pointer, align);
    first->setAtomic(llvm::AtomicOrdering::Monotonic, scope(v));
    code_.alias_scopes.note(first, base);
    llvm::BasicBlock *before = b_.GetInsertBlock(), *again = code_.new_block("retry"),
                     *done = code_.new_block("swapped");
    b_.CreateBr(again);
    b_.SetInsertPoint(again);
    llvm::PHINode *old = b_.CreatePHI(word, 2);
    old->addIncoming(first, before);
    llvm::Value *x = to_value(old), *next = nullptr;
    const auto op = ArithmeticOp(ir::plain_op(fn_[v].op));
    if (t.is_float()) {
        const Type wide = t.elem == Scalar::f16 ? Type(Scalar::f32) : t;
        llvm::Value *wide_x = arithmetic_.cast(t, wide, x), *wide_y = arithmetic_.cast(t, wide, operand);
        next = arithmetic_.cast(wide, t, arithmetic_.on_floats(op, wide_x, wide_y));
    } else {
        next = arithmetic_.on_integers(op, t, x, operand);
    }
    llvm::AtomicCmpXchgInst *swap = b_.CreateAtomicCmpXchg(
        pointer, old, to_word(next), align, llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic, scope(v));
    code_.alias_scopes.note(swap, base);
    old->addIncoming(b_.CreateExtractValue(swap, 0), again);
    b_.CreateCondBr(b_.CreateExtractValue(swap, 1), done, again);
    b_.SetInsertPoint(done);
    return x;
}

void UpdateCode::atomic(Value v) {
    switch (plan_->how(v)) {
    case UpdatePlan::How::locked: return code_.set(v, locked(v));
    case UpdatePlan::How::unlocked: return code_.set(v, unlocked(v));
    case UpdatePlan::How::decide_on_entry: break;
    }
    llvm::Value *free = plan_->is_free(v);
    llvm::BasicBlock *own = code_.new_block("own"), *shared = code_.new_block("shared"),
                     *done = code_.new_block("updated");
    // A locked update takes so long that its placement does not matter.
    llvm::MDNode *likely = llvm::MDBuilder(code_.context).createBranchWeights(64, 1);
    b_.CreateCondBr(free, own, shared, likely);
    b_.SetInsertPoint(own);
    llvm::Value *one = unlocked(v);
    own = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(shared);
    llvm::Value *other = locked(v);
    shared = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    if (!uses_[v.id]) return;
    llvm::PHINode *old = b_.CreatePHI(code_.type(fn_[v].type), 2);
    old->addIncoming(one, own);
    old->addIncoming(other, shared);
    code_.set(v, old);
}

} // namespace qd::codegen
