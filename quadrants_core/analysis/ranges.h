#pragma once
// Ranges that need no bounds function.
#include "abi/range.h"
#include "ir/function.h"

#include <optional>

namespace qd::analysis {

/// Returns the range of a task if abi::Range can express it by arguments. A function would take as long to compile as a small loop.
std::optional<abi::Range> range_of(const ir::Function &task);

/// Returns the first slot of a parameter in abi::LaunchData::args; none if the task has no such parameter.
std::optional<uint32_t> slot_of(const ir::Function &task, ir::Value param);

} // namespace qd::analysis
