#include "codegen/llvm/words.h"

#include "abi/abi.h"

#include <cstddef>

namespace qd::codegen {

void LaunchWords::begin(llvm::Value *launch) {
    launch_ = launch;
    pointers_.clear();
    pointers_through_.clear();
    slots_.clear();
}

llvm::Value *LaunchWords::pointer(size_t offset) {
    llvm::Value *&known = pointers_[offset];
    if (!known) known = at_byte(launch_, offset);
    return known;
}

llvm::Value *LaunchWords::pointer(llvm::IRBuilder<> &where, size_t offset) const {
    llvm::Value *at = where.CreateConstInBoundsGEP1_32(where.getInt8Ty(), launch_, unsigned(offset));
    return where.CreateAlignedLoad(where.getPtrTy(space_), at, llvm::Align(8));
}

llvm::Value *LaunchWords::pointer_through(size_t offset, size_t inner) {
    llvm::Value *&known = pointers_through_[{offset, inner}];
    if (!known) known = at_byte(pointer(offset), inner);
    return known;
}

llvm::Value *LaunchWords::service(size_t offset) { return pointer_through(offsetof(abi::Launch, stream.host), offset); }

llvm::Value *LaunchWords::slot(uint32_t index, llvm::Type *t) {
    llvm::Value *&known = slots_[{index, t}];
    if (known) return known;
    const size_t offset = sizeof(abi::Launch) + 8 * size_t(index);
    return known = load(entry_, t, entry_.CreateConstInBoundsGEP1_64(entry_.getInt8Ty(), launch_, offset));
}

llvm::Value *LaunchWords::element(llvm::Value *table, uint32_t index) {
    llvm::Type *pointer = entry_.getPtrTy(space_);
    return load(entry_, pointer, entry_.CreateConstInBoundsGEP1_32(pointer, table, index));
}

llvm::LoadInst *LaunchWords::load(llvm::IRBuilder<> &where, llvm::Type *t, llvm::Value *at, uint64_t align) {
    llvm::LoadInst *load = where.CreateAlignedLoad(t, at, llvm::Align(align));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(where.getContext(), {}));
    return load;
}

llvm::Value *LaunchWords::at_byte(llvm::Value *base, size_t offset) {
    llvm::Value *at = entry_.CreateConstInBoundsGEP1_32(entry_.getInt8Ty(), base, unsigned(offset));
    return load(entry_, entry_.getPtrTy(space_), at);
}

} // namespace qd::codegen
