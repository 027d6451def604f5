#pragma once
// Emits the ops by which a task reaches the host: messages, Stop, counts, clocks, functions of libraries.
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

class OutsideCode {
  public:
    explicit OutsideCode(TaskCode &code) : code_(code), fn_(code.fn), b_(code.b) {}
    void outside(Value v);
    llvm::Value *stop_requested();
    /// Emits a safepoint: true if the coverage counts were requested again since the last safepoint of this call.
    llvm::Value *safepoint();
    void begin() { reported_ = left_ = nullptr; }
    /// Records that a loop with `flushes` is left early here.
    void leave();
    llvm::Value *left_early();
    /// True if the code emitted so far may leave such a loop early.
    bool may_have_left() const { return left_; }

  private:
    void message(Value v);
    llvm::Value *requested();
    llvm::Value *serve_requests();
    llvm::Value *clock();
    void external(Value v);

    TaskCode &code_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    llvm::Value *reported_ = nullptr; ///< value of StreamWords::counts_requested at the last safepoint
    llvm::Value *left_ = nullptr;     ///< 1: a loop with `flushes` was left early
};

} // namespace qd::codegen
