#pragma once
// Blocks of thousands of instructions as calls of functions of their own: see parts.h.
#include "codegen/llvm/parts.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace qd::codegen {

class Emitter;
class TaskCode;

class LargeBlocks {
  public:
    LargeBlocks(Emitter &emitter, TaskCode &code) : emitter_(emitter), code_(code) {}
    /// Emits the block as calls, if it is one of those; else false.
    bool emit(ir::BlockId block);
    /// The functions that were called, once the one that calls them is done.
    void emit_parts();

  private:
    struct ToDo {
        ir::BlockId block;
        Part part;
        llvm::Function *function;
    };
    void emit_part(const ToDo &to_do);
    void forget(const ToDo &to_do);
    void put(ir::Value v, llvm::Value *frame, uint64_t at);
    void fetch(ir::Value v, llvm::Value *frame, uint64_t at);
    uint32_t piece_of(ir::Value v);

    Emitter &emitter_;
    TaskCode &code_;
    std::vector<ToDo> to_do_;
};

} // namespace qd::codegen
