// Defines the only symbol of libquadrants_llvm_gpu.so, which has a copy of LLVM of its own: code for the host neither waits until these
// targets are registered nor shares its switches with them.
#include "codegen/llvm/gpu/check.h"
#include "codegen/llvm/gpu/frame.h"
#include "codegen/llvm/linked_targets.h"
#include "codegen/llvm/passes.h"
#include "codegen/llvm/updates.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Triple.h>

namespace {

using namespace qd::codegen;

/// LLVM writes exchanges in PTX as if they ordered nothing else; fences order them.
class NvptxForms final : public OwnForms {
  public:
    void mark(llvm::AtomicRMWInst &update) override {
        if (update.getOrdering() != llvm::AtomicOrdering::AcquireRelease) return;
        llvm::IRBuilder<>(&update).CreateFence(llvm::AtomicOrdering::Release, update.getSyncScopeID());
        llvm::IRBuilder<>(update.getParent()).CreateFence(llvm::AtomicOrdering::Acquire, update.getSyncScopeID());
    }
};

/// Lets updates of floats be single instructions, which work in memory of the device itself only.
class AmdgcnForms final : public OwnForms {
  public:
    void mark(llvm::AtomicRMWInst &update) override {
        llvm::MDNode *empty = llvm::MDNode::get(update.getContext(), {});
        update.setMetadata("amdgpu.no.fine.grained.memory", empty);
        update.setMetadata("amdgpu.no.remote.memory", empty);
        if (update.getType()->isFloatTy()) update.setMetadata("amdgpu.ignore.denormal.mode", empty);
    }
};

template <class Forms> std::unique_ptr<OwnForms> make_forms(TaskCode &) { return std::make_unique<Forms>(); }

std::unique_ptr<UpdatePlan> make_updates(TaskCode &code, const std::vector<uint32_t> &) {
    return std::make_unique<UpdatePlan>(code);
}

constexpr const char *switches[] = {"quadrants"};

TargetFacts facts(const llvm::Triple &triple, std::string_view, bool) {
    TargetFacts facts;
    facts.clock_counts_cycles = true;
    facts.has_functions = facts.has_constants = false;
    facts.check = check_for_device;
    facts.make_updates = make_updates;
    if (triple.isNVPTX()) {
        // Locals are in the space of all pointers. Tables are in global memory, since constant memory has 64 KiB.
        facts.spaces = {.global = 1, .shared = 3, .private_ = 0, .constant = 1};
        facts.device_scope = "device";
        facts.block_scope = facts.group_scope = "block";
        facts.make_frame = make_nvptx_frame;
        facts.make_forms = make_forms<NvptxForms>;
    } else {
        facts.spaces = {.global = 1, .shared = 3, .private_ = 5, .constant = 4};
        facts.check = check_for_amdgcn;
        facts.device_scope = "agent";
        facts.block_scope = "workgroup";
        facts.group_scope = "wavefront";
        facts.make_frame = make_amdgcn_frame;
        facts.make_forms = make_forms<AmdgcnForms>;
    }
    return facts;
}

constexpr Targets targets = {switches, initialize_linked_targets, facts, nullptr};

constexpr llvm_library::Library library = {qd::abi::version, LLVM_VERSION_STRING, compile_request, nullptr};

} // namespace

/// Called once, under the lock of loader.cpp.
extern "C" __attribute__((visibility("default"))) const llvm_library::Library *qd_llvm_library() {
    start_llvm(targets);
    return &library;
}
