#include "passes/passes.h"

namespace qd::passes {

void drop_counts(ir::Function &kernel) {
    for (ir::Block &block : kernel.blocks)
        std::erase_if(block.insts, [&](ir::Value v) { return kernel[v].op == ir::Op::count; });
    kernel.counters.clear();
}

} // namespace qd::passes
