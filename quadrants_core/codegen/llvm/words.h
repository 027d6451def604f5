#pragma once
// Words of the launch that do not change while a task runs: each is loaded once, on entry.
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <utility>

namespace qd::codegen {

class LaunchWords {
  public:
    /// `entry` inserts at the start of the function; `space`: the address space of the memory that the words point to.
    LaunchWords(llvm::IRBuilder<> &entry, unsigned space) : entry_(entry), space_(space) {}
    void begin(llvm::Value *launch);
    /// Returns the pointer at this byte of abi::Launch.
    llvm::Value *pointer(size_t offset);
    /// The same, loaded at `where`, so that it occupies no register in the surrounding loops.
    llvm::Value *pointer(llvm::IRBuilder<> &where, size_t offset) const;
    /// Returns the pointer at byte `inner` of the struct that this pointer points to.
    llvm::Value *pointer_through(size_t offset, size_t inner);
    /// Returns the function at this byte of abi::HostServices.
    llvm::Value *service(size_t offset);
    /// Returns an argument of the launch.
    llvm::Value *slot(uint32_t index, llvm::Type *t);
    /// Returns element `index` of a table of addresses that does not change either.
    llvm::Value *element(llvm::Value *table, uint32_t index);
    /// Emits a load of memory that does not change.
    static llvm::LoadInst *load(llvm::IRBuilder<> &where, llvm::Type *t, llvm::Value *at, uint64_t align = 8);

  private:
    llvm::Value *at_byte(llvm::Value *base, size_t offset);

    llvm::IRBuilder<> &entry_;
    const unsigned space_;
    llvm::Value *launch_ = nullptr;
    std::map<size_t, llvm::Value *> pointers_;
    std::map<std::pair<size_t, size_t>, llvm::Value *> pointers_through_;
    std::map<std::pair<uint32_t, llvm::Type *>, llvm::Value *> slots_;
};

} // namespace qd::codegen
