// Counts that a SIMD loop reports at a safepoint (safepoints.h). A total so far is of one of two kinds:
//  - Computed from values that the loop itself carries, it is the total as if the lanes had run in sequence up to the first one of
//    this SIMD iteration: the index is that of the first lane, a reduction that of all lanes.
//  - Computed from values that an inner loop carries, it belongs to this SIMD iteration: each active lane has its own, or all have
//    the same.
// Any other is not reported: it is counted after the loop.
#include "passes/safepoints.h"
#include "passes/vectorize_emit.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace qd::passes {

using namespace ir;

struct LaneEmitter::Safepoint {
    LaneEmitter &e;
    Function &fn = e.fn_;
    Builder &b = e.b_;
    std::unordered_set<uint32_t> own = {};                   ///< instructions of the safepoint
    std::unordered_map<uint32_t, Value> all = {}, each = {}; ///< their copies of either kind
    bool carried = false, inner = false; ///< sources of the current count: reductions of the loop, values of inner ones
    bool fine = true;

    void report(Value count);
    void find_leaves(Value v);
    Value of_all(Value v);
    Value of_each(Value v);
    Value sum_of_all(size_t slot);
};

void LaneEmitter::safepoint(Value v) {
    if (leader_) return;
    Safepoint state{*this};
    const std::vector<Value> insts = fn_[fn_[v].blocks[0]].insts;
    for (Value own : insts) state.own.insert(own.id);
    const Value asked = b_.emit(Op::safepoint, {}, Scalar::u1);
    const Value branch = b_.if_(asked);
    const BlockId outer = std::exchange(b_.block, fn_[branch].blocks[0]);
    const size_t mark = scope_.size();
    for (Value own : insts)
        if (fn_[own].op == Op::count) state.report(own);
    leave_scope(mark);
    b_.yield();
    b_.block = outer;
    Builder(fn_, fn_[branch].blocks[1]).yield();
    drop_empty_safepoints(fn_, outer);
}

void LaneEmitter::Safepoint::report(Value count) {
    const Value amount = fn.args(count)[0];
    const uint32_t counter = uint32_t(fn[count].imm);
    carried = inner = false;
    fine = true;
    find_leaves(amount);
    if (!inner) {
        if (fine) b.count(counter, of_all(amount));
        return;
    }
    if (e.leaving_ && e.planner_.totals().has(amount)) {
        if (const Value total = e.total_so_far(amount)) b.count(counter, total);
        return;
    }
    if (carried || e.leaving_ || !fine) return;
    Value mine = of_each(amount);
    if (fn.type(mine).lanes == 1) {
        const Value times = e.mask_ ? b.cast(e.set_lanes(e.mask_), Scalar::i64) : b.i64(e.lanes_count_);
        b.count(counter, b.mul(times, mine));
        return;
    }
    if (e.mask_) {
        const Value zero = e.outside_.integer(fn.type(mine), 0);
        mine = b.select(e.mask_, mine, zero);
    }
    b.count(counter, b.emit(Op::reduce_add, {mine}, Scalar::i64));
}

void LaneEmitter::Safepoint::find_leaves(Value v) {
    const std::vector<Value> &params = fn[e.source_.body].params;
    const bool is_own = own.contains(v.id);
    if (!is_own && !e.planner_.inside(v)) return;
    const auto param = std::ranges::find(params, v);
    if (param != params.end()) {
        carried |= param != params.begin();
        return;
    }
    const Op op = fn[v].op;
    if (!is_own && (op == Op::param || op == Op::result || !is_movable(op))) {
        const Totals &totals = e.planner_.totals();
        inner = true;
        fine &= !totals.has(v) && !totals.is_result(v) && !totals.is_sum(v);
        return;
    }
    for (Value a : fn.args(v)) find_leaves(a);
}

/// A reduction of the loop at the start of the SIMD iteration.
Value LaneEmitter::Safepoint::sum_of_all(size_t slot) {
    const Value param = fn[e.source_.body].params[slot + 1];
    const Value before = fn.args(e.source_.loop)[slot + 2];
    if (e.planner_.totals().is_sum(param)) return b.add(before, e.first(param));
    const Type type = fn.type(param);
    Value mine = e.lanes(param);
    const size_t sums = fn[e.source_.body].params.size() - 1;
    for (size_t k = slot; k < e.source_.beside.size(); k += sums) mine = b.add(mine, e.source_.beside[k]);
    return b.add(before, b.emit(Op::reduce_add, {mine}, type));
}

Value LaneEmitter::Safepoint::of_all(Value v) {
    if (!own.contains(v.id) && !e.planner_.inside(v)) return v;
    if (v == e.source_.index) return e.first(v);
    if (const auto known = all.find(v.id); known != all.end()) return known->second;
    const std::vector<Value> &params = fn[e.source_.body].params;
    const auto param = std::ranges::find(params, v);
    Value made;
    if (param != params.end()) {
        made = sum_of_all(size_t(param - params.begin()) - 1);
    } else {
        std::vector<Value> args(fn.args(v).begin(), fn.args(v).end());
        for (Value &a : args) a = of_all(a);
        made = b.emit(fn[v].op, args, fn.type(v), fn[v].imm);
    }
    return all[v.id] = made;
}

/// The value of each lane, or a scalar if it is the same for all.
Value LaneEmitter::Safepoint::of_each(Value v) {
    if (!own.contains(v.id)) return !e.planner_.inside(v) ? v : e.varies(v) ? e.lanes(v) : e.first(v);
    if (const auto known = each.find(v.id); known != each.end()) return known->second;
    std::vector<Value> args(fn.args(v).begin(), fn.args(v).end());
    bool apart = false;
    for (Value &a : args) {
        a = of_each(a);
        apart |= fn.type(a).lanes > 1;
    }
    if (apart)
        for (Value &a : args)
            if (fn.type(a).lanes == 1) a = splat(b, a, e.lanes_count_);
    const Type type = apart ? fn.type(v).with_lanes(e.lanes_count_) : fn.type(v);
    return each[v.id] = b.emit(fn[v].op, args, type, fn[v].imm);
}

} // namespace qd::passes
