#pragma once
// Emits the steps through sparse trees.
#include "codegen/llvm/task_code.h"

#include <functional>
#include <map>

namespace qd::codegen {

class CellCode {
  public:
    explicit CellCode(TaskCode &code) : code_(code), fn_(code.fn), b_(code.b) {}
    void begin() { lists_.clear(); }
    void step(Value v);

  private:
    const ir::PlaceLevel &level(Value v) const;
    uint32_t alias_scope(Value v);
    llvm::Value *bytes_from(llvm::Value *base, llvm::Value *bytes);
    llvm::Value *bytes_from(llvm::Value *base, uint64_t bytes);
    llvm::Value *read_word(llvm::Value *at, llvm::Type *t, Value v);
    llvm::Value *mask_word(Value v, llvm::Value *&bit);
    llvm::Value *cell_at(Value v, llvm::Value *number, llvm::Value *first);
    llvm::Value *chunk_at(Value v, llvm::Value *number, llvm::Value *&within);
    llvm::Value *find_cell(Value v);
    llvm::Value *make_cell(Value v, llvm::Value *number);
    llvm::Value *has_cell(Value v);
    llvm::Value *new_cell(Value v);
    llvm::Value *either(llvm::Value *fast, llvm::Value *quick, const std::function<llvm::Value *()> &slow);
    llvm::Value *call_runtime(Value v, size_t routine, llvm::Value *number); ///< routine: offset in abi::SparseCalls
    llvm::Value *list_element(Value v);

    TaskCode &code_;
    const ir::Function &fn_;
    llvm::IRBuilder<> &b_;
    std::map<std::pair<uint32_t, uint32_t>, llvm::Value *> lists_;
};

} // namespace qd::codegen
