#pragma once
// Code that takes room from the heap of its thread (abi::Heap) and gives it back.
#include "ir/function.h"

#include <functional>
#include <llvm/IR/IRBuilder.h>
#include <optional>

namespace qd::codegen {

/// Whether each iteration of a body takes some that lasts as long as it does: loops inside that give theirs back are left out.
bool reserves(const ir::Function &fn, ir::BlockId body);

class HeapCode {
  public:
    /// What is free, and what is taken.
    struct Mark {
        llvm::Value *top = nullptr, *end = nullptr, *used = nullptr;
    };

    explicit HeapCode(llvm::IRBuilder<> &builder) : b_(builder) {}

    /// A function begins whose thread is given; `note` hears of each access to it.
    void begin(llvm::Value *thread, std::function<void(llvm::Instruction *)> note);
    /// All that is taken from here to `leave`, which every path reaches, is given back there.
    void enter() { at_entry_ = mark(); }
    void leave() {
        if (at_entry_) give_back(*at_entry_);
    }
    Mark mark();
    void give_back(const Mark &mark);
    /// The address, as a number. Asks `service` if there is no room, and goes to `leave` if it has none.
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
