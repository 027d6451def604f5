#pragma once
// Helpers that turn the parallel loop of a range task into loops over its linearised range.
#include "ir/builder.h"
#include "passes/passes.h"

#include <span>
#include <utility>
#include <vector>

namespace qd::passes {

/// The loop, removed from the task; `b` inserts at its position.
struct RangeLoop {
    std::vector<ir::Value> bounds;
    ir::Loop flags; ///< settings of the loop that contains the body
    ir::BlockId body;
};

/// True if the iterations of a range task are threads of blocks on the target.
bool by_threads(const ir::Function &fn, const Config &config);

struct Axis {
    ir::Value lo;     ///< i32
    ir::Value extent; ///< i64, not negative
};

std::vector<Axis> axes_of(ir::Builder &b, std::span<const ir::Value> bounds);
/// The outer coordinates (i32) of a row of the range, the last one varying fastest.
std::vector<ir::Value> coordinates(ir::Builder &b, const std::vector<Axis> &axes, ir::Value row);

void replace_uses(ir::Function &fn, ir::BlockId block, const std::vector<std::pair<ir::Value, ir::Value>> &map);

/// Replaces the parallel loop by the instructions that `lower(b, loop)` emits; false if the function has none.
template <class Lower> bool replace_range_loop(ir::Function &fn, const Lower &lower) {
    if (fn.role != ir::Role::range_task) return false;
    std::vector<ir::Value> &list = fn[fn.body].insts;
    for (size_t i = 0; i < list.size(); ++i) {
        const ir::Value v = list[i];
        if (fn[v].op != ir::Op::parallel) continue;
        RangeLoop loop{{fn.args(v).begin(), fn.args(v).end()}, fn.loops[fn[v].imm], fn[v].blocks[0]};
        loop.flags.vectorize = true;
        list.erase(list.begin() + ptrdiff_t(i));
        ir::Builder b(fn, fn.body);
        b.at = i;
        b.span = fn[v].span;
        lower(b, loop);
        return true;
    }
    return false;
}

} // namespace qd::passes
