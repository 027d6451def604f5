#pragma once
// The seam between the printer and a target: how code reaches what is around it, and which forms of code a target prefers.
#include "ir/function.h"

#include <llvm/IR/IRBuilder.h>

namespace qd::codegen {

class Emitter;

/// The surroundings of a task's code: its launch, its thread, its range, other threads and the host. A target has one implementation.
class TaskFrame {
  public:
    enum class Entry : uint8_t { body, bounds };

    virtual ~TaskFrame() = default;
    /// Declares a function that the runtime calls. Its first parameter points to the words of the launch (LaunchWords).
    virtual llvm::Function *declare(Entry entry) = 0;
    /// Returns the address of abi::Thread; null if there is no such record.
    virtual llvm::Value *thread() = 0;
    virtual llvm::Value *thread_index() = 0;
    /// Returns chunk_begin, chunk_end or chunk_step.
    virtual llvm::Value *range(ir::Value v) = 0;
    /// Hands a print or a failed assertion to the host. `words` has its values, 8 bytes each.
    virtual void message(ir::Value v, llvm::Value *words) = 0;
    /// Emits an op of Family::group.
    virtual llvm::Value *group(ir::Value v) = 0;
    virtual void block_sync(ir::Value v) = 0;
    virtual void group_sync(ir::Value v) = 0;
};

/// The forms that a target prefers to those of the printer. This class has none.
class OwnForms {
  public:
    virtual ~OwnForms() = default;
    /// Emits an access to memory; returns false if it has no form of its own.
    virtual bool access(ir::Value) { return false; }
    /// Emits a block; returns false if it has no form of its own.
    virtual bool block(Emitter &, ir::BlockId) { return false; }
    /// Emits what a finished function still needs.
    virtual void after_function(Emitter &) {}
    /// Called for each atomic update in one instruction.
    virtual void mark(llvm::AtomicRMWInst &) {}
};

} // namespace qd::codegen
