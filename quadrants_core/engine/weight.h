#pragma once
// Estimates from the IR of a task: how much work one index is, and how large its code is.
#include "ir/function.h"

namespace qd::engine {

/// Cost of one index of a task as `offload` makes it, in simple operations.
float weight(const ir::Function &task);
/// The same after the passes: vector code does several indices at once.
float weight_after(float before, const ir::Function &optimized);
/// Lanes of the widest value.
int widest(const ir::Function &fn);
/// Instructions in all blocks.
size_t code_size(const ir::Function &fn);
/// Bytes of stack that passes and backends may take: some recurse along chains of values.
size_t stack_for(const ir::Function &fn);

} // namespace qd::engine
