#pragma once
// How often each value is an operand of an instruction that stands in a block.
#include "ir/function.h"

namespace qd::analysis {

/// By value id.
std::vector<uint32_t> use_counts(const ir::Function &fn);

} // namespace qd::analysis
