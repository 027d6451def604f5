#pragma once
// The surroundings of code on a device. A task is a kernel (launch, begin, end): the words of the launch by value, and its range,
// which the threads of a grid share index by index.
#include "codegen/llvm/task_code.h"
#include "codegen/llvm/task_frame.h"

namespace qd::codegen {

/// The frame of NVIDIA's and AMD's devices; a subclass has the names that differ.
class GpuFrame : public TaskFrame {
  public:
    explicit GpuFrame(TaskCode &code) : code_(code), b_(code.b) {}

    llvm::Function *declare(Entry entry) final;
    llvm::Value *thread() final { return nullptr; }
    llvm::Value *thread_index() final { return b_.CreateTrunc(index_in_grid(), b_.getInt32Ty()); }
    llvm::Value *range(Value v) final;
    void message(Value v, llvm::Value *words) final;
    llvm::Value *group(Value v) final;

  protected:
    /// Completes the declaration of a kernel, whose first parameter is a pointer to `words`.
    virtual void finish(llvm::Function &kernel, llvm::Type *words) = 0;
    virtual unsigned parameter_space() const = 0; ///< address space of the parameters of a kernel
    virtual unsigned lanes() const = 0;
    // As i32.
    virtual llvm::Value *lane() = 0;
    virtual llvm::Value *thread_in_block() = 0;
    virtual llvm::Value *block_index() = 0;
    virtual llvm::Value *block_threads() = 0;
    virtual llvm::Value *blocks() = 0;
    /// Returns a 32-bit word of another lane of the group. `op` is a shuffle, and `by` its second operand.
    virtual llvm::Value *shuffle(Op op, llvm::Value *word, llvm::Value *by) = 0;
    virtual llvm::Value *ballot(llvm::Value *condition) = 0; ///< as u64

    /// Calls a convergent function of LLVM: the call stays in its branch and its loop.
    llvm::CallInst *together(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> args,
                             llvm::ArrayRef<llvm::Type *> types = {});

    TaskCode &code_;
    llvm::IRBuilder<> &b_;

  private:
    llvm::Value *index_in_grid();
    llvm::Value *shuffle_number(Value v);
};

std::unique_ptr<TaskFrame> make_nvptx_frame(TaskCode &code);
std::unique_ptr<TaskFrame> make_amdgcn_frame(TaskCode &code);

} // namespace qd::codegen
