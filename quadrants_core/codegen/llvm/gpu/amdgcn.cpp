// Threads and groups of AMD's devices. A wave has 64 lanes.
#include "codegen/llvm/gpu/frame.h"

#include <llvm/IR/IntrinsicsAMDGPU.h>

namespace qd::codegen {

namespace {

namespace intrinsics = llvm::Intrinsic;

class AmdgcnFrame final : public GpuFrame {
  public:
    using GpuFrame::GpuFrame;
    void block_sync(Value) override { barrier(intrinsics::amdgcn_s_barrier, code_.target.block_scope); }
    void group_sync(Value) override { barrier(intrinsics::amdgcn_wave_barrier, code_.target.group_scope); }

  protected:
    void finish(llvm::Function &kernel, llvm::Type *words) override {
        kernel.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
        kernel.addParamAttr(0, llvm::Attribute::getWithByRefType(code_.context, words));
        kernel.addFnAttr("amdgpu-flat-work-group-size", "1,1024");
        kernel.addFnAttr("uniform-work-group-size", "true");
    }
    unsigned parameter_space() const override { return code_.target.spaces.constant; }
    unsigned lanes() const override { return 64; }
    llvm::Value *lane() override {
        llvm::Value *all = b_.getInt32(UINT32_MAX);
        llvm::Value *low = b_.CreateIntrinsic(intrinsics::amdgcn_mbcnt_lo, {}, {all, b_.getInt32(0)});
        return b_.CreateIntrinsic(intrinsics::amdgcn_mbcnt_hi, {}, {all, low});
    }
    llvm::Value *thread_in_block() override { return plain(intrinsics::amdgcn_workitem_id_x); }
    llvm::Value *block_index() override { return plain(intrinsics::amdgcn_workgroup_id_x); }
    // Implicit arguments of version 5 of the code object: the number of blocks, and the threads of one at byte 12.
    llvm::Value *block_threads() override { return b_.CreateZExt(implicit(12, b_.getInt16Ty()), b_.getInt32Ty()); }
    llvm::Value *blocks() override { return implicit(0, b_.getInt32Ty()); }

    llvm::Value *shuffle(Op op, llvm::Value *word, llvm::Value *by) override {
        llvm::Value *from = op == Op::shuffle       ? by
                            : op == Op::shuffle_xor ? b_.CreateXor(lane(), by)
                            : op == Op::shuffle_up  ? b_.CreateSub(lane(), by)
                                                    : b_.CreateAdd(lane(), by);
        return together(intrinsics::amdgcn_ds_bpermute, {b_.CreateShl(from, 2), word});
    }

    llvm::Value *ballot(llvm::Value *condition) override {
        return together(intrinsics::amdgcn_ballot, {condition}, {b_.getInt64Ty()});
    }

  private:
    void barrier(llvm::Intrinsic::ID id, const char *among) {
        const llvm::SyncScope::ID scope = code_.scope(among);
        b_.CreateFence(llvm::AtomicOrdering::Release, scope);
        together(id, {});
        b_.CreateFence(llvm::AtomicOrdering::Acquire, scope);
    }
    llvm::Value *plain(llvm::Intrinsic::ID id) { return b_.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type *>(), {}); }
    llvm::Value *implicit(unsigned byte, llvm::Type *type) {
        llvm::Value *at =
            b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), plain(intrinsics::amdgcn_implicitarg_ptr), byte);
        return LaunchWords::load(b_, type, at, type->getPrimitiveSizeInBits() / 8);
    }
};

} // namespace

std::unique_ptr<TaskFrame> make_amdgcn_frame(TaskCode &code) { return std::make_unique<AmdgcnFrame>(code); }

} // namespace qd::codegen
