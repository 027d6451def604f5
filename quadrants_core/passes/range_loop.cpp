#include "passes/range_loop.h"

#include "analysis/lanes.h"

namespace qd::passes {

using namespace ir;

bool by_threads(const Function &fn, const Config &config) {
    return config.lanes > 0 && fn.role == Role::range_task && analysis::uses_blocks(fn, fn.body);
}

std::vector<Axis> axes_of(Builder &b, std::span<const Value> bounds) {
    std::vector<Axis> axes;
    Value zero = b.i64(0);
    for (size_t a = 0; a < bounds.size(); a += 2) {
        Value lo = b.cast(bounds[a], Scalar::i64);
        Value hi = b.cast(bounds[a + 1], Scalar::i64);
        Value extent = b.sub(hi, lo);
        extent = b.max(extent, zero);
        axes.push_back({bounds[a], extent});
    }
    return axes;
}

std::vector<Value> coordinates(Builder &b, const std::vector<Axis> &axes, Value row) {
    std::vector<Value> at(axes.size() - 1);
    for (size_t a = at.size(); a-- > 0;) {
        Value here = row;
        if (a > 0) {
            Value next = b.div(row, axes[a].extent);
            Value passed = b.mul(next, axes[a].extent);
            here = b.sub(row, passed);
            row = next;
        }
        Value index = b.cast(here, Scalar::i32);
        at[a] = b.add(index, axes[a].lo);
    }
    return at;
}

void replace_uses(Function &fn, BlockId block, const std::vector<std::pair<Value, Value>> &map) {
    for (Value v : fn[block].insts) {
        for (Value &a : fn.args(v))
            for (auto [from, to] : map)
                if (a == from) a = to;
        for (BlockId inner : fn[v].blocks)
            if (inner) replace_uses(fn, inner, map);
    }
}

} // namespace qd::passes
