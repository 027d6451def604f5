#pragma once
// What a task says to the host, and asks of it: messages, Stop, counts, clocks, functions of libraries.
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

class OutsideCode {
  public:
    explicit OutsideCode(TaskCode &code) : code_(code), fn_(code.fn), b_(code.b) {}
    void outside(Value v);
    llvm::Value *stop_requested();

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
};

} // namespace qd::codegen
