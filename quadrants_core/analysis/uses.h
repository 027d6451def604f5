#pragma once
// Use counts: how often each value is an operand of an instruction that is listed in a block.
#include "ir/function.h"

namespace qd::analysis {

/// Use counts by value id.
std::vector<uint32_t> use_counts(const ir::Function &fn);

} // namespace qd::analysis
