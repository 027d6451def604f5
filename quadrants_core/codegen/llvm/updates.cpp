// Updates of memory that threads may share. Most launches share none: they run on one thread (abi::Thread::alone), or each
// thread has a privatised copy of what the task accumulates in (accumulations.cpp). The copy is abi::Thread::copy_offset bytes
// away, which is loaded on entry, and its words are XORed with the neutral element. So a task is compiled without locks for its
// updates in loops, and declares what that requires (abi::Needs). Updates outside loops, once per chunk, are locked, except
// accumulations. The code with locks is compiled when a launch first needs it (engine/shared_code.cpp), from the same IR with
// ir::CompileFlag::locked: it checks at each update that may go to a copy, and locks the others. A task whose order is fixed checks at
// every update:
//
//     if (alone or copied) *p = op(*p, x) else lock *p = op(*p, x)
//
// Serial tasks need no locks. The following are always locked: exchanges, which programs build locks from; coverage counters,
// which other threads read and clear; tasks in a region of a graph, whose sections may run concurrently; and tasks that call
// libraries, whose threads may access the same memory.
#include "codegen/llvm/updates.h"

#include "analysis/denormals.h"
#include "analysis/uses.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <ranges>

namespace qd::codegen {

using ir::AtomicOp;

namespace {

bool others_may_be_there(const ir::Function &task) {
    return task.graph.region >= 0 || std::ranges::any_of(task.blocks, [&](const ir::Block &block) {
               return std::ranges::any_of(block.insts, [&](Value v) { return task[v].op == Op::external; });
           });
}

} // namespace

UpdateCode::UpdateCode(TaskCode &code, Arithmetic &arithmetic)
    : code_(code), arithmetic_(arithmetic), fn_(code.fn), b_(code.b), uses_(analysis::use_counts(fn_)),
      always_locked_(others_may_be_there(fn_)), accumulations_(analysis::accumulations(fn_, uses_)) {
    const bool asks = fn_.has_flag(ir::CompileFlag::locked) || fn_.has_flag(ir::CompileFlag::ordered);
    if (always_locked_ || asks || fn_.role != ir::Role::range_task) return;
    looped_.resize(fn_.insts.size());
    find_looped(fn_.body, false);
}

void UpdateCode::begin(llvm::Value *thread) {
    thread_ = thread;
    alone_ = nullptr;
    on_entry_.assign(accumulations_.list.size(), {});
}

void UpdateCode::list() const {
    const abi::Updates &updates = accumulations_.updates;
    if (updates.some()) code_.add_constant(abi::updates_symbol, &updates, sizeof updates, alignof(abi::Updates));
    const uint8_t subnormals = uint8_t((fn_.fast_math ? 0 : abi::subnormals_kept) |
                                       (analysis::is_independent_of_flushing(fn_) ? abi::subnormals_irrelevant : 0));
    if (subnormals) code_.add_constant(abi::subnormals_symbol, &subnormals, 1, 1);
    if (accumulations_.list.empty()) return;
    std::vector<abi::Accumulation> all = accumulations_.list;
    all.emplace_back();
    code_.add_constant(abi::accumulations_symbol, all.data(), all.size() * sizeof all[0], alignof(abi::Accumulation));
}

Op UpdateCode::root_of(Value atomic) const {
    Value root = fn_.args(atomic)[0];
    while (fn_[root].op == Op::offset) root = fn_.args(root)[0];
    return fn_[root].op;
}

bool UpdateCode::is_private(Value atomic) const {
    const Op root = root_of(atomic);
    return root == Op::local || root == Op::stack;
}

bool UpdateCode::may_lack_lock(Value atomic) const {
    const Op op = fn_[atomic].op;
    if (op == Op::atomic_xchg || op == Op::atomic_cas) return false;
    return is_private(atomic) || (!always_locked_ && root_of(atomic) != Op::count_slot);
}

void UpdateCode::find_looped(ir::BlockId b, bool in_loop) {
    for (Value v : fn_[b].insts) {
        const ir::Inst &in = fn_[v];
        if (in_loop && ir::is_atomic(in.op) && may_lack_lock(v) && !is_private(v)) {
            looped_[v.id] = true;
            abi::Needs &needs = accumulations_.updates.needs;
            needs = std::max(needs, accumulations_.of(v) ? abi::Needs::copies : abi::Needs::alone);
        }
        for (ir::BlockId inner : in.blocks)
            if (inner) find_looped(inner, in_loop || in.op != Op::if_);
    }
}

UpdateCode::How UpdateCode::how(Value atomic) const {
    if (!may_lack_lock(atomic)) return How::locked;
    if (is_private(atomic)) return How::unlocked;
    if (!thread_) return How::locked;
    if (fn_.role == ir::Role::serial_task) return How::unlocked;
    const bool copied = accumulations_.of(atomic).has_value();
    if (fn_.has_flag(ir::CompileFlag::ordered)) return How::decide_on_entry;
    if (fn_.has_flag(ir::CompileFlag::locked)) return copied ? How::decide_on_entry : How::locked;
    if (accumulations_.updates.needs == abi::Needs::nothing) return How::locked;
    return copied || looped_[atomic.id] ? How::unlocked : How::locked;
}

llvm::Value *UpdateCode::word_of_thread(size_t offset, llvm::Type *t) {
    llvm::IRBuilder<> &entry = code_.entry;
    llvm::Value *at = entry.CreateConstInBoundsGEP1_32(entry.getInt8Ty(), thread_, unsigned(offset));
    return entry.CreateAlignedLoad(t, at, llvm::Align(t->getIntegerBitWidth() / 8));
}

llvm::Value *UpdateCode::is_free(std::optional<size_t> accumulation) {
    llvm::IRBuilder<> &entry = code_.entry;
    if (!alone_)
        alone_ =
            entry.CreateICmpNE(word_of_thread(offsetof(abi::Thread, alone), entry.getInt32Ty()), entry.getInt32(0));
    if (!accumulation) return alone_;
    llvm::Value *&known = on_entry_[*accumulation].is_free;
    if (!known) known = entry.CreateOr(alone_, entry.CreateICmpNE(copy_offset(*accumulation), entry.getInt64(0)));
    return known;
}

llvm::Value *UpdateCode::copy_offset(size_t accumulation) {
    llvm::Value *&known = on_entry_[accumulation].copy_offset;
    const size_t offset = offsetof(abi::Thread, copy_offset) + accumulation * sizeof(abi::Thread::copy_offset[0]);
    if (!known) known = word_of_thread(offset, code_.entry.getInt64Ty());
    return known;
}

/// Returns the address in the copy. It starts from the beginning of the array if that is known on entry and only the copy is updated.
llvm::Value *UpdateCode::in_copy(llvm::Value *pointer, llvm::Value *copy_offset) {
    std::vector<llvm::GetElementPtrInst *> steps;
    llvm::Value *root = pointer;
    const bool is_only = !looped_.empty();
    for (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(root); step && is_only && steps.size() < 8;
         step = llvm::dyn_cast<llvm::GetElementPtrInst>(root)) {
        steps.push_back(step);
        root = step->getPointerOperand();
    }
    const auto *begin = llvm::dyn_cast<llvm::Instruction>(root);
    if (steps.empty() || !begin || begin->getParent() != code_.entry.GetInsertBlock())
        return b_.CreateGEP(b_.getInt8Ty(), pointer, copy_offset);
    llvm::Value *at = code_.entry.CreateGEP(code_.entry.getInt8Ty(), root, copy_offset);
    for (llvm::GetElementPtrInst *step : std::views::reverse(steps)) {
        llvm::SmallVector<llvm::Value *, 2> indices(step->indices());
        at = b_.CreateGEP(step->getSourceElementType(), at, indices);
    }
    return at;
}

llvm::Value *UpdateCode::neutral(size_t accumulation) {
    const abi::Accumulation &what = accumulations_.list[accumulation];
    if (!what.neutral) return nullptr;
    llvm::Value *&known = on_entry_[accumulation].neutral;
    if (known) return known;
    llvm::IRBuilder<> &entry = code_.entry;
    llvm::Value *is_copy = entry.CreateICmpNE(copy_offset(accumulation), entry.getInt64(0));
    llvm::Type *word = entry.getIntNTy(unsigned(8 * what.word_bytes));
    return known =
               entry.CreateSelect(is_copy, llvm::ConstantInt::get(word, what.neutral), llvm::ConstantInt::get(word, 0));
}

llvm::Value *UpdateCode::unlocked(Value v, std::optional<size_t> accumulation) {
    const Type t = fn_[v].type;
    const llvm::Align align(uint64_t(ir::size_of(t.elem)));
    const uint32_t base = code_.alias_scope_of(v);
    llvm::Value *pointer = code_.arg(v, 0), *x = code_.arg(v, 1), *mask = nullptr;
    if (accumulation) {
        pointer = in_copy(pointer, copy_offset(*accumulation));
        mask = neutral(*accumulation);
    }
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
    if (ir::family(op) == Family::bits)
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
    llvm::AtomicRMWInst *rmw = b_.CreateAtomicRMW(op, pointer, operand, align, ordering);
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
        llvm::AtomicCmpXchgInst *swap = b_.CreateAtomicCmpXchg(
            pointer, expected, desired, align, llvm::AtomicOrdering::AcquireRelease, llvm::AtomicOrdering::Acquire);
        code_.alias_scopes.note(swap, base);
        return to_value(b_.CreateExtractValue(swap, 0));
    }
    code_.apart();
    llvm::LoadInst *first = b_.CreateAlignedLoad(word, pointer, align);
    first->setAtomic(llvm::AtomicOrdering::Monotonic);
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
        pointer, old, to_word(next), align, llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    code_.alias_scopes.note(swap, base);
    old->addIncoming(b_.CreateExtractValue(swap, 0), again);
    b_.CreateCondBr(b_.CreateExtractValue(swap, 1), done, again);
    b_.SetInsertPoint(done);
    return x;
}

void UpdateCode::atomic(Value v) {
    const std::optional<size_t> copied = accumulations_.of(v);
    switch (how(v)) {
    case How::locked: return code_.set(v, locked(v));
    case How::unlocked: return code_.set(v, unlocked(v, copied));
    case How::decide_on_entry: break;
    }
    llvm::Value *free = is_free(copied);
    llvm::BasicBlock *own = code_.new_block("own"), *shared = code_.new_block("shared"),
                     *done = code_.new_block("updated");
    // A locked update takes so long that its placement does not matter.
    llvm::MDNode *likely = llvm::MDBuilder(code_.context).createBranchWeights(64, 1);
    b_.CreateCondBr(free, own, shared, likely);
    b_.SetInsertPoint(own);
    llvm::Value *one = unlocked(v, copied);
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
