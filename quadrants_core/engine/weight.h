#pragma once
// Estimates from the IR of a task: how much work one index is, and how large its code is.
#include "abi/abi.h"
#include "ir/function.h"

namespace qd::engine {

/// Cost of one index of a task as `offload` makes it, in simple operations.
float weight(const ir::Function &task);
/// What is known after the passes: vector code does several indices at once, and some work is done once by each chunk.
abi::Weight weight_after(abi::Weight before, const ir::Function &optimized);
/// Lanes of the widest value.
int widest(const ir::Function &fn);
/// Instructions in all blocks.
size_t code_size(const ir::Function &fn);
/// Bytes of stack that passes and backends may take: some recurse along chains of values.
size_t stack_for(const ir::Function &fn);

} // namespace qd::engine
