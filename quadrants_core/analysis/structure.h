#pragma once
// Where everything stands: the block of each value, the owner of each block, program order, dominance.
#include "ir/function.h"

namespace qd::analysis {

struct Structure {
    std::vector<ir::BlockId> block;    ///< by value: the block that holds it; none if it stands nowhere
    std::vector<ir::Value> owner;      ///< by block: its control instruction; none for the outermost blocks
    std::vector<uint32_t> order;       ///< by value: place in program order
    std::vector<uint32_t> first, last; ///< by block: the order of everything inside lies in [first, last)

    explicit Structure(const ir::Function &fn);

    /// `v` lies in a block of `control`, at any depth.
    bool inside(const ir::Function &fn, ir::Value v, ir::Value control) const;
    /// `def` is computed before, and visible at, `use`.
    bool dominates(ir::Value def, ir::Value use) const;
};

} // namespace qd::analysis
