#pragma once
// Ranges that follow from the arguments of a launch without running code.
#include "abi/range.h"
#include "ir/function.h"

#include <optional>
#include <span>

namespace qd::analysis {

/// Returns the range of a task if abi::Range can express it. `task` is legal. Code for it would take as long to compile as a small loop.
std::optional<abi::Range> launch_range(const ir::Function &task);
/// True if it will be so for a parallel loop of a kernel with these arguments, lo and hi of each axis, once the kernel is cut and lowered.
bool has_launch_range(const ir::Function &kernel, std::span<const ir::Value> ends);

} // namespace qd::analysis
