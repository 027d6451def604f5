#pragma once
// Ranges that follow from the arguments of a launch without running code.
#include "abi/range.h"
#include "ir/function.h"

#include <optional>

namespace qd::analysis {

/// Returns the range of a task if abi::Range can express it. `task` is legal. Code for it would take as long to compile as a small loop.
std::optional<abi::Range> launch_range(const ir::Function &task);

} // namespace qd::analysis
