#pragma once
// What a task says to the host, and asks of it: messages, Stop, counts, clocks, functions of libraries.
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

class OutsideCode {
  public:
    explicit OutsideCode(TaskCode &code) : code_(code), fn_(code.fn), b_(code.b) {}
    void outside(Value v);
    llvm::Value *stop_requested();
    /// Somebody wants the counts so far who was not told them; now is the time.
    llvm::Value *look();
    void begin() { told_ = left_ = nullptr; }
    /// A loop with `flushes` is left early here.
    void leave();
    llvm::Value *has_left();
    /// Whether one can have been in what was emitted so far.
    bool may_have_left() const { return left_; }

  private:
    void message(Value v);
    llvm::Value *counts_asked();
    llvm::Value *answer();
    llvm::Value *clock();
    llvm::Value *thread_index();
    void external(Value v);

    TaskCode &code_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    llvm::Value *told_ = nullptr; ///< what LaunchData::asked was when counts were told last
    llvm::Value *left_ = nullptr; ///< 1: a loop with `flushes` was left early
};

} // namespace qd::codegen
