#pragma once
// Expansion of one instruction into several: the new ones are inserted before it, and it turns into the last one itself, so that its uses
// remain valid.
#include "ir/builder.h"

#include <algorithm>

namespace qd::passes {

/// Calls `expand(b, v)` for each `wanted` instruction in `block` and its nested blocks. `b` appends at the position of `v`; `expand`
/// returns the value that replaces `v`: the last instruction that it emitted, or a result of it.
template <class Wanted, class Expand>
bool expand_each(ir::Function &fn, ir::BlockId block, const Wanted &wanted, const Expand &expand) {
    const std::vector<ir::Value> &list = fn[block].insts;
    bool changed = false;
    if (std::any_of(list.begin(), list.end(), wanted)) {
        const std::vector<ir::Value> old = std::move(fn[block].insts);
        fn[block].insts.clear();
        fn[block].insts.reserve(2 * old.size());
        for (ir::Value v : old) {
            if (!wanted(v)) {
                fn[block].insts.push_back(v);
                continue;
            }
            ir::Builder b(fn, block);
            b.span = fn[v].span;
            const ir::Value by = expand(b, v);
            fn[v] = fn[by];
            for (ir::Value result : fn.results(v)) fn.args(result)[0] = v;
            if (fn[by].op == ir::Op::result)
                fn.results(fn.args(by)[0])[fn[by].imm] = v;
            else
                fn[block].insts.back() = v;
        }
        changed = true;
    }
    for (size_t i = 0; i < fn[block].insts.size(); ++i)
        for (int k = 0; k < 2; ++k)
            if (const ir::BlockId inner = fn[fn[block].insts[i]].blocks[k])
                changed |= expand_each(fn, inner, wanted, expand);
    return changed;
}

/// The same for all blocks of a function.
template <class Wanted, class Expand> bool expand_each(ir::Function &fn, const Wanted &wanted, const Expand &expand) {
    const bool changed = expand_each(fn, fn.body, wanted, expand);
    return (fn.bounds && expand_each(fn, fn.bounds, wanted, expand)) || changed;
}

} // namespace qd::passes
