#pragma once
// What LLVM is told about aliasing.
//
// Every pointer leads into one piece of memory: an array argument, a field tree, the buffer between tasks, the return
// buffer, a local, the stacks, the counters, the state of the thread. Each piece gets an alias scope; an access carries its own
// scope and `noalias` on all others. A pointer that came through a block parameter has no known piece and carries
// nothing.
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace llvm {
class Instruction;
class LLVMContext;
} // namespace llvm

namespace qd::codegen {

enum class Piece : uint8_t { array, tree, tmp, ret, local, counters, thread, stacks, table };

class Pieces {
  public:
    /// `distinct_arrays`: arguments overlap neither one another nor a tree.
    explicit Pieces(bool distinct_arrays) : distinct_arrays_(distinct_arrays) {}
    void begin();
    /// Of the function at hand, from 1; 0 means that nothing is known.
    uint32_t number(Piece kind, uint64_t which);
    /// Whether something leads into it, and it has this number.
    bool is(uint32_t number, Piece kind) const;
    void note(llvm::Instruction *access, uint32_t number);
    /// All accesses are known.
    void attach(llvm::LLVMContext &context) const;

  private:
    const bool distinct_arrays_;
    std::map<std::pair<Piece, uint64_t>, uint32_t> numbers_;
    std::vector<std::pair<llvm::Instruction *, uint32_t>> accesses_;
};

} // namespace qd::codegen
