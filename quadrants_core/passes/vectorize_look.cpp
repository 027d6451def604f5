// What a SIMD loop tells where it looks (looks.h). A total so far is of one of two kinds:
//  - Made of what the loop itself carries, it is what it would be if the lanes had run one after the other up to the first one of
//    this round: the index is that of the first lane, a sum that of all lanes.
//  - Made of what an inner loop carries, it is of this round: each lane that runs has its own, or all have the same.
// Any other is not told: it is counted behind the loop.
#include "passes/looks.h"
#include "passes/vectorize_emit.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace qd::passes {

using namespace ir;

struct LaneEmitter::Look {
    std::unordered_set<uint32_t> own;              ///< instructions of the look
    std::unordered_map<uint32_t, Value> all, each; ///< their copies of either kind
    bool carried = false, inner = false; ///< what the count at hand is made of: sums of the loop, values of inner ones
    bool fine = true;
};

void LaneEmitter::look(Value v) {
    if (leader_) return;
    Look look;
    const std::vector<Value> insts = fn_[fn_[v].blocks[0]].insts;
    for (Value own : insts) look.own.insert(own.id);
    const Value asked = b_.emit(Op::look, {}, Scalar::u1);
    const Value branch = b_.if_(asked);
    const BlockId outer = std::exchange(b_.block, fn_[branch].blocks[0]);
    const size_t mark = scope_.size();
    for (Value own : insts)
        if (fn_[own].op == Op::count) tell(look, own);
    leave_scope(mark);
    b_.yield();
    b_.block = outer;
    Builder(fn_, fn_[branch].blocks[1]).yield();
    drop_empty_looks(fn_, outer);
}

void LaneEmitter::tell(Look &look, Value count) {
    const Value amount = fn_.args(count)[0];
    const uint32_t counter = uint32_t(fn_[count].imm);
    look.carried = look.inner = false;
    look.fine = true;
    find_leaves(look, amount);
    if (!look.inner) {
        if (look.fine) b_.count(counter, of_all(look, amount));
        return;
    }
    if (leaving_ && planner_.totals().has(amount)) {
        if (const Value total = total_so_far(amount)) b_.count(counter, total);
        return;
    }
    if (look.carried || leaving_ || !look.fine) return;
    Value mine = of_each(look, amount);
    if (fn_.type(mine).lanes == 1) {
        const Value times = mask_ ? b_.cast(set_lanes(mask_), Scalar::i64) : b_.i64(lanes_count_);
        b_.count(counter, b_.mul(times, mine));
        return;
    }
    if (mask_) {
        const Value zero = outside_.integer(fn_.type(mine), 0);
        mine = b_.select(mask_, mine, zero);
    }
    b_.count(counter, b_.emit(Op::reduce_add, {mine}, Scalar::i64));
}

void LaneEmitter::find_leaves(Look &look, Value v) const {
    const std::vector<Value> &params = fn_[body_].params;
    const bool own = look.own.contains(v.id);
    if (!own && !planner_.inside(v)) return;
    const auto param = std::ranges::find(params, v);
    if (param != params.end()) {
        look.carried |= param != params.begin();
        return;
    }
    const Op op = fn_[v].op;
    if (!own && (op == Op::param || op == Op::result || info(op).effect != Effect::pure)) {
        const Totals &totals = planner_.totals();
        look.inner = true;
        look.fine &= !totals.has(v) && !totals.is_result(v) && !totals.is_sum(v);
        return;
    }
    for (Value a : fn_.args(v)) find_leaves(look, a);
}

/// A sum of the loop when the round began.
Value LaneEmitter::sum_of_all(size_t slot) {
    const Value param = fn_[body_].params[slot + 1];
    const Value before = fn_.args(loop_)[slot + 2];
    if (planner_.totals().is_sum(param)) return b_.add(before, first(param));
    const Type type = fn_.type(param);
    Value mine = lanes(param);
    const size_t sums = fn_[body_].params.size() - 1;
    for (size_t k = slot; k < beside_.size(); k += sums) mine = b_.add(mine, beside_[k]);
    return b_.add(before, b_.emit(Op::reduce_add, {mine}, type));
}

Value LaneEmitter::of_all(Look &look, Value v) {
    const bool own = look.own.contains(v.id);
    if (!own && !planner_.inside(v)) return v;
    if (v == index_) return first(v);
    if (const auto known = look.all.find(v.id); known != look.all.end()) return known->second;
    const std::vector<Value> &params = fn_[body_].params;
    const auto param = std::ranges::find(params, v);
    Value made;
    if (param != params.end()) {
        made = sum_of_all(size_t(param - params.begin()) - 1);
    } else {
        std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
        for (Value &a : args) a = of_all(look, a);
        made = b_.emit(fn_[v].op, args, fn_.type(v), fn_[v].imm);
    }
    return look.all[v.id] = made;
}

/// Of one lane, if it is the same for all.
Value LaneEmitter::of_each(Look &look, Value v) {
    if (!look.own.contains(v.id)) return !planner_.inside(v) ? v : varies(v) ? lanes(v) : first(v);
    if (const auto known = look.each.find(v.id); known != look.each.end()) return known->second;
    std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
    bool apart = false;
    for (Value &a : args) {
        a = of_each(look, a);
        apart |= fn_.type(a).lanes > 1;
    }
    if (apart)
        for (Value &a : args)
            if (fn_.type(a).lanes == 1) a = splat(b_, a, lanes_count_);
    const Type type = apart ? fn_.type(v).with_lanes(lanes_count_) : fn_.type(v);
    return look.each[v.id] = b_.emit(fn_[v].op, args, type, fn_[v].imm);
}

} // namespace qd::passes
