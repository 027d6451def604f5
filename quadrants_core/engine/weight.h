#pragma once
// Estimates from the IR of a task: the work per index, and the code size.
#include "abi/abi.h"
#include "ir/function.h"

namespace qd::engine {

/// The cost of one index of a task as `offload` makes it, in simple operations.
float weight(const ir::Function &task);
/// The weight known after the passes: vector code handles several indices at once, and some work is done once per chunk.
abi::Weight weight_after(abi::Weight before, const ir::Function &optimized);
/// Lanes of the widest value.
int widest(const ir::Function &fn);
/// Instructions in all blocks.
size_t code_size(const ir::Function &fn);
/// Bytes of stack that passes and backends may take: some recurse along chains of values.
size_t stack_for(const ir::Function &fn);

} // namespace qd::engine
