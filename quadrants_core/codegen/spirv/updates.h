#pragma once
// Emits atomic updates. lower_atomics has replaced those that the device lacks by loops around an exchange of a word.
#include "codegen/spirv/arithmetic.h"
#include "codegen/spirv/memory.h"

namespace qd::codegen::spirv {

class UpdateCode {
  public:
    UpdateCode(TaskCode &code, MemoryCode &memory, Arithmetic &arithmetic)
        : code_(code), fn_(code.fn), memory_(memory), arithmetic_(arithmetic) {}

    void atomic(Value v);

  private:
    /// In memory of a thread: a load, the operation, and a store.
    Id alone(Value v);
    Id shared(Value v);
    Id applied(Value v, Id old);
    Id exchange(Value v, const MemoryCode::Place &at);

    TaskCode &code_;
    const ir::Function &fn_;
    MemoryCode &memory_;
    Arithmetic &arithmetic_;
};

} // namespace qd::codegen::spirv
