#include "analysis/uniform.h"

#include "analysis/walk.h"

#include <algorithm>

namespace qd::analysis {

using namespace ir;

namespace {

/// True if the op has the same result for all threads that have the same operands.
bool keeps_uniform(Op op) {
    if (op == Op::chunk_begin || op == Op::random_state) return false;
    if (family(op) == Family::group) return op == Op::lanes || op == Op::block_threads;
    return is_movable(op);
}

} // namespace

std::vector<bool> uniform_values(const Function &fn) {
    std::vector<bool> uniform(fn.insts.size());
    for (Value p : fn.params) uniform[p.id] = true;
    walk(fn, [&](Value v) {
        const auto &args = fn.args(v);
        uniform[v.id] = keeps_uniform(fn[v].op) && std::ranges::all_of(args, [&](Value a) { return uniform[a.id]; });
    });
    return uniform;
}

} // namespace qd::analysis
