#include "passes/guard.h"

#include "ir/eval.h"
#include "passes/slots.h"

namespace qd::passes {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

bool certainly_runs(const Function &fn, Value loop) {
    if (fn[loop].op != Op::for_) return fn[loop].op == Op::loop;
    const Inst &lo = fn[fn.args(loop)[0]], &hi = fn[fn.args(loop)[1]];
    return lo.op == Op::constant && hi.op == Op::constant &&
           ir::to_int({lo.type.elem, lo.imm}) < ir::to_int({hi.type.elem, hi.imm});
}

Value append_guarded(Function &fn, BlockId b, Value loop, std::span<const Value> before, std::span<const Value> after) {
    auto make = [&](Op op, std::span<const Value> args, Type type) {
        Inst in;
        in.op = op;
        in.type = type;
        in.span = fn[loop].span;
        in.args = fn.make_list(args);
        return fn.make(in);
    };
    std::vector<Value> inits(fn.args(loop).begin() + 2, fn.args(loop).end());
    std::vector<Value> results(fn.results(loop).begin(), fn.results(loop).end());
    std::vector<Type> types;
    for (Value r : results) types.push_back(fn.type(r));
    Value bounds[] = {fn.args(loop)[0], fn.args(loop)[1]};
    Value runs = make(Op::lt, bounds, Type(ir::Scalar::u1));
    Value branch = make(Op::if_, {&runs, 1}, {});
    BlockId then_block = fn.make_block(), else_block = fn.make_block();
    fn[branch].blocks[0] = then_block;
    fn[branch].blocks[1] = else_block;
    append_results(fn, branch, types);
    std::vector<Value> &inside = fn[then_block].insts;
    inside.assign(before.begin(), before.end());
    inside.push_back(loop);
    inside.insert(inside.end(), after.begin(), after.end());
    inside.push_back(make(Op::yield, results, {}));
    fn[else_block].insts.push_back(make(Op::yield, inits, {}));
    fn[b].insts.push_back(runs);
    fn[b].insts.push_back(branch);
    return branch;
}

} // namespace qd::passes
