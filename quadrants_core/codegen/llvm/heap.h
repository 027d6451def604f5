#pragma once
// Emits allocation from the thread's heap (abi::Heap), and its release.
#include "ir/function.h"

#include <functional>
#include <llvm/IR/IRBuilder.h>
#include <optional>

namespace qd::codegen {

/// True if an iteration of `body` may allocate memory that lives until the iteration ends. Inner loops that release theirs do not count.
bool reserves(const ir::Function &fn, ir::BlockId body);

class HeapCode {
  public:
    /// The state of the heap: the free range, and the bytes in use.
    struct Mark {
        llvm::Value *top = nullptr, *end = nullptr, *used = nullptr;
    };

    explicit HeapCode(llvm::IRBuilder<> &builder) : b_(builder) {}

    /// Starts a function with this thread; `note` is called for each access to it.
    void begin(llvm::Value *thread, std::function<void(llvm::Instruction *)> note);
    /// Memory allocated from here to `leave`, which every path reaches, is released there.
    void enter() { at_entry_ = mark(); }
    void leave() {
        if (at_entry_) give_back(*at_entry_);
    }
    Mark mark();
    void give_back(const Mark &mark);
    /// Returns the address as an integer. Calls `service` if there is no room, and branches to `leave` if that fails.
    llvm::Value *reserve(const ir::Inst &inst, llvm::Value *entries, llvm::Value *service, llvm::BasicBlock *leave);

  private:
    llvm::Value *at(size_t offset);
    llvm::Value *read(llvm::Value *at, llvm::Type *t);
    void write(llvm::Value *value, llvm::Value *at);
    llvm::Value *word(size_t offset);
    llvm::BasicBlock *new_block(const char *name, llvm::BasicBlock *before);

    llvm::IRBuilder<> &b_;
    llvm::Value *thread_ = nullptr;
    std::function<void(llvm::Instruction *)> note_;
    std::optional<Mark> at_entry_;
};

} // namespace qd::codegen
