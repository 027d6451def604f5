#include "passes/serialize_parallel.h"

#include "ir/builder.h"

namespace qd::passes {

using namespace ir;

namespace {

/// One `for` per axis, the first outermost. The index parameters of the parallel loop become those of the new loops.
void nest(Function &fn, Value v) {
    Loop flags = fn.loops[fn[v].imm];
    flags.vectorize = !flags.serialize;
    std::vector<Value> args(fn.args(v).begin(), fn.args(v).end());
    BlockId body = fn[v].blocks[0];
    std::vector<Value> indices = fn[body].params;
    size_t axes = indices.size();

    Value loop = v;
    for (size_t a = 0; a < axes; ++a) {
        bool last = a + 1 == axes;
        fn[loop].op = Op::for_;
        fn[loop].imm = fn.loops.size();
        fn.loops.push_back(flags);
        if (!last) fn.loops.back().vectorize = false;
        fn.set_args(loop, std::span<const Value>(args).subspan(2 * a, 2));
        if (last) {
            fn[loop].blocks[0] = body;
            fn[body].params = {indices[a]};
            break;
        }
        BlockId shell = fn.make_block();
        fn[loop].blocks[0] = shell;
        fn[shell].params = {indices[a]};
        Inst inner;
        inner.op = Op::for_;
        inner.span = fn[v].span;
        loop = fn.make(inner);
        fn[shell].insts.push_back(loop);
        Builder b(fn, shell);
        b.yield();
    }
}

bool walk(Function &fn, BlockId block, bool keep) {
    bool changed = false;
    for (size_t i = 0; i < fn[block].insts.size(); ++i) {
        Value v = fn[block].insts[i];
        for (int k = 0; k < 2; ++k)
            if (BlockId inner = fn[v].blocks[k]) changed |= walk(fn, inner, false);
        if (fn[v].op != Op::parallel || keep) continue;
        nest(fn, v);
        changed = true;
    }
    return changed;
}

} // namespace

bool serialize_parallel(Function &task) { return walk(task, task.body, task.role == Role::range_task); }

} // namespace qd::passes
