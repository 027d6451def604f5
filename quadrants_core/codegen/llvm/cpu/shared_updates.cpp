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
#include "codegen/llvm/cpu/shared_updates.h"

#include "analysis/accumulations.h"
#include "analysis/denormals.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>

namespace qd::codegen {

namespace {

bool others_may_be_there(const ir::Function &task) {
    return task.graph.region >= 0 || std::ranges::any_of(task.blocks, [&](const ir::Block &block) {
               return std::ranges::any_of(block.insts, [&](Value v) { return task[v].op == Op::external; });
           });
}

class SharedUpdates final : public UpdatePlan {
  public:
    SharedUpdates(TaskCode &code, const std::vector<uint32_t> &uses)
        : UpdatePlan(code), b_(code.b), always_locked_(others_may_be_there(fn_)),
          accumulations_(analysis::accumulations(fn_, uses)) {
        const bool asks = fn_.has_flag(ir::CompileFlag::locked) || fn_.has_flag(ir::CompileFlag::ordered);
        if (always_locked_ || asks || fn_.role != ir::Role::range_task) return;
        looped_.resize(fn_.insts.size());
        find_looped(fn_.body, false);
    }

    void begin(llvm::Value *thread) override {
        thread_ = thread;
        alone_ = nullptr;
        on_entry_.assign(accumulations_.list.size(), {});
    }
    How how(Value atomic) const override;
    llvm::Value *is_free(Value atomic) override;
    llvm::Value *place(Value atomic, llvm::Value *pointer) override {
        const auto accumulation = accumulations_.of(atomic);
        return accumulation ? in_copy(pointer, copy_offset(*accumulation)) : pointer;
    }
    llvm::Value *mask(Value atomic) override {
        const auto accumulation = accumulations_.of(atomic);
        return accumulation ? neutral(*accumulation) : nullptr;
    }
    void add_constants() const override;

  private:
    struct EntryValues {
        llvm::Value *copy_offset = nullptr, *is_free = nullptr, *neutral = nullptr;
    };

    bool may_lack_lock(Value atomic) const;
    /// Fills `looped_` from a block, and `accumulations_.updates.needs`.
    void find_looped(ir::BlockId b, bool in_loop);
    /// Returns the distance in bytes from the accumulation to the thread's privatised copy of it.
    llvm::Value *copy_offset(size_t accumulation);
    llvm::Value *neutral(size_t accumulation);
    llvm::Value *in_copy(llvm::Value *pointer, llvm::Value *copy_offset);
    llvm::Value *word_of_thread(size_t offset, llvm::Type *t);

    llvm::IRBuilder<> &b_;
    const bool always_locked_;
    analysis::Accumulations accumulations_;
    std::vector<bool> looped_; ///< by Value id: an atomic inside a loop
    llvm::Value *thread_ = nullptr;
    llvm::Value *alone_ = nullptr;
    std::vector<EntryValues> on_entry_; ///< by accumulation
};

void SharedUpdates::add_constants() const {
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

bool SharedUpdates::may_lack_lock(Value atomic) const {
    const Op op = fn_[atomic].op;
    if (op == Op::atomic_xchg || op == Op::atomic_cas) return false;
    return is_private(atomic) || (!always_locked_ && root_of(atomic) != Op::count_slot);
}

void SharedUpdates::find_looped(ir::BlockId b, bool in_loop) {
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

UpdatePlan::How SharedUpdates::how(Value atomic) const {
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

llvm::Value *SharedUpdates::word_of_thread(size_t offset, llvm::Type *t) {
    llvm::IRBuilder<> &entry = code_.entry;
    llvm::Value *at = entry.CreateConstInBoundsGEP1_32(entry.getInt8Ty(), thread_, unsigned(offset));
    return entry.CreateAlignedLoad(t, at, llvm::Align(t->getIntegerBitWidth() / 8));
}

llvm::Value *SharedUpdates::is_free(Value atomic) {
    const std::optional<size_t> accumulation = accumulations_.of(atomic);
    llvm::IRBuilder<> &entry = code_.entry;
    if (!alone_)
        alone_ =
            entry.CreateICmpNE(word_of_thread(offsetof(abi::Thread, alone), entry.getInt32Ty()), entry.getInt32(0));
    if (!accumulation) return alone_;
    llvm::Value *&known = on_entry_[*accumulation].is_free;
    if (!known) known = entry.CreateOr(alone_, entry.CreateICmpNE(copy_offset(*accumulation), entry.getInt64(0)));
    return known;
}

llvm::Value *SharedUpdates::copy_offset(size_t accumulation) {
    llvm::Value *&known = on_entry_[accumulation].copy_offset;
    const size_t offset = offsetof(abi::Thread, copy_offset) + accumulation * sizeof(abi::Thread::copy_offset[0]);
    if (!known) known = word_of_thread(offset, code_.entry.getInt64Ty());
    return known;
}

/// Returns the address in the copy. It starts from the beginning of the array if that is known on entry and only the copy is updated.
llvm::Value *SharedUpdates::in_copy(llvm::Value *pointer, llvm::Value *copy_offset) {
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

llvm::Value *SharedUpdates::neutral(size_t accumulation) {
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

} // namespace

std::unique_ptr<UpdatePlan> make_shared_updates(TaskCode &code, const std::vector<uint32_t> &uses) {
    return std::make_unique<SharedUpdates>(code, uses);
}

} // namespace qd::codegen
