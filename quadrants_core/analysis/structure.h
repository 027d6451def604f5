#pragma once
// Positions in a function: the block of each value, the owner of each block, program order, dominance.
#include "ir/function.h"

namespace qd::analysis {

struct Structure {
    std::vector<ir::BlockId> block;    ///< by value: the block that contains it; none if it is in no block
    std::vector<ir::Value> owner;      ///< by block: its control instruction; none for the outermost blocks
    std::vector<uint32_t> order;       ///< by value: position in program order
    std::vector<uint32_t> first, last; ///< by block: the contents have orders in [first, last)

    explicit Structure(const ir::Function &fn);

    /// True if `v` is in a block of `control`, at any depth.
    bool inside(const ir::Function &fn, ir::Value v, ir::Value control) const;
    /// True if `def` is computed before `use` and visible there.
    bool dominates(ir::Value def, ir::Value use) const;
};

} // namespace qd::analysis
