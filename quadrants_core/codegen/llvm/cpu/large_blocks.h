#pragma once
// Outlines blocks of thousands of instructions into functions: see parts.h.
#include "analysis/parts.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace qd::codegen {

class Emitter;
class TaskCode;

class LargeBlocks {
  public:
    explicit LargeBlocks(TaskCode &code) : code_(code) {}
    /// Emits a large block as calls; returns false for any other block.
    bool emit(Emitter &emitter, ir::BlockId block);
    /// Emits the outlined functions, once their caller is done.
    void emit_parts(Emitter &emitter);

  private:
    struct ToDo {
        ir::BlockId block;
        analysis::Part part;
        llvm::Function *function;
    };
    void emit_part(Emitter &emitter, const ToDo &to_do);
    void forget(const ToDo &to_do);
    void put(ir::Value v, llvm::Value *frame, uint64_t at);
    void fetch(ir::Value v, llvm::Value *frame, uint64_t at);
    uint32_t alias_scope_of(ir::Value v);

    TaskCode &code_;
    std::vector<ToDo> to_do_;
};

} // namespace qd::codegen
