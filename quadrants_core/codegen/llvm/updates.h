#pragma once
// Emits atomic updates of memory, and the checks whether other threads may access it too.
#include "analysis/accumulations.h"
#include "codegen/llvm/arithmetic.h"

#include <optional>
#include <vector>

namespace qd::codegen {

class UpdateCode {
  public:
    UpdateCode(TaskCode &code, Arithmetic &arithmetic);
    /// Starts a function; `thread` is null if its updates are always locked.
    void begin(llvm::Value *thread);
    void atomic(Value v);
    /// Adds constants to the object file: the accumulations, the order that the updates need, and the float mode.
    void list() const;

  private:
    struct EntryValues {
        llvm::Value *copy_offset = nullptr, *is_free = nullptr, *neutral = nullptr;
    };

    enum class How : uint8_t { locked, unlocked, decide_on_entry };

    /// Returns the op that the chain of offsets starts from.
    ir::Op root_of(Value atomic) const;
    /// True if no other thread can reach the memory.
    bool is_private(Value atomic) const;
    bool may_lack_lock(Value atomic) const;
    How how(Value atomic) const;
    /// Fills `looped_` from a block, and `accumulations_.updates.needs`.
    void find_looped(ir::BlockId b, bool in_loop);
    /// True if this thread has exclusive access to the accumulation or, without one, to all memory. Computed once, on entry.
    llvm::Value *is_free(std::optional<size_t> accumulation);
    /// Returns the distance in bytes from the accumulation to the thread's privatised copy of it.
    llvm::Value *copy_offset(size_t accumulation);
    /// Returns the word that the words of the copy are XORed with; null: none.
    llvm::Value *neutral(size_t accumulation);
    llvm::Value *in_copy(llvm::Value *pointer, llvm::Value *copy_offset);
    llvm::Value *word_of_thread(size_t offset, llvm::Type *t);

    llvm::Value *unlocked(Value v, std::optional<size_t> accumulation); ///< returns the old value, as the next two
    llvm::Value *locked(Value v);
    llvm::Value *by_swaps(Value v, llvm::Value *pointer, llvm::Value *operand);

    TaskCode &code_;
    Arithmetic &arithmetic_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    const std::vector<uint32_t> uses_; ///< by Value id
    const bool always_locked_;
    analysis::Accumulations accumulations_;
    std::vector<bool> looped_; ///< by Value id: an atomic inside a loop
    llvm::Value *thread_ = nullptr;
    llvm::Value *alone_ = nullptr;
    std::vector<EntryValues> on_entry_; ///< by accumulation
};

} // namespace qd::codegen
