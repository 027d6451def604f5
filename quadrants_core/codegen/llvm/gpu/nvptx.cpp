// Threads and groups in PTX. A warp has 32 lanes.
#include "codegen/llvm/gpu/frame.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace qd::codegen {

namespace {

namespace intrinsics = llvm::Intrinsic;

class NvptxFrame final : public GpuFrame {
  public:
    using GpuFrame::GpuFrame;
    void block_sync(Value) override { together(intrinsics::nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)}); }
    void group_sync(Value) override { together(intrinsics::nvvm_bar_warp_sync, {all()}); }

  protected:
    void finish(llvm::Function &kernel, llvm::Type *words) override {
        kernel.setCallingConv(llvm::CallingConv::PTX_Kernel);
        kernel.addParamAttr(0, llvm::Attribute::getWithByValType(code_.context, words));
    }
    unsigned parameter_space() const override { return 0; }
    unsigned lanes() const override { return 32; }
    llvm::Value *lane() override { return special(intrinsics::nvvm_read_ptx_sreg_laneid); }
    llvm::Value *thread_in_block() override { return special(intrinsics::nvvm_read_ptx_sreg_tid_x); }
    llvm::Value *block_index() override { return special(intrinsics::nvvm_read_ptx_sreg_ctaid_x); }
    llvm::Value *block_threads() override { return special(intrinsics::nvvm_read_ptx_sreg_ntid_x); }
    llvm::Value *blocks() override { return special(intrinsics::nvvm_read_ptx_sreg_nctaid_x); }

    llvm::Value *shuffle(Op op, llvm::Value *word, llvm::Value *by) override {
        const llvm::Intrinsic::ID id = op == Op::shuffle       ? intrinsics::nvvm_shfl_sync_idx_i32
                                       : op == Op::shuffle_xor ? intrinsics::nvvm_shfl_sync_bfly_i32
                                       : op == Op::shuffle_up  ? intrinsics::nvvm_shfl_sync_up_i32
                                                               : intrinsics::nvvm_shfl_sync_down_i32;
        return together(id, {all(), word, by, b_.getInt32(op == Op::shuffle_up ? 0 : 31)});
    }

    llvm::Value *ballot(llvm::Value *condition) override {
        return b_.CreateZExt(together(intrinsics::nvvm_vote_ballot_sync, {all(), condition}), b_.getInt64Ty());
    }

  private:
    llvm::Value *special(llvm::Intrinsic::ID id) { return b_.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type *>(), {}); }
    /// The lanes that a shuffle or a barrier waits for. Lanes that are past the end of the range have left the kernel, and count as arrived.
    llvm::Value *all() { return b_.getInt32(UINT32_MAX); }
};

} // namespace

std::unique_ptr<TaskFrame> make_nvptx_frame(TaskCode &code) { return std::make_unique<NvptxFrame>(code); }

} // namespace qd::codegen
