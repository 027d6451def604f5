// One walk in program order. A pointer carried by a loop is in the space of its initial value, one yielded by an `if` in that of a branch
// that yields; that all others agree is checked by the verifier.
#include "passes/spaces.h"

#include "passes/slots.h"

namespace qd::passes {

using namespace ir;

namespace {

struct Settle {
    Function &fn;

    void follow(Value v, Value from) {
        if (fn.type(v).is_pointer()) fn[v].type.space = fn.type(from).space;
    }

    void inst(Value v) {
        const Inst &in = fn[v];
        const Result result = info(in.op).result;
        if (in.type.is_pointer())
            fn[v].type.space = result == Result::same_space ? fn.type(fn.args(v)[0]).space : space_of(result);
        const bool carries = is_loop(in.op);
        const size_t count = fn.results(v).size();
        if (carries)
            for (size_t k = 0; k < count; ++k)
                follow(fn[in.blocks[0]].params[first_carried(fn, v) + k], fn.args(v)[first_init(fn, v) + k]);
        for (BlockId b : in.blocks)
            if (b) block(b);
        for (size_t k = 0; k < count; ++k)
            if (carries)
                follow(fn.results(v)[k], fn.args(v)[first_init(fn, v) + k]);
            else if (const Value end = yielding(v))
                follow(fn.results(v)[k], fn.args(end)[k]);
    }

    Value yielding(Value branch) const {
        for (BlockId b : fn[branch].blocks)
            if (b && fn[fn[b].insts.back()].op == Op::yield) return fn[b].insts.back();
        return {};
    }

    void block(BlockId b) {
        for (Value v : fn[b].insts) inst(v);
    }
};

} // namespace

void recompute_spaces(Function &fn) {
    Settle settle{fn};
    for (BlockId root : {fn.bounds, fn.body})
        if (root) settle.block(root);
}

} // namespace qd::passes
