// SIMD vectorisation of loops whose iterations can run concurrently (vectorize_plan.cpp decides which).
//
//   for lo..hi                      steps = max(hi - lo, 0) / (lanes * unroll)
//       body                 ->     i, sums = for 0..steps (carried: i = lo, sums = neutral)
//                                       body on lanes i, i + 1 ...                           (vectorize_emit.cpp)
//                                   one more such loop with unroll = 1, if unroll > 1
//                                   for i..hi, sums reduced to scalars
//                                       body
//
// An inner loop may often be shorter than one SIMD iteration: if it has reductions, whose lanes would be initialised and reduced for
// nothing, its SIMD loops are placed in an if.
//
// A large body (Plan::mask_remainder), one that contains a loop or is long, is not duplicated: the number of steps is rounded up, and each
// SIMD iteration masks the lanes beyond hi.
//
// Lanes that share room on the heap need lanes times as much at a time. Where that would not fit the caches the loop stays scalar:
// both versions are emitted, and one is chosen when the loop is reached.
//
// The outermost loop that permits it is vectorised, so that values that do not vary between its iterations stay scalar. An inner loop
// goes first if the outer one would need gathers inside it.
#include "analysis/walk.h"
#include "passes/clone.h"
#include "passes/safepoints.h"
#include "passes/neutral.h"
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/vectorize_emit.h"
#include "passes/vectorize_plan.h"

#include "ir/builder.h"

#include <bit>
#include <utility>

namespace qd::passes {

using namespace ir;

namespace {

constexpr int64_t max_room = 2 << 20; ///< bytes for all lanes

class Vectorizer {
  public:
    Vectorizer(Function &fn, const Config &config) : fn_(fn), memory_(fn), planner_(fn, memory_, config) {}

    bool block(BlockId b) {
        bool changed = false;
        for (size_t i = 0; i < fn_[b].insts.size(); ++i) {
            Value v = fn_[b].insts[i];
            if (fn_[v].op == Op::for_) {
                changed |= loop(b, i); // i: at the loop, or at the last instruction that replaced it
            } else {
                changed |= children(v);
            }
        }
        return changed;
    }

  private:
    /// The state after SIMD loops: the next index, and the reductions as lanes.
    struct State {
        Value index;
        std::vector<Value> sums;
    };

    bool children(Value v) {
        bool changed = false;
        const bool is_loop = fn_[v].op == Op::for_ || fn_[v].op == Op::loop;
        loops_around_ += is_loop;
        for (int k = 0; k < 2; ++k)
            if (BlockId inner = fn_[v].blocks[k]) changed |= block(inner);
        loops_around_ -= is_loop;
        return changed;
    }

    bool loop(BlockId b, size_t &at) {
        Value v = fn_[b].insts[at];
        Plan plan;
        bool possible = planner_.plan(v, plan);
        if (possible && plan.has_inner_gather) {
            bool changed = children(v);
            if (changed) return true;
            possible = planner_.plan(v, plan);
        }
        if (!possible) return children(v);
        if (in_remainder_) plan.unroll = 1;
        if (plan.reserves_room && in_remainder_) return children(v);
        if (!plan.rooms.empty()) {
            split(b, at, plan);
            return true;
        }
        rewrite(b, at, plan);
        if (plan.mask_remainder) return true;
        bool outer = std::exchange(in_remainder_, true);
        children(v); // the scalar remainder may contain long loops
        in_remainder_ = outer;
        return true;
    }

    /// if the room for all lanes is small, and at least one SIMD iteration is full: the SIMD loop; else the scalar loop.
    void split(BlockId b, size_t &at, const Plan &plan) {
        const Value v = plan.loop;
        const BlockId before = fn_.make_block();
        Builder out(fn_, before);
        out.span = fn_[v].span;
        Value total;
        for (Value room : plan.rooms) {
            Value entries = fn_.args(room)[0];
            if (fn_[entries].op == Op::constant) entries = out.i64(int64_t(fn_[entries].imm));
            const Value size = out.i64(int64_t(entry_bytes(fn_[room])) * plan.lanes);
            const Value most = out.i64(max_room); // clamped: the product must not overflow
            const Value bytes = out.mul(out.min(entries, most), size);
            total = total ? out.add(total, bytes) : bytes;
        }
        const Value most = out.i64(max_room);
        const Value small = out.le(total, most);
        const Value trips = out.trips(fn_.args(v)[0], fn_.args(v)[1]);
        const Value few = out.i64(plan.lanes);
        const Value enough = out.ge(trips, few);
        const Value both = out.band(small, enough);
        const Value made = out.if_(both);
        const BlockId lanes = fn_[made].blocks[0], single = fn_[made].blocks[1];
        Cloner cloner(fn_, fn_);
        const Value copy = cloner.copy(v, single);
        fn_.loops[fn_[copy].imm].vectorize = false;
        const std::vector<Value> results(fn_.results(v).begin(), fn_.results(v).end());
        const std::vector<Value> others(fn_.results(copy).begin(), fn_.results(copy).end());
        std::vector<Value> given;
        for (Value r : results) given.push_back(fn_.add_result(made, fn_.type(r)));
        replace_results(v, given);
        Builder(fn_, single).yield(others);
        fn_[lanes].insts.push_back(v);
        Builder(fn_, lanes).yield(results);
        std::vector<Value> &list = fn_[b].insts;
        list.erase(list.begin() + ptrdiff_t(at));
        list.insert(list.begin() + ptrdiff_t(at), fn_[before].insts.begin(), fn_[before].insts.end());
        at += fn_[before].insts.size() - 1;
        size_t first = 0;
        rewrite(lanes, first, plan);
    }

