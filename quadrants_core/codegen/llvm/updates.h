#pragma once
// Atomic updates of memory, and what the code of a task asks about who else is there.
#include "codegen/llvm/accumulations.h"
#include "codegen/llvm/arithmetic.h"

#include <optional>
#include <vector>

namespace qd::codegen {

class UpdateCode {
  public:
    UpdateCode(TaskCode &code, Arithmetic &arithmetic);
    /// A function begins; `thread` is null if its updates are always locked.
    void begin(llvm::Value *thread);
    void atomic(Value v);
    /// Leaves the list of what threads may have copies of, and what order is asked for, in the object file.
    void list() const;

  private:
    struct Asked {
        llvm::Value *to_copy = nullptr, *is_free = nullptr, *neutral = nullptr;
    };

    enum class How : uint8_t { locked, unlocked, ask };

    /// What the memory comes from.
    ir::Op root_of(Value atomic) const;
    /// Memory that no other thread knows.
    bool is_private(Value atomic) const;
    bool may_lack_lock(Value atomic) const;
    How how(Value atomic) const;
    /// Fills `looped_` from a block, and `accumulations_.updates.needs`.
    void find_looped(ir::BlockId b, bool in_loop);
    /// Asked once, on entry: nobody else is at what is updated; the number of the accumulation that it is of, or none.
    llvm::Value *is_free(std::optional<size_t> accumulation);
    /// From there to the copy of the thread, in bytes.
    llvm::Value *to_copy(size_t accumulation);
    /// What the words there are XORed with; null: nothing.
    llvm::Value *neutral(size_t accumulation);
    llvm::Value *in_copy(llvm::Value *pointer, llvm::Value *to_copy);
    llvm::Value *word_of_thread(size_t offset, llvm::Type *t);

    llvm::Value *unlocked(Value v, std::optional<size_t> accumulation); ///< what was there before, as the next two
    llvm::Value *locked(Value v);
    llvm::Value *by_swaps(Value v, llvm::Value *pointer, llvm::Value *operand);

    TaskCode &code_;
    Arithmetic &arithmetic_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    const std::vector<uint32_t> uses_; ///< by Value id
    const bool always_locked_;
    Accumulations accumulations_;
    std::vector<bool> looped_; ///< by Value id: an atomic in a loop
    llvm::Value *thread_ = nullptr;
    llvm::Value *alone_ = nullptr;
    std::vector<Asked> asked_; ///< by accumulation
};

} // namespace qd::codegen
