#pragma once
// Alias scopes.
//
// Every pointer has one alias scope: an array argument, a field tree, the buffer between tasks, the return buffer, a local, the
// stacks, the counters, the state of the thread, or a table. An access carries its own scope and `noalias` on all others. A
// pointer that came through a block parameter has no known scope, and its accesses carry no metadata.
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace llvm {
class Instruction;
class LLVMContext;
} // namespace llvm

namespace qd::codegen {

enum class AliasScope : uint8_t { array, tree, tmp, ret, local, counters, thread, stacks, table };

class AliasScopes {
  public:
    /// `distinct_arrays`: array arguments overlap neither one another nor a tree.
    explicit AliasScopes(bool distinct_arrays) : distinct_arrays_(distinct_arrays) {}
    void begin();
    /// Returns the number of a scope in the current function, from 1; 0 stands for an unknown scope.
    uint32_t number(AliasScope kind, uint64_t which);
    void note(llvm::Instruction *access, uint32_t number);
    /// Attaches the metadata, once all accesses are noted.
    void attach(llvm::LLVMContext &context) const;

  private:
    const bool distinct_arrays_;
    std::map<std::pair<AliasScope, uint64_t>, uint32_t> numbers_;
    std::vector<std::pair<llvm::Instruction *, uint32_t>> accesses_;
};

} // namespace qd::codegen
