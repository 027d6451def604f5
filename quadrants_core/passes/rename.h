#pragma once
// Replacement of values by others, applied while a pass walks in program order.
#include "ir/function.h"

namespace qd::passes {

struct Rename {
    std::vector<ir::Value> to; ///< by value id; none: unchanged

    explicit Rename(const ir::Function &fn) : to(fn.insts.size()) {}

    ir::Value operator()(ir::Value v) const {
        while (v.id < to.size() && to[v.id]) v = to[v.id];
        return v;
    }
    void replace(ir::Value v, ir::Value by) {
        if (v.id >= to.size()) to.resize(v.id + 1);
        to[v.id] = by;
    }
    void apply(ir::Function &fn, ir::Value inst) const {
        for (ir::Value &a : fn.args(inst)) a = (*this)(a);
    }
};

} // namespace qd::passes
