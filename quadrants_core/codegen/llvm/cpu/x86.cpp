#include "codegen/llvm/cpu/x86.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace qd::codegen {

namespace {

namespace intrinsics = llvm::Intrinsic;

/// Matches whole entries only: "+avx512f" is not "+avx512fp16".
bool has(std::string_view features, std::string_view wanted) {
    for (size_t at = 0; (at = features.find(wanted, at)) != features.npos; ++at) {
        size_t end = at + wanted.size();
        if ((at == 0 || features[at - 1] == ',') && (end == features.size() || features[end] == ',')) return true;
    }
    return false;
}

} // namespace

TargetFacts x86_facts(std::string_view features) {
    bool wide = has(features, "+avx512f"), all_widths = wide && has(features, "+avx512vl"), avx = has(features, "+avx");
    TargetFacts facts;
    facts.clock_counts_cycles = true;
    facts.shuffles_any = wide;
    facts.root_estimate = [=](llvm::IRBuilder<> &b, llvm::Value *x) -> llvm::Value * {
        auto *type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
        if (!type || !type->getElementType()->isFloatTy()) return nullptr;
        auto masked = [&](llvm::Intrinsic::ID id, unsigned mask_bits) {
            llvm::Value *zero = llvm::Constant::getNullValue(type);
            return b.CreateIntrinsic(id, {}, {x, zero, llvm::Constant::getAllOnesValue(b.getIntNTy(mask_bits))});
        };
        switch (type->getNumElements()) {
        case 16: return wide ? masked(intrinsics::x86_avx512_rsqrt14_ps_512, 16) : nullptr;
        case 8:
            if (all_widths) return masked(intrinsics::x86_avx512_rsqrt14_ps_256, 8);
            return avx ? b.CreateIntrinsic(intrinsics::x86_avx_rsqrt_ps_256, {}, {x}) : nullptr;
        case 4:
            if (all_widths) return masked(intrinsics::x86_avx512_rsqrt14_ps_128, 8);
            return b.CreateIntrinsic(intrinsics::x86_sse_rsqrt_ps, {}, {x});
        default: return nullptr;
        }
    };
    return facts;
}

} // namespace qd::codegen
