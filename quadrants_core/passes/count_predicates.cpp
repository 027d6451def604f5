// Coverage counts inside loops become accumulators in registers, so that no branch contains a store and loops can still be vectorised.
//
// From the innermost loop outwards:
//  - A count at the start of a branch is hoisted in front of its `if`, as a count of the condition.
//  - A count that every iteration of a `for` executes becomes a multiple of the trip count, after the loop.
//  - Every other count adds to an accumulator that is zeroed before the loop and counted after it. Counts that always execute
//    together share one accumulator. Where trip counts and accumulators give the number of times that a branch is reached, its else
//    side counts that number minus the accumulator of the condition, and likewise inside both sides. Accumulators of conditions
//    over an i32 `for` have 32 bits; the others have 64.
//    Amounts that are invariant in a `for` are multiplied by its trip count instead.
//  - Before the task ends early, at `exit` or a failed assertion, the accumulators of all enclosing loops are counted.
//  - A serial task may run long. Where its loops poll for Stop, they also check whether the counts so far were requested. If so, they
//    count the accumulators of all enclosing loops and reset them to zero.
//  - Loops that may run long inside a parallel one, and innermost loops of serial tasks that may become SIMD loops, have a safepoint
//    (safepoints.h), which counts the gains of all enclosing loops up to the start of their current iterations.
// The accumulators are locals, which promote then turns into carried values. A count after a loop is a count of the enclosing loop;
// counts outside of loops stay.
#include "analysis/effects.h"
#include "analysis/walk.h"
#include "passes/safepoints.h"
#include "passes/passes.h"

#include "ir/builder.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace qd::passes {

using namespace ir;

namespace {

/// The condition of a count that was hoisted out of a branch.
struct Condition {
    Value value; ///< u1; none: the count is unconditional
    bool negated = false;
};

/// The accumulator of counts of one loop that always execute together, by the same amount.
struct Sum {
    Value local;
    Type type;
};
/// The amount that a loop adds to a counter: trip count * (trips + sum of amounts), plus or minus accumulators.
struct Gain {
    uint64_t trips = 0;
    std::vector<Value> amounts;                ///< values in the body that can be computed outside of it
    std::vector<std::pair<size_t, bool>> sums; ///< index, true = minus
    friend auto operator<=>(const Gain &, const Gain &) = default;
};

/// The number of times that a loop reaches a position in its body: once per iteration, or a number that accumulators give; unknown otherwise.
struct Entry {
    bool known = false;
    uint64_t trips = 0;
    std::vector<std::pair<size_t, bool>> sums; ///< as in Gain; the first is a plus unless there are trips
    bool always() const { return known && sums.empty(); }
};

/// A loop whose counts are being moved out of it.
struct LoopState {
    Value loop;
    bool counts_trips = false; ///< runs all its iterations: the trip count is exact
    bool narrow = false;       ///< at most 2^32 - 1 iterations
    std::vector<Sum> sums;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, bool>, size_t> sum_of; ///< block, segment, amount, negated
    std::map<uint64_t, Gain> gains;                                          ///< by counter
    uint32_t segments = 0;
    std::vector<bool> inside; ///< by value: defined in the loop; filled where it counts trips
};

/// True for pure ops cheap enough to be recomputed outside of a loop.
bool is_cheap(Op op) {
    return op == Op::constant || op == Op::dim || op == Op::cast || op == Op::select || op == Op::sub ||
           (info(op).traits & commutative) || family(op) == Family::comparison;
}

class Counting {
  public:
    explicit Counting(Function &fn) : fn_(fn), effects_(analysis::effects(fn)) {}

    /// Rebuilds the instruction list of a block after its inner loops and branches.
    void block(BlockId b, int depth) {
        std::vector<Value> old = std::move(fn_[b].insts);
        fn_[b].insts.clear();
        fn_[b].insts.reserve(old.size());
        for (Value v : old) {
            Op op = fn_[v].op;
            bool is_loop = op == Op::for_ || op == Op::loop || op == Op::parallel;
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn_[v].blocks[k]) block(inner, depth + is_loop);
            if (op == Op::if_ && depth > 0) hoist(b, v);
            if (op == Op::for_ || op == Op::loop)
                close(b, v);
            else
                fn_[b].insts.push_back(v);
        }
    }

  private:
    uint8_t effect(Value v) const { return v.id < effects_.size() ? effects_[v.id] : 0; }
    bool interrupts(Value v) const { return effect(v) & (analysis::jumps | analysis::leaves); }

    bool is_unit(Value count) const {
        const Inst &amount = fn_[fn_.args(count)[0]];
        return amount.op == Op::constant && amount.imm == 1;
    }

