#pragma once
// Refuses tasks that devices cannot execute.
#include "ir/function.h"

namespace qd::codegen {

/// Throws Refused for the first op of the task that devices do not have.
void check_for_device(const ir::Function &task);
/// The same for AMD's devices, for which LLVM has no arithmetic fence.
void check_for_amdgcn(const ir::Function &task);

} // namespace qd::codegen
