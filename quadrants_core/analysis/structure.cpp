#include "analysis/structure.h"

namespace qd::analysis {

using ir::BlockId;
using ir::Function;
using ir::Value;

namespace {

struct Numbering {
    const Function &fn;
    Structure &s;
    uint32_t next = 1;

    void place(Value v, BlockId b) {
        s.block[v.id] = b;
        s.order[v.id] = next++;
    }
    void run(BlockId b, Value owner) {
        s.owner[b.id] = owner;
        s.first[b.id] = next;
        for (Value p : fn[b].params) place(p, b);
        for (Value v : fn[b].insts) {
            place(v, b);
            for (BlockId child : fn[v].blocks)
                if (child) run(child, v);
            for (Value r : fn.results(v)) place(r, b);
        }
        s.last[b.id] = next;
    }
};

} // namespace

Structure::Structure(const Function &fn)
    : block(fn.insts.size()), owner(fn.blocks.size()), order(fn.insts.size()), first(fn.blocks.size()),
      last(fn.blocks.size()) {
    Numbering n{fn, *this};
    if (fn.bounds) n.run(fn.bounds, {});
    if (fn.body) n.run(fn.body, {});
}

bool Structure::inside(const Function &fn, Value v, Value control) const {
    for (BlockId b : fn[control].blocks)
        if (b && order[v.id] >= first[b.id] && order[v.id] < last[b.id]) return true;
    return false;
}

bool Structure::dominates(Value def, Value use) const {
    BlockId b = block[def.id];
    if (!b) return true; // a parameter of the function
    return order[def.id] < order[use.id] && order[use.id] < last[b.id];
}

} // namespace qd::analysis