    /// Hoists unit counts at the start of both branches in front of the if.
    void hoist(BlockId b, Value v) {
        Value condition = fn_.args(v)[0];
        Builder builder(fn_, b);
        for (int side = 0; side < 2; ++side) {
            std::vector<Value> &list = fn_[fn_[v].blocks[side]].insts;
            std::vector<Value> kept, moved;
            bool start = true;
            for (Value inner : list) {
                start = start && !interrupts(inner);
                bool plain = fn_[inner].op == Op::count && !conditions_.contains(inner.id) && is_unit(inner);
                (start && plain ? moved : kept).push_back(inner);
            }
            if (moved.empty()) continue;
            list = std::move(kept);
            builder.span = fn_[moved[0]].span;
            Value amount = amount_of(builder, {condition, side == 1}, Scalar::i64);
            for (Value count : moved) {
                fn_.set_args(count, {&amount, 1});
                fn_[b].insts.push_back(count);
                conditions_[count.id] = {condition, side == 1};
            }
        }
    }

    Value amount_of(Builder &b, const Condition &c, Scalar type) {
        Value bit = c.value;
        if (c.negated) {
            Value yes = b.u1(true);
            bit = b.bxor(bit, yes);
        }
        return b.cast(bit, type);
    }

    bool has_break(BlockId b) const {
        for (Value v : fn_[b].insts) {
            if (fn_[v].op == Op::break_) return true;
            if (fn_[v].op != Op::if_) continue;
            for (BlockId inner : fn_[v].blocks)
                if (inner && has_break(inner)) return true;
        }
        return false;
    }

    /// Moves the counts out of a loop, then appends the loop to `b` with the code before and after it.
    void close(BlockId b, Value loop) {
        LoopState state;
        state.loop = loop;
        BlockId body = fn_[loop].blocks[0];
        bool leaves = effect(loop) & analysis::leaves, has_safepoint = holds_safepoint(fn_, body, true);
        bool is_for = fn_[loop].op == Op::for_;
        state.counts_trips = is_for && !leaves && !has_break(body);
        state.narrow = is_for && fn_.type(fn_.args(loop)[0]) == Type(Scalar::i32);
        if (state.counts_trips) {
            state.inside.resize(fn_.insts.size());
            mark(state.inside, body);
        }
        Builder before(fn_, b);
        before.span = fn_[loop].span;
        gather(state, before, body, {state.counts_trips, 1, {}});
        if (has_safepoint && !state.gains.empty()) {
            const std::vector<Value> began = sums_at_start(state, body);
            count_at_safepoints(state, body, began);
        }
        if (leaves && !state.gains.empty()) flush_at_exits(state, body);
        fn_[b].insts.push_back(loop);
        Builder after(fn_, b);
        after.span = fn_[loop].span;
        flush(state, after);
    }

    /// Replaces the counts in a block of the loop, including branches. Inner loops no longer contain counts.
    void gather(LoopState &state, Builder &before, BlockId block, Entry entry) {
        std::vector<Value> old = std::move(fn_[block].insts);
        fn_[block].insts.clear();
        fn_[block].insts.reserve(old.size());
        uint32_t segment = state.segments++;
        for (Value v : old) {
            if (fn_[v].op == Op::count) {
                take(state, before, block, segment, entry, v);
                continue;
            }
            fn_[block].insts.push_back(v);
            if (fn_[v].op == Op::if_)
                for (int k = 0; k < 2; ++k)
                    if (BlockId inner = fn_[v].blocks[k])
                        gather(state, before, inner, side_entry(state, block, segment, entry, v, k));
            if (!interrupts(v)) continue;
            segment = state.segments++;
            entry = {};
        }
    }

    /// Returns how often one side of a branch is reached, if its condition has an accumulator.
    Entry side_entry(const LoopState &state, BlockId block, uint32_t segment, const Entry &around, Value branch,
                     int side) const {
        const auto sum = state.sum_of.find({block.id, segment, fn_.args(branch)[0].id, false});
        if (sum == state.sum_of.end()) return {};
        if (side == 0) return {true, 0, {{sum->second, false}}};
        if (!around.known) return {};
        Entry entry = around;
        entry.sums.push_back({sum->second, true});
        return entry;
    }

