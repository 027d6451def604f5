#include "analysis/lanes.h"

#include "analysis/uniform.h"

#include <algorithm>

namespace qd::analysis {

using namespace ir;

namespace {

/// Returns the first instruction in program order that satisfies the condition.
template <class Condition> Value first(const Function &fn, BlockId b, const Condition &condition) {
    for (Value v : fn[b].insts) {
        if (condition(fn[v].op)) return v;
        for (BlockId child : fn[v].blocks)
            if (Value found = child ? first(fn, child, condition) : Value()) return found;
    }
    return {};
}

} // namespace

bool uses_blocks(const Function &fn, BlockId b) {
    return bool(first(fn, b, [](Op op) {
        return family(op) == Family::group || op == Op::shared || (info(op).traits & convergent);
    }));
}

bool may_wait(const Function &fn, BlockId b) {
    return bool(first(fn, b, [](Op op) { return (info(op).traits & (convergent | observes)) != 0; }));
}

bool all_meet(const Function &task) {
    const std::vector<bool> uniform = uniform_values(task);
    const auto meet = [&](const auto &self, BlockId b) -> bool {
        return std::ranges::any_of(task[b].insts, [&](Value v) {
            if (info(task[v].op).traits & convergent) return true;
            if (task[v].op != Op::if_ || !uniform[task.args(v)[0].id]) return false;
            return self(self, task[v].blocks[0]) || self(self, task[v].blocks[1]);
        });
    };
    return meet(meet, task.body);
}

Value needs_lanes(const Function &fn) {
    return first(fn, fn.body, [](Op op) { return family(op) == Family::group && op != Op::group_any; });
}

uint32_t block_dim(const Function &task) {
    if (task.role != Role::range_task) return 0;
    for (Value v : task[task.body].insts)
        if (task[v].op == Op::parallel) return task.loops[task[v].imm].block_dim;
    return 0;
}

} // namespace qd::analysis
