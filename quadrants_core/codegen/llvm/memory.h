#pragma once
// Emits addresses, loads and stores.
#include "codegen/llvm/heap.h"
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

class MemoryCode {
  public:
    MemoryCode(TaskCode &code, HeapCode &heap) : code_(code), fn_(code.fn), b_(code.b), heap_(heap) {
        find_overtaken();
    }
    llvm::Value *address(Value v);
    void access(Value v);

  private:
    void load(Value v);
    void store(Value v);
    void masked(Value v);
    llvm::Value *table(const ir::Table &table);
    llvm::Value *shared(Value v);
    void fence(ir::FenceScope scope);
    void find_overtaken();

    TaskCode &code_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    HeapCode &heap_;
    /// By Value id: masked reads that a select uses after memory may have been written.
    std::vector<bool> overtaken_;
};

} // namespace qd::codegen