    void take(LoopState &state, Builder &before, BlockId block, uint32_t segment, const Entry &entry, Value count) {
        Gain &gain = state.gains[fn_[count].imm];
        Value amount = fn_.args(count)[0];
        auto found = conditions_.find(count.id);
        Condition condition = found == conditions_.end() ? Condition{} : found->second;
        bool constant = fn_[amount].op == Op::constant;
        if (entry.always() && constant) {
            gain.trips += fn_[amount].imm;
            return;
        }
        if (entry.always() && can_leave(state, amount, 0)) {
            gain.amounts.push_back(amount);
            return;
        }
        const bool minus = entry.known && condition.negated;
        if (minus) {
            gain.trips += entry.trips;
            gain.sums.insert(gain.sums.end(), entry.sums.begin(), entry.sums.end());
            condition.negated = false;
        }
        // Equal constants are one amount, wherever they are defined.
        uint32_t amount_key = condition.value ? condition.value.id : constant ? 0 : amount.id;
        uint64_t value = constant ? fn_[amount].imm : 0;
        if (constant && value != 1) amount_key = amount.id;
        auto [it, fresh] =
            state.sum_of.try_emplace({block.id, segment, amount_key, condition.negated}, state.sums.size());
        gain.sums.push_back({it->second, minus});
        if (!fresh) return;

        bool narrow = state.narrow && (condition.value || (constant && value == 1));
        Type type = narrow ? Scalar::u32 : Scalar::i64;
        Value local = before.local(type.elem, 1);
        state.sums.push_back({local, type});
        Builder b(fn_, block);
        b.span = fn_[count].span;
        Value step = condition.value ? amount_of(b, condition, type.elem) : constant ? b.constant(type, value) : amount;
        Value sum = b.load(local);
        sum = b.add(sum, step);
        b.store(local, sum);
    }

    /// The accumulators at the start of each iteration; none if no inner loop has a safepoint.
    std::vector<Value> sums_at_start(const LoopState &state, BlockId body) {
        std::vector<Value> began;
        if (!holds_safepoint(fn_, body, false)) return began;
        Builder b(fn_, body);
        b.at = 0;
        b.span = fn_[state.loop].span;
        for (const Sum &sum : state.sums) began.push_back(b.load(sum.local));
        return began;
    }

    /// Adds counts to the safepoints in a block. `began`: the accumulators at the start of the iteration; empty if only the loop's own
    /// safepoint needs them, since that one is first in the body.
    void count_at_safepoints(const LoopState &state, BlockId block, const std::vector<Value> &began) {
        const std::vector<Value> insts = fn_[block].insts;
        for (Value v : insts) {
            if (!is_safepoint(fn_, v)) {
                for (int k = 0; k < 2; ++k) // no references: instructions are reallocated when others are created
                    if (const BlockId inner = fn_[v].blocks[k]) count_at_safepoints(state, inner, began);
                continue;
            }
            const BlockId branch = fn_[v].blocks[0];
            Builder b(fn_, branch);
            b.at = fn_[branch].insts.size() - 1;
            b.span = fn_[v].span;
            flush(state, b, &began);
        }
    }

    /// Emits counts of the gains of a loop: after the loop, where the task ends early, or, if `began` is given, up to the start of the
    /// current iteration.
    void flush(const LoopState &state, Builder &b, const std::vector<Value> *began = nullptr) {
        if (state.gains.empty()) return;
        Value trips;
        for (auto &[counter, gain] : state.gains)
            if ((gain.trips || !gain.amounts.empty()) && !trips)
                trips = began ? iterations_so_far(b, state.loop) : trip_count(b, state.loop);
        std::vector<Value> totals;
        for (size_t k = 0; k < state.sums.size(); ++k) {
            const Sum &sum = state.sums[k];
            Value total = began && !began->empty() ? (*began)[k] : b.load(sum.local);
            totals.push_back(sum.type.elem == Scalar::i64 ? total : b.cast(total, Scalar::i64));
        }
        // Counters with equal gains share the value, so that in the enclosing loop they share an accumulator.
        std::map<Gain, Value> known;
        for (auto &[counter, gain] : state.gains) {
            if (!gain.trips && gain.amounts.empty() && gain.sums.empty()) continue; // counts of 0
            Value &total = known[gain];
            if (!total) total = evaluate(b, state, gain, trips, totals);
            b.count(uint32_t(counter), total);
        }
    }

    Value evaluate(Builder &b, const LoopState &state, const Gain &gain, Value trips,
                   const std::vector<Value> &totals) {
        Value total;
        if (gain.trips) {
            total = trips;
            if (gain.trips > 1) {
                if (fn_[trips].op == Op::constant) {
                    total = b.i64(int64_t(fn_[trips].imm * gain.trips));
                } else {
                    Value times = b.i64(int64_t(gain.trips));
                    total = b.mul(trips, times);
                }
            }
        }
        for (Value amount : gain.amounts) {
            Value product = outside(b, state, amount);
            product = b.mul(trips, product);
            total = total ? b.add(total, product) : product;
        }
        for (auto [sum, minus] : gain.sums) {
            if (!total)
                total = totals[sum];
            else
                total = minus ? b.sub(total, totals[sum]) : b.add(total, totals[sum]);
        }
        return total;
    }

    /// True if a value of the loop's body is loop-invariant and cheap to recompute after the loop.
    bool can_leave(const LoopState &state, Value v, int depth) const {
        constexpr int deepest = 6;
        if (v.id >= state.inside.size() || !state.inside[v.id]) return true;
        if (depth == deepest || !is_cheap(fn_[v].op)) return false;
        for (Value a : fn_.args(v))
            if (!can_leave(state, a, depth + 1)) return false;
        return true;
    }

