#include "autodiff/sums.h"

#include "analysis/uses.h"
#include "passes/slots.h"

namespace qd::autodiff {

using namespace ir;

namespace {

constexpr int deepest = 1000; ///< instructions from the carried value to its next value

}

Sums::Sums(const Function &kernel, const Activity &activity)
    : fn_(kernel), activity_(activity), memory_(kernel), uses_(analysis::use_counts(kernel)) {}

/// True if `v` is the carried value with something added. Counts the uses of the carried value on the path; intermediate values must have
/// no other use.
bool Sums::adds(Value v, Value carried, uint32_t &uses, int depth) const {
    if (v == carried) {
        ++uses;
        return true;
    }
    const Inst &in = fn_[v];
    if (uses_[v.id] != 1 || depth > deepest) return false;
    const auto args = fn_.args(v);
    if (in.op == Op::sub) return adds(args[0], carried, uses, depth + 1);
    if (in.op == Op::select) return adds(args[1], carried, uses, depth + 1) && adds(args[2], carried, uses, depth + 1);
    if (in.op == Op::add) {
        const uint32_t before = uses;
        if (adds(args[0], carried, uses, depth + 1)) return true;
        uses = before;
        return adds(args[1], carried, uses, depth + 1);
    }
    if (in.op != Op::result) return false;
    if (fn_[args[0]].op == Op::for_)
        return is_sum(args[0], in.imm) &&
               adds(fn_.args(args[0])[passes::first_init(fn_, args[0]) + in.imm], carried, uses, depth + 1);
    if (fn_[args[0]].op != Op::if_) return false;
    for (BlockId side : {fn_[args[0]].blocks[0], fn_[args[0]].blocks[1]}) {
        const Value end = fn_[side].insts.back();
        if (fn_[end].op != Op::yield || !adds(fn_.args(end)[in.imm], carried, uses, depth + 1)) return false;
    }
    return true;
}

bool Sums::is_sum(Value loop, size_t k) const {
    const Block &body = fn_[fn_[loop].blocks[0]];
    const Value carried = body.params[passes::first_carried(fn_, loop) + k];
    uint32_t uses = 0;
    return adds(fn_.args(body.insts.back())[k], carried, uses, 0) && uses == uses_[carried.id];
}

/// Collects the backward part's accesses to companions and adjoint locals; false if something is overwritten.
bool Sums::gather(BlockId block, std::vector<Access> &accesses) const {
    for (Value v : fn_[block].insts) {
        if (!activity_.is_differentiated(v)) continue;
        const Op op = fn_[v].op;
        if (op == Op::store) return false;
        if (op == Op::load || op == Op::volatile_load || is_atomic(op))
            accesses.push_back({fn_.args(v)[0], is_atomic(op)});
        for (BlockId inner : fn_[v].blocks)
            if (inner && !gather(inner, accesses)) return false;
    }
    return true;
}

bool Sums::any_order(Value loop) const {
    for (size_t k = 0; k < fn_.results(loop).size(); ++k)
        if (activity_.active(fn_.results(loop)[k]) && !is_sum(loop, k)) return false;
    std::vector<Access> accesses;
    if (!gather(fn_[loop].blocks[0], accesses)) return false;
    for (const Access &a : accesses)
        for (const Access &b : accesses)
            if (a.writes && !b.writes && memory_.objects_overlap(memory_.object(a.pointer), memory_.object(b.pointer)))
                return false;
    return true;
}

} // namespace qd::autodiff
