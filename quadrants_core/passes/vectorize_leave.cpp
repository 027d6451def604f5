// A divergent loop, which lanes leave one by one, runs until no lane is active.
//
//   c, r = loop x (c)                       live, c, r = loop all, x, 0 (live, c, r)
//       if p                                    stay = live & p
//           yield                               gone = live & ~p
//       else                         ->         r = select gone, v, r
//           break v                             if any stay {} else { break stay, c, r }
//       ...                                     ...                                 under the mask `stay`
//       yield d                                 yield stay, d, r
//
// A value that every break passes as it was at the start of the iteration needs no r: lanes that left keep their c. A total (see
// vectorize_totals.h) is one scalar, to which the contributions of the lanes are added at every end of an iteration.
#include "passes/slots.h"
#include "passes/vectorize_emit.h"

#include <utility>

namespace qd::passes {

using namespace ir;

/// The loop being emitted.
struct LaneEmitter::Leaving {
    Value loop;                         ///< in the source
    std::vector<Value> params, results; ///< carried values of the source
    std::vector<uint8_t> freeze, apart; ///< by carried value: how the result is computed; neither: unused
    std::vector<Value> came = {};       ///< in the copy: carried values at the start of the iteration
    std::vector<Value> taken = {};      ///< in the copy: results of lanes that left so far, where `apart`
    std::vector<Value> totals = {};     ///< in the copy: totals so far
};

namespace {

template <class Visit> void each_break(const Function &fn, BlockId b, Visit &&visit) {
    for (Value v : fn[b].insts) {
        if (fn[v].op == Op::break_) visit(v);
        if (fn[v].op != Op::if_) continue;
        for (BlockId side : fn[v].blocks) each_break(fn, side, visit);
    }
}

/// Converts a number of lanes to a type that may be too narrow for it. A cast to u1 would test for nonzero; a sum of u1 is its lowest bit.
Value wrapped(const Function &fn, Builder &b, Value number, Type type) {
    if (!type.is_bool()) return b.cast(number, type);
    const Value one = b.integer(fn.type(number), 1);
    return b.cast(b.band(number, one), type);
}

} // namespace

/// True if every break passes this carried value unchanged.
bool LaneEmitter::frozen(Value loop, size_t slot) const {
    BlockId body = fn_[loop].blocks[0];
    Value param = fn_[body].params[first_carried(fn_, loop) + slot];
    bool all = true;
    each_break(fn_, body, [&](Value v) { all = all && fn_.args(v)[slot] == param; });
    return all;
}

LaneEmitter::Leaving LaneEmitter::leaving_slots(Value loop) const {
    std::span<const Value> params = fn_[fn_[loop].blocks[0]].params, results = fn_.results(loop);
    params = params.subspan(first_carried(fn_, loop));
    Leaving own{loop, {params.begin(), params.end()}, {results.begin(), results.end()}, {}, {}};
    for (size_t k = 0; k < results.size(); ++k) {
        bool used = planner_.used(results[k]) && !planner_.totals().has(params[k]), same = frozen(loop, k);
        own.freeze.push_back(used && same);
        own.apart.push_back(used && !same);
    }
    return own;
}

void LaneEmitter::leaving_loop(Value v) {
    Leaving own = leaving_slots(v);
    const bool counted = fn_[v].op == Op::for_;
    const std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
    std::vector<Value> inits{mask_ ? mask_ : all_lanes()};
    for (size_t k = 0; k < own.params.size(); ++k)
        inits.push_back(
            either(args[first_init(fn_, v) + k], varies(own.params[k]) && !planner_.totals().has(own.params[k])));
    for (size_t k = 0; k < own.params.size(); ++k)
        if (own.apart[k]) inits.push_back(outside_.integer(fn_.type(own.results[k]).with_lanes(lanes_count_), 0));
    Loop flags = fn_.loops[fn_[v].imm];
    flags.vectorize = false;
    const Value loop = counted ? b_.for_(first(args[0]), first(args[1]), inits, flags) : b_.loop(inits, flags);

    const BlockId around = std::exchange(b_.block, fn_[loop].blocks[0]);
    const Value mask = mask_;
    Leaving *outer = std::exchange(leaving_, &own);
    const int branches = std::exchange(branches_, 0);
    const size_t mark = scope_.size();
    leaving_body(own, counted);
    leave_scope(mark);
    branches_ = branches;
    leaving_ = outer;
    mask_ = mask;
    b_.block = around;
    leaving_results(own, loop);
}

void LaneEmitter::leaving_body(Leaving &own, bool counted) {
    const BlockId body = fn_[own.loop].blocks[0];
    const std::vector<Value> copies = fn_[b_.block].params;
    const size_t slots = own.params.size();
    size_t next_copy = 0;
    if (counted) first_[fn_[body].params[0].id] = copies[next_copy++];
    mask_ = copies[next_copy++];
    for (Value param : own.params) {
        const Value came = copies[next_copy++];
        const bool total = planner_.totals().has(param);
        own.came.push_back(came);
        own.totals.push_back(total ? came : Value{});
        if (total) continue;
        (varies(param) ? lanes_ : first_)[param.id] = came;
    }
    for (size_t k = 0; k < slots; ++k) own.taken.push_back(own.apart[k] ? copies[next_copy++] : Value{});
    block(body, 1);
    std::vector<Value> next{mask_};
    for (size_t k = 0; k < slots; ++k) {
        const Value last = fn_.args(fn_[body].insts.back())[k];
        if (own.totals[k]) {
            add_gains(k, last);
            next.push_back(own.totals[k]);
            continue;
        }
        Value passed = either(last, varies(own.params[k]));
        next.push_back(own.freeze[k] ? b_.select(mask_, passed, own.came[k]) : passed);
    }
    for (Value taken : own.taken)
        if (taken) next.push_back(taken);
    b_.yield(next);
}

/// Computes the results. Lanes that stayed until a `for` ended have its last carried values.
void LaneEmitter::leaving_results(const Leaving &own, Value copy) {
    const std::vector<Value> out(fn_.results(copy).begin(), fn_.results(copy).end());
    const size_t slots = own.params.size();
    size_t next_taken = 1 + slots;
    for (size_t k = 0; k < slots; ++k) {
        Value last = out[1 + k];
        if (own.apart[k]) {
            Value taken = out[next_taken++];
            if (fn_[copy].op == Op::loop) {
                last = taken;
            } else {
                if (!varies(own.params[k])) last = splat(b_, last, lanes_count_);
                last = b_.select(out[0], last, taken);
            }
        }
        if (own.totals[k])
            first_[own.results[k].id] = last;
        else if (own.freeze[k] || own.apart[k])
            lanes_[own.results[k].id] = last;
    }
}

/// The active lanes leave the loop.
void LaneEmitter::record_results(Value break_inst) {
    for (size_t k = 0; k < leaving_->taken.size(); ++k) {
        if (leaving_->totals[k]) add_gains(k, fn_.args(break_inst)[k]);
        Value &taken = leaving_->taken[k];
        if (!taken) continue;
        Value mine = lanes(fn_.args(break_inst)[k]);
        taken = b_.select(mask_, mine, taken);
    }
}

/// The active lanes reach the end of an iteration with `reached`.
void LaneEmitter::add_gains(size_t slot, Value reached) {
    Value &total = leaving_->totals[slot];
    for (Value gain : planner_.totals().gains(reached)) total = b_.add(total, gain_of_all(gain));
}

/// The sum of the contributions of the active lanes.
Value LaneEmitter::gain_of_all(Value gain) {
    const bool bit = fn_.type(gain).is_bool(), varying = varies(gain);
    if (varying && !bit) {
        const Value zero = outside_.integer(fn_.type(gain).with_lanes(lanes_count_), 0);
        const Value mine = b_.select(mask_, lanes(gain), zero);
        return b_.emit(Op::reduce_add, {mine}, Scalar::i64);
    }
    Value who = mask_;
    if (bit) who = b_.band(who, lanes(gain));
    const Value lanes = b_.cast(set_lanes(who), Scalar::i64);
    return bit ? lanes : b_.mul(lanes, first(gain));
}

/// The number (i32) of set lanes.
Value LaneEmitter::set_lanes(Value lanes) {
    const Value ones = b_.cast(lanes, Type(Scalar::i32).with_lanes(lanes_count_));
    return b_.emit(Op::reduce_add, {ones}, Scalar::i32);
}

/// Emits one addition of a reduction that is one scalar for all lanes.
void LaneEmitter::sum(Value way) {
    const Type type = fn_.type(way);
    const std::vector<Value> args(fn_.args(way).begin(), fn_.args(way).end());
    if (fn_[way].op == Op::cast) {
        first_[way.id] = b_.cast(first(args[0]), type);
        return;
    }
    const bool gains_second = planner_.totals().is_sum(args[0]);
    const Value gain = gain_of_round(args[gains_second ? 1 : 0], type);
    first_[way.id] = b_.add(first(args[gains_second ? 0 : 1]), gain);
}

/// The total contribution of all lanes of the SIMD iteration.
Value LaneEmitter::gain_of_round(Value gain, Type type) {
    if (planner_.totals().is_result(gain)) return first(gain);
    if (planner_.totals().is_sum_bit(gain)) {
        const Value yes = lanes(fn_.args(gain)[0]);
        const Value who = round_mask_ ? b_.band(round_mask_, yes) : yes;
        return wrapped(fn_, b_, set_lanes(who), type);
    }
    const Value times = round_lanes_ ? wrapped(fn_, b_, round_lanes_, type) : b_.integer(type, lanes_count_);
    if (fn_[gain].op == Op::constant && fn_[gain].imm == 1) return times;
    return b_.mul(times, first(gain));
}

Value LaneEmitter::total_so_far(Value param) const {
    for (size_t k = 0; k < leaving_->params.size(); ++k)
        if (leaving_->params[k] == param) return leaving_->totals[k];
    return {};
}

/// Lanes whose sum is `scalar`. The first lane of a SIMD iteration is always active.
Value LaneEmitter::in_first_lane(Value scalar) {
    const Value one = outside_.integer(Type(Scalar::i32).with_lanes(lanes_count_), 1);
    const Value places = range(Scalar::i32, 1);
    const Value is_first = outside_.lt(places, one);
    const Value zero = outside_.integer(fn_.type(scalar).with_lanes(lanes_count_), 0);
    return b_.select(is_first, splat(b_, scalar, lanes_count_), zero);
}

/// Continues after a branch in which some lanes left the loop. Directly in the loop's body, `survivors` are all remaining lanes.
void LaneEmitter::switch_to(Value survivors) {
    if (!survivors) {
        Value no = outside_.u1(false);
        survivors = splat(outside_, no, lanes_count_);
    }
    mask_ = survivors;
    if (branches_ > 0) return;
    Value any = b_.emit(Op::reduce_max, {survivors}, Scalar::u1);
    Value check = b_.if_(any);
    Builder(fn_, fn_[check].blocks[0]).yield();
    std::vector<Value> slots{survivors};
    for (size_t k = 0; k < leaving_->came.size(); ++k)
        slots.push_back(leaving_->totals[k] ? leaving_->totals[k] : leaving_->came[k]);
    for (Value taken : leaving_->taken)
        if (taken) slots.push_back(taken);
    Builder(fn_, fn_[check].blocks[1]).break_(slots);
}

} // namespace qd::passes