    void mark(std::vector<bool> &inside, BlockId b) const {
        for (Value p : fn_[b].params) inside[p.id] = true;
        for (Value v : fn_[b].insts) {
            inside[v.id] = true;
            for (Value r : fn_.results(v)) inside[r.id] = true;
            for (BlockId inner : fn_[v].blocks)
                if (inner) mark(inside, inner);
        }
    }

    Value outside(Builder &b, const LoopState &state, Value v) {
        if (v.id >= state.inside.size() || !state.inside[v.id]) return v;
        std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
        for (Value &a : args) a = outside(b, state, a);
        return b.emit(fn_[v].op, args, fn_.type(v), fn_[v].imm);
    }

    Value trip_count(Builder &b, Value loop) {
        Value lo = fn_.args(loop)[0], hi = fn_.args(loop)[1];
        bool narrow = fn_.type(lo) == Type(Scalar::i32);
        if (fn_[lo].op == Op::constant && fn_[hi].op == Op::constant) {
            int64_t n = narrow ? int64_t(int32_t(fn_[hi].imm)) - int32_t(fn_[lo].imm)
                               : int64_t(fn_[hi].imm) - int64_t(fn_[lo].imm);
            return b.i64(std::max<int64_t>(n, 0));
        }
        if (narrow) {
            lo = b.cast(lo, Scalar::i64);
            hi = b.cast(hi, Scalar::i64);
        }
        Value n = b.sub(hi, lo);
        Value zero = b.i64(0);
        return b.max(n, zero);
    }

    Value iterations_so_far(Builder &b, Value loop) {
        const bool back = fn_.loops[fn_[loop].imm].reversed;
        Value from = fn_.args(loop)[back ? 1 : 0], index = fn_[fn_[loop].blocks[0]].params[0];
        if (fn_.type(from) == Type(Scalar::i32)) {
            from = b.cast(from, Scalar::i64);
            index = b.cast(index, Scalar::i64);
        }
        if (!back) return b.sub(index, from);
        const Value left = b.sub(from, index);
        const Value one = b.i64(1);
        return b.sub(left, one);
    }

    void flush_at_exits(const LoopState &state, BlockId block) {
        std::vector<Value> old = std::move(fn_[block].insts);
        fn_[block].insts.clear();
        for (Value v : old) {
            Op op = fn_[v].op;
            if (op == Op::serve_requests) {
                Builder b(fn_, block);
                b.span = fn_[v].span;
                flush(state, b);
                for (const Sum &sum : state.sums) {
                    Value zero = b.constant(sum.type, 0);
                    b.store(sum.local, zero);
                }
            } else if (op == Op::if_ &&
                       fn_[fn_.args(v)[0]].op == Op::serve_requests) { // everything was counted before it
            } else if (op == Op::exit || (op == Op::assert_ && guarded_.contains(v.id))) {
                Builder b(fn_, block);
                b.span = fn_[v].span;
                flush(state, b);
            } else if (op == Op::assert_) {
                v = guard(state, v);
            } else {
                for (int k = 0; k < 2; ++k)
                    if (BlockId inner = fn_[v].blocks[k]) flush_at_exits(state, inner);
            }
            fn_[block].insts.push_back(v);
        }
    }

    /// Returns `if condition {} else { flush; assert }` as a replacement for an assertion.
    Value guard(const LoopState &state, Value assertion) {
        BlockId shell = fn_.make_block();
        Builder b(fn_, shell);
        b.span = fn_[assertion].span;
        Value branch = b.if_(fn_.args(assertion)[0]);
        Builder(fn_, fn_[branch].blocks[0]).yield();
        Builder failed(fn_, fn_[branch].blocks[1]);
        failed.span = b.span;
        flush(state, failed);
        fn_[failed.block].insts.push_back(assertion);
        failed.yield();
        guarded_.insert(assertion.id);
        return branch;
    }

    Function &fn_;
    std::vector<uint8_t> effects_;
    std::unordered_map<uint32_t, Condition> conditions_; ///< by count instruction
    std::unordered_set<uint32_t> guarded_;               ///< assertions that are in a branch of their own
};

} // namespace

bool count_predicates(Function &fn, const Config &config) {
    bool any = false;
    analysis::walk(fn, fn.body, [&](Value v) { any |= fn[v].op == Op::count; });
    if (!any) return false;
    if (fn.role == Role::serial_task) serve_counts(fn);
    for (Value loop : long_loops(fn)) add_safepoint(fn, loop);
    Counting(fn).block(fn.body, 0);
    drop_empty_safepoints(fn, fn.body);
    promote(fn, config);
    return true;
}

} // namespace qd::passes
