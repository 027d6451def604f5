#pragma once
// Updates without locks, and in privatised copies of what a task accumulates in.
#include "codegen/llvm/updates.h"

namespace qd::codegen {

std::unique_ptr<UpdatePlan> make_shared_updates(TaskCode &code, const std::vector<uint32_t> &uses);

} // namespace qd::codegen
