#pragma once
// Addresses, loads and stores.
#include "codegen/llvm/heap.h"
#include "codegen/llvm/interleaved.h"
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

class MemoryCode {
  public:
    MemoryCode(TaskCode &code, HeapCode &heap)
        : code_(code), fn_(code.fn), b_(code.b), heap_(heap), interleaved_(code) {}
    llvm::Value *address(Value v);
    void access(Value v);

  private:
    void load(Value v);
    void store(Value v);
    void masked(Value v);
    llvm::Value *table(const ir::Table &table);

    TaskCode &code_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    HeapCode &heap_;
    Interleaved interleaved_;
};

} // namespace qd::codegen