    void rewrite(BlockId b, size_t &at, const Plan &plan) {
        BlockId before = fn_.make_block();
        Builder out(fn_, before);
        out.span = fn_[plan.loop].span;
        std::vector<Value> args(fn_.args(plan.loop).begin(), fn_.args(plan.loop).end());
        const State reached = may_be_short(plan, args) ? if_long(out, plan, args) : simd_loops(out, plan, args);
        const std::vector<Value> &totals = reached.sums;
        std::vector<Value> &list = fn_[b].insts;
        if (plan.mask_remainder) {
            replace_results(plan.loop, totals);
            list.erase(list.begin() + ptrdiff_t(at));
        } else {
            args[0] = reached.index;
            std::copy(totals.begin(), totals.end(), args.begin() + 2);
            fn_.set_args(plan.loop, args);
            fn_.loops.push_back(fn_.loops[fn_[plan.loop].imm]); // entries may be shared
            fn_[plan.loop].imm = fn_.loops.size() - 1;
            fn_.loops.back().vectorize = false;
            fn_.loops.back().interruptible = false; // few iterations
            if (const BlockId body = fn_[plan.loop].blocks[0]; !holds_safepoint(fn_, body, false))
                drop_safepoints(fn_, body);
        }
        list.insert(list.begin() + ptrdiff_t(at), fn_[before].insts.begin(), fn_[before].insts.end());
        at += fn_[before].insts.size() - plan.mask_remainder;
    }

    /// Emits the SIMD loops; returns the next index, and the reductions as scalars.
    State simd_loops(Builder &out, const Plan &plan, const std::vector<Value> &args) {
        State state{args[0], {}};
        for (size_t k = 0; k < plan.sums.size(); ++k) {
            Type type = fn_.type(args[k + 2]);
            uint64_t bits = 0;
            neutral(plan.sums[k], type.elem, bits);
            Value start = out.constant(type, bits);
            state.sums.push_back(
                is_scalar_reduction(plan, k) ? start : out.emit(Op::splat, {start}, type.with_lanes(plan.lanes)));
        }
        for (int unroll = plan.unroll;; unroll = 1) {
            state = simd_loop(out, plan, state, args[1], unroll);
            if (unroll == 1) break;
        }
        for (size_t k = 0; k < plan.sums.size(); ++k) {
            Type type = fn_.type(args[k + 2]);
            Op reduce = plan.sums[k] == Op::add   ? Op::reduce_add
                        : plan.sums[k] == Op::min ? Op::reduce_min
                                                  : Op::reduce_max;
            Value total = is_scalar_reduction(plan, k) ? state.sums[k] : out.emit(reduce, {state.sums[k]}, type);
            state.sums[k] = out.emit(plan.sums[k], {args[k + 2], total});
        }
        return state;
    }

    bool may_be_short(const Plan &plan, const std::vector<Value> &args) const {
        return loops_around_ > 0 && !plan.sums.empty() && !plan.mask_remainder &&
               !(constant(args[0]) && constant(args[1]));
    }

    /// The same, in an if that at least one SIMD iteration is full.
    State if_long(Builder &out, const Plan &plan, const std::vector<Value> &args) {
        const Value one = out.i64(1);
        const Value some = out.ge(step_count(out, args[0], args[1], plan.lanes, false), one);
        const Value made = out.if_(some);
        std::vector<Value> kept{args[0]};
        kept.insert(kept.end(), args.begin() + 2, args.end());
        Builder then(fn_, fn_[made].blocks[0]);
        then.span = out.span;
        const State reached = simd_loops(then, plan, args);
        std::vector<Value> given{reached.index};
        given.insert(given.end(), reached.sums.begin(), reached.sums.end());
        then.yield(given);
        Builder(fn_, fn_[made].blocks[1]).yield(kept);
        State state{fn_.add_result(made, fn_.type(args[0])), {}};
        for (Value sum : reached.sums) state.sums.push_back(fn_.add_result(made, fn_.type(sum)));
        return state;
    }

    bool is_scalar_reduction(const Plan &plan, size_t k) const {
        return planner_.totals().is_sum(fn_[fn_[plan.loop].blocks[0]].params[k + 1]);
    }

    void replace_results(Value loop, std::span<const Value> by) {
        if (by.empty()) return;
        Rename rename(fn_);
        for (size_t k = 0; k < by.size(); ++k) rename.replace(fn_.results(loop)[k], by[k]);
        analysis::walk(fn_, [&](Value v) { rename.apply(fn_, v); });
    }

