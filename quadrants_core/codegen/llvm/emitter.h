#pragma once
// Translates functions and structured control flow from IR to LLVM instructions. Each op family has its own class: Arithmetic,
// MemoryCode, UpdateCode, CellCode, OutsideCode. LargeBlocks (cpu/) emits blocks of thousands of instructions through it.
#include "abi/abi.h"
#include "codegen/llvm/arithmetic.h"
#include "codegen/llvm/cells.h"
#include "codegen/llvm/heap.h"
#include "codegen/llvm/lines.h"
#include "codegen/llvm/memory.h"
#include "codegen/llvm/outside.h"
#include "codegen/llvm/updates.h"

namespace qd::codegen {

class Emitter {
    friend class LargeBlocks;

  public:
    Emitter(const ir::Function &task, llvm::Module &module, const TargetFacts &target, Lines *lines);
    void body();
    void bounds();

  private:
    /// The target of `yield`, `break` or `continue`, and the phis that take the values.
    struct Exit {
        llvm::BasicBlock *block = nullptr;
        std::vector<llvm::PHINode *> phis;
    };
    struct Region {
        Exit yield, leave; ///< leave: loops only
        bool loop = false;
        llvm::BasicBlock *stop =
            nullptr; ///< for a loop with `flushes`: leaves it with the values at the start of the iteration
    };

    void begin(llvm::Function *function, bool bounds);
    void finish();
    void block(ir::BlockId id);
    void instruction(Value v);
    void terminator(Value v);
    void jump(Exit &to, std::span<const Value> values);
    void if_op(Value v);
    void for_op(Value v);
    void loop_op(Value v);
    void safepoint_at_start(Value loop, Value safepoint, llvm::Value *index, const Region &region);
    Region loop_region(Value v, const char *end);
    void loop_body(Value v, Region &region, llvm::BasicBlock *before, llvm::function_ref<llvm::BasicBlock *()> turn);
    Exit make_exit(const char *name, std::span<const Value> like);
    void take(const Exit &from, std::span<const Value> results);
    llvm::BasicBlock *stop_block() const;
    void leave_with(const Region &region, llvm::ArrayRef<llvm::PHINode *> values);
    void stop_after_iteration(Value loop, const Region &region, llvm::Value *reason);

    TaskCode code_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    Lines *lines_; ///< null without a line table
    std::vector<Region> regions_;
    Value hoisted_safepoint_; ///< the safepoint branch that the innermost loop has hoisted out of its body
    HeapCode heap_;
    Arithmetic arithmetic_;
    MemoryCode memory_;
    UpdateCode updates_;
    CellCode cells_;
    OutsideCode outside_;
    std::vector<bool> counts_wide_; ///< by Value id: a 32-bit value that is widened somewhere
};

} // namespace qd::codegen
