// For targets where each thread is a block and a group of its own: barriers and fences within blocks are removed, a condition on any lane
// of the group is the thread's own, and shared memory is private.
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/spaces.h"

#include "analysis/walk.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;

namespace {

/// True for instructions that a thread which is alone does not need.
bool is_removed(const Inst &in) {
    return in.op == Op::block_sync || in.op == Op::group_sync || in.op == Op::group_any ||
           (in.op == Op::fence && FenceScope(in.imm) != FenceScope::device);
}

struct Blocks {
    Function &fn;
    Rename rename;
    bool any = false, moves = false;

    explicit Blocks(Function &f) : fn(f), rename(f) {}

    void run(BlockId b) {
        for (Value v : fn[b].insts) {
            rename.apply(fn, v);
            Inst &in = fn[v];
            any |= is_removed(in);
            if (in.op == Op::group_any) rename.replace(v, fn.args(v)[0]);
            if (in.op == Op::shared) {
                in.op = Op::local;
                moves = true;
            }
            for (BlockId child : in.blocks)
                if (child) run(child);
        }
        if (any) std::erase_if(fn[b].insts, [&](Value v) { return is_removed(fn[v]); });
    }
};

} // namespace

bool lower_blocks(Function &fn, const Config &) {
    const auto is_lowered = [](const Inst &in) { return is_removed(in) || in.op == Op::shared; };
    if (std::ranges::none_of(fn.insts, is_lowered)) return false;
    Blocks blocks(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) blocks.run(root);
    if (blocks.moves) recompute_spaces(fn);
    return blocks.any || blocks.moves;
}

} // namespace qd::passes
