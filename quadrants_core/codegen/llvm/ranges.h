#pragma once
// Ranges that need no bounds function.
#include "abi/range.h"
#include "codegen/llvm/task_code.h"

#include <optional>

namespace qd::codegen {

/// Returns the range of a task if abi::Range can express it by arguments. A function would take as long to compile as a small loop.
std::optional<abi::Range> range_of(const TaskCode &code);

} // namespace qd::codegen
