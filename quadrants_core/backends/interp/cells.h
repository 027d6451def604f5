#pragma once
// Cells of sparse trees: addresses of places in them, and the ops on cells and on lists of cells.
#include "abi/abi.h"
#include "backends/interp/memory.h"
#include "backends/interp/values.h"
#include "runtime/sparse.h"

namespace qd::backends::interpreter {

class Cells {
  public:
    Cells(Values &values, Memory &memory, const abi::Launch &launch)
        : values_(values), memory_(memory), launch_(launch) {}

    /// Returns the address of a pointer at its use. For a place in a sparse tree, only the use looks up the cell, or creates it if
    /// `writes`.
    uint64_t pointer(Value v, bool writes);
    /// Executes an op on a cell.
    void cell(Value v);
    /// Executes an op that ops on cells and sparse pointers are lowered to, or one on lists of cells.
    void step(Value v);

  private:
    const Function &fn() const { return values_.fn; }
    runtime::SparseTrees &trees() const {
        return const_cast<runtime::SparseTrees &>(static_cast<const runtime::SparseTrees &>(*launch_.stream.sparse));
    }
    char *find(Value place, size_t depth, bool make);
    uint64_t element(Value list);

    Values &values_;
    Memory &memory_;
    const abi::Launch &launch_;
};

} // namespace qd::backends::interpreter
