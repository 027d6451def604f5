#pragma once
// Emits ops on the threads of a block and the lanes of a subgroup.
#include "codegen/spirv/arithmetic.h"

namespace qd::codegen::spirv {

class GroupCode {
  public:
    GroupCode(TaskCode &code, Frame &frame, Arithmetic &arithmetic, uint32_t lanes)
        : code_(code), fn_(code.fn), frame_(frame), arithmetic_(arithmetic), lanes_(lanes) {}

    Id group(Value v);

  private:
    Id shuffle(Value v);
    Id shuffle_word(Op op, Id word, Id by);
    Id ballot(Id condition);
    Id any(Id condition);
    Id subgroup() { return code_.whole(32, uint32_t(spv::Scope::Subgroup)); }

    TaskCode &code_;
    const ir::Function &fn_;
    Frame &frame_;
    Arithmetic &arithmetic_;
    const uint32_t lanes_;
};

} // namespace qd::codegen::spirv
