#include "codegen/llvm/cpu/frame.h"

#include <llvm/IR/Module.h>

#include <cstddef>

namespace qd::codegen {

llvm::Function *declare(llvm::Module &module, const char *name, llvm::ArrayRef<llvm::Type *> rest, bool fast_math) {
    llvm::LLVMContext &context = module.getContext();
    std::vector<llvm::Type *> params(2, llvm::PointerType::getUnqual(context));
    params.insert(params.end(), rest.begin(), rest.end());
    auto *signature = llvm::FunctionType::get(llvm::Type::getVoidTy(context), params, false);
    llvm::Function *function = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, name, module);
    function->setDoesNotThrow();
    if (fast_math)
        function->addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign"); // such tasks run with FTZ and DAZ
    function->addFnAttr("no-trapping-math", "true");
    function->addFnAttr("reciprocal-estimates", "none");
    function->addFnAttr("probe-stack", "inline-asm"); // a frame larger than the stack hits its guard page
    for (llvm::Argument &argument : function->args())
        if (argument.getType()->isPointerTy()) argument.addAttr(llvm::Attribute::NoAlias);
    function->getArg(0)->addAttr(llvm::Attribute::getWithDereferenceableBytes(context, sizeof(abi::Launch)));
    return function;
}

namespace {

class CpuFrame final : public TaskFrame {
  public:
    explicit CpuFrame(TaskCode &code) : code_(code), b_(code.b) {}

    llvm::Function *declare(Entry entry) override {
        llvm::Type *i64 = b_.getInt64Ty(), *pair[] = {i64, i64}, *address[] = {b_.getPtrTy()};
        if (entry == Entry::body) return codegen::declare(code_.module, abi::body_symbol, pair, code_.fn.fast_math);
        return codegen::declare(code_.module, abi::bounds_symbol, address, code_.fn.fast_math);
    }

    llvm::Value *thread() override { return code_.out->getArg(1); }

    llvm::Value *thread_index() override {
        llvm::Value *at = b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), thread(), offsetof(abi::Thread, index));
        return b_.CreateAlignedLoad(b_.getInt32Ty(), at, llvm::Align(4));
    }

    llvm::Value *range(Value v) override {
        const Op op = code_.fn[v].op;
        if (op == Op::chunk_step) return b_.getInt64(1);
        if (code_.out->getName() == abi::bounds_symbol) code_.refuse(v, "has no meaning while the range is computed");
        return code_.out->getArg(op == Op::chunk_begin ? 2 : 3);
    }

    void message(Value v, llvm::Value *words) override {
        const ir::Inst &in = code_.fn[v];
        const bool prints = in.op == Op::print;
        const size_t service = prints ? offsetof(abi::HostServices, print) : offsetof(abi::HostServices, fail);
        llvm::Type *ptr = b_.getPtrTy();
        auto *signature = llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, b_.getInt32Ty(), ptr}, false);
        llvm::CallInst *call = b_.CreateCall(signature, code_.words.service(service),
                                             {code_.out->getArg(0), thread(), b_.getInt32(uint32_t(in.imm)), words});
        call->setDoesNotThrow();
        if (in.op == Op::fail) call->addFnAttr(llvm::Attribute::Cold);
    }

    llvm::Value *group(Value v) override { code_.refuse(v, "must be left out first"); }
    void block_sync(Value v) override { code_.refuse(v, "must be left out first"); }
    void group_sync(Value v) override { code_.refuse(v, "must be left out first"); }

  private:
    TaskCode &code_;
    llvm::IRBuilder<> &b_;
};

} // namespace

std::unique_ptr<TaskFrame> make_cpu_frame(TaskCode &code) { return std::make_unique<CpuFrame>(code); }

} // namespace qd::codegen