    /// Runs as many SIMD iterations of lanes * unroll iterations as fit before `hi`; with mask_remainder, one more for the remainder.
    State simd_loop(Builder &out, const Plan &plan, const State &start, Value hi, int unroll) {
        Type type = fn_.type(hi);
        int per_step = plan.lanes * unroll;
        Value steps = step_count(out, start.index, hi, per_step, plan.mask_remainder);
        std::vector<Value> inits{start.index};
        size_t sums = start.sums.size();
        for (int u = 0; u < unroll; ++u)
            for (size_t k = 0; k < sums; ++k) {
                bool given = u == 0;
                inits.push_back(given ? start.sums[k] : neutral_lanes(out, plan, k, fn_.type(start.sums[k])));
            }
        Loop flags;
        flags.name = fn_.loops[fn_[plan.loop].imm].name;
        flags.interruptible = fn_.loops[fn_[plan.loop].imm].interruptible;
        flags.flushes = fn_.loops[fn_[plan.loop].imm].flushes;
        Value zero = out.i64(0);
        BlockId outside = out.block;
        Value loop = out.for_(zero, steps, inits, flags);
        // The emitter adds splats in front of the loop, so the loop is appended after it is done.
        fn_[outside].insts.pop_back();

        BlockId body = fn_[loop].blocks[0];
        std::vector<Value> params = fn_[body].params;
        Builder in(fn_, body);
        in.span = out.span;
        std::vector<Value> next;
        Value step = in.constant(type, uint64_t(per_step));
        next.push_back(in.add(params[1], step));
        std::vector<LaneEmitter> emitters;
        emitters.reserve(size_t(unroll)); // no reallocation: the others refer to the first
        for (int u = 0; u < unroll; ++u) {
            Value index = params[1];
            if (u > 0) {
                Value distance = in.constant(type, uint64_t(plan.lanes) * uint64_t(u));
                index = in.add(index, distance);
            }
            LaneEmitter &emitter = emitters.emplace_back(fn_, planner_, plan.lanes, body, outside);
            if (u > 0) emitter.follow(emitters[0], int64_t(plan.lanes) * u);
            if (plan.mask_remainder) emitter.stop_at(index, hi);
            const std::span<const Value> all(params);
            std::vector<Value> after = emitter.round(plan.loop, index, all.subspan(2 + size_t(u) * sums, sums),
                                                     u > 0 ? std::span<const Value>() : all.subspan(2 + sums));
            next.insert(next.end(), after.begin(), after.end());
        }
        in.yield(next);
        fn_[outside].insts.push_back(loop);
        State state = combine(out, plan, loop, unroll);
        if (constant(start.index) && constant(hi)) { // so that an empty remainder is known to be empty
            uint64_t length = fn_[hi].imm - fn_[start.index].imm;
            uint64_t reached = fn_[hi].imm - length % uint64_t(per_step);
            state.index = out.constant(type, type.elem == Scalar::i32 ? uint32_t(reached) : reached);
        }
        return state;
    }

    bool constant(Value v) const { return fn_[v].op == Op::constant; }

    State combine(Builder &out, const Plan &plan, Value loop, int unroll) {
        std::vector<Value> results(fn_.results(loop).begin(), fn_.results(loop).end());
        State state{results[0], {}};
        size_t sums = plan.sums.size();
        for (size_t k = 0; k < sums; ++k) {
            Value sum = results[1 + k];
            for (int u = 1; u < unroll; ++u) sum = out.emit(plan.sums[k], {sum, results[1 + size_t(u) * sums + k]});
            state.sums.push_back(sum);
        }
        return state;
    }

    Value neutral_lanes(Builder &out, const Plan &plan, size_t k, Type type) {
        uint64_t bits = 0;
        neutral(plan.sums[k], type.elem, bits);
        Value start = out.constant(Type(type.elem), bits);
        return out.emit(Op::splat, {start}, type);
    }

    /// An i64: max(hi - lo, 0) / n, n a power of two; rounded up if `up`.
    Value step_count(Builder &b, Value lo, Value hi, int n, bool up) {
        if (fn_.type(lo) != Type(Scalar::i64)) {
            lo = b.cast(lo, Scalar::i64);
            hi = b.cast(hi, Scalar::i64);
        }
        Value length = b.sub(hi, lo);
        Value zero = b.i64(0);
        length = b.max(length, zero);
        if (up) {
            Value more = b.i64(n - 1);
            length = b.add(length, more);
        }
        Value shift = b.i64(std::countr_zero(unsigned(n)));
        return b.shr(length, shift);
    }

    Function &fn_;
    analysis::Memory memory_;
    Planner planner_;
    int loops_around_ = 0;
    bool in_remainder_ = false; ///< inside the scalar remainder of an outer loop: runs rarely, so code size matters
};

} // namespace

bool vectorize(Function &fn, const Config &config) {
    if (config.vector_bytes == 0) return false;
    return Vectorizer(fn, config).block(fn.body);
}

} // namespace qd::passes
