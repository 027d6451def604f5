#pragma once
// The slots of a task's arguments in the launch record, and ranges that follow from them without running code.
#include "abi/range.h"
#include "ir/function.h"

#include <optional>
#include <span>

namespace qd::analysis {

/// Returns the range of a task if abi::Range can express it. `task` is legal. Code for it would take as long to compile as a small loop.
std::optional<abi::Range> launch_range(const ir::Function &task);
/// True if it will be so for a parallel loop of a kernel with these arguments, lo and hi of each axis, once the kernel is cut and lowered.
bool has_launch_range(const ir::Function &kernel, std::span<const ir::Value> ends);

/// Returns the first slot of a parameter in the launch record; none if the task has no such parameter.
std::optional<uint32_t> slot_of(const ir::Function &task, ir::Value param);
/// Returns the number of slots of all parameters.
uint32_t slots_of(const ir::Function &task);

} // namespace qd::analysis
