#pragma once
// Ranges that need no code.
#include "abi/range.h"
#include "codegen/llvm/task_code.h"

#include <optional>

namespace qd::codegen {

/// The range of a task, if it follows from arguments as abi::Range can say. A function for it costs as much to compile as a small loop.
std::optional<abi::Range> range_of(const TaskCode &code);

} // namespace qd::codegen
