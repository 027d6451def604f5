#pragma once
// Emits atomic updates of memory.
#include "codegen/llvm/arithmetic.h"

#include <memory>
#include <vector>

namespace qd::codegen {

/// Decides which updates need no lock, because no other thread reaches their memory meanwhile. This class knows only memory of the
/// thread itself.
class UpdatePlan {
  public:
    enum class How : uint8_t { locked, unlocked, decide_on_entry };

    explicit UpdatePlan(TaskCode &code) : code_(code), fn_(code.fn) {}
    virtual ~UpdatePlan() = default;
    /// Starts a function; `thread` is null if its updates are always locked.
    virtual void begin(llvm::Value *) {}
    virtual How how(Value atomic) const { return is_private(atomic) ? How::unlocked : How::locked; }
    /// Returns true if this thread has exclusive access to the memory of an update that is decided on entry.
    virtual llvm::Value *is_free(Value atomic) { code_.refuse(atomic, "is not decided on entry"); }
    /// Returns the address that an update without a lock uses in place of `pointer`.
    virtual llvm::Value *place(Value, llvm::Value *pointer) { return pointer; }
    /// Returns the word that the number there is XORed with; null: none.
    virtual llvm::Value *mask(Value) { return nullptr; }
    /// Adds constants to the object file: the accumulations, the order that the updates need, and the float mode.
    virtual void add_constants() const {}

  protected:
    /// Returns the op that the chain of offsets starts from.
    ir::Op root_of(Value atomic) const;
    /// True if no other thread can reach the memory.
    bool is_private(Value atomic) const;

    TaskCode &code_;
    const ir::Function &fn_;
};

class UpdateCode {
  public:
    UpdateCode(TaskCode &code, Arithmetic &arithmetic);
    void begin(llvm::Value *thread) { plan_->begin(thread); }
    void atomic(Value v);
    void list() const { plan_->add_constants(); }

  private:
    llvm::SyncScope::ID scope(Value atomic) const;
    llvm::Value *unlocked(Value v); ///< returns the old value, as the next two
    llvm::Value *locked(Value v);
    llvm::Value *by_swaps(Value v, llvm::Value *pointer, llvm::Value *operand);

    TaskCode &code_;
    Arithmetic &arithmetic_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    const std::vector<uint32_t> uses_; ///< by Value id
    const std::unique_ptr<UpdatePlan> plan_;
};

} // namespace qd::codegen
