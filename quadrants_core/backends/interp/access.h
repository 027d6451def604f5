#pragma once
// The ops that make addresses, and those that load, store and update memory.
#include "abi/abi.h"
#include "backends/interp/cells.h"
#include "backends/interp/memory.h"
#include "backends/interp/values.h"

namespace qd::backends::interpreter {

class Access {
  public:
    Access(Values &values, Memory &memory, Cells &cells, const abi::Launch &launch, abi::Thread &thread)
        : values_(values), memory_(memory), cells_(cells), launch_(launch), thread_(thread) {}

    /// Returns the address that an op of Family::address makes; of `reserve`, 0 if there is no memory left.
    uint64_t address(Value v);
    void load(Value v);
    void store(Value v);
    /// Executes masked_load, masked_store, gather and scatter.
    void masked(Value v);
    void atomic(Value v);
    void packed(Value v);

  private:
    const Function &fn() const { return values_.fn; }
    uint64_t element(Value v);
    uint64_t place(Value v);
    uint64_t reserve(Value v);
    /// Returns the address of operand 0, where `bytes` bytes are accessed.
    uint64_t checked(Value v, uint64_t bytes, bool writes);

    Values &values_;
    Memory &memory_;
    Cells &cells_;
    const abi::Launch &launch_;
    abi::Thread &thread_;
};

} // namespace qd::backends::interpreter
