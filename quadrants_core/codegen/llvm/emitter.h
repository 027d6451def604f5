#pragma once
// The walk from IR to LLVM instructions: functions, and structured control flow. Each family of ops has a class of its own:
// Arithmetic, MemoryCode, UpdateCode, CellCode, OutsideCode. Blocks of thousands of instructions: LargeBlocks.
#include "abi/abi.h"
#include "codegen/llvm/arithmetic.h"
#include "codegen/llvm/cells.h"
#include "codegen/llvm/heap.h"
#include "codegen/llvm/large_blocks.h"
#include "codegen/llvm/lines.h"
#include "codegen/llvm/memory.h"
#include "codegen/llvm/outside.h"
#include "codegen/llvm/updates.h"

namespace qd::codegen {

/// Declares a function of a task. All take (Launch *, Thread *, ...): the chunk's begin and end, where to put the range, or
/// the frame of a part.
llvm::Function *declare(llvm::Module &module, const char *name, llvm::ArrayRef<llvm::Type *> rest, bool fast_math);

class Emitter {
    friend class LargeBlocks;

  public:
    Emitter(const ir::Function &task, llvm::Module &module, const TargetFacts &target, Lines *lines);
    void body();
    void bounds();

  private:
    /// Where `yield`, `break` and `continue` lead, and the phis that take their values.
    struct Exit {
        llvm::BasicBlock *block = nullptr;
        std::vector<llvm::PHINode *> phis;
    };
    struct Region {
        Exit yield, leave; ///< leave: loops only
        bool loop = false;
        llvm::BasicBlock *stop = nullptr; ///< a loop with `flushes`: leaves it with what the round began with
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
    void look_at_start(Value loop, Value look, llvm::Value *index, const Region &region);
    Region loop_region(Value v, const char *end);
    void loop_body(Value v, Region &region, llvm::BasicBlock *before, llvm::function_ref<llvm::BasicBlock *()> turn);
    Exit make_exit(const char *name, std::span<const Value> like);
    void take(const Exit &from, std::span<const Value> results);
    llvm::BasicBlock *stop_block() const;
    void leave_with(const Region &region, llvm::ArrayRef<llvm::PHINode *> values);
    void stop_behind_round(Value loop, const Region &region, llvm::Value *reason);

    TaskCode code_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    Lines *lines_; ///< null: none are wanted
    std::vector<Region> regions_;
    Value looks_later_; ///< the look that the innermost loop has taken out of its body
    HeapCode heap_;
    Arithmetic arithmetic_;
    MemoryCode memory_;
    UpdateCode updates_;
    CellCode cells_;
    OutsideCode outside_;
    LargeBlocks large_;
    std::vector<bool> counts_wide_; ///< by Value id: an index of 32 bits that is widened somewhere
};

} // namespace qd::codegen
