#include "autodiff/gather.h"

#include "analysis/memory.h"
#include "analysis/uses.h"
#include "ir/builder.h"
#include "ir/eval.h"
#include "passes/clone.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace qd::autodiff {

using namespace ir;

namespace {

constexpr int atomic_cost = 24;               ///< cost that may be recomputed to save one atomic
constexpr int64_t least_iterations = 4096;    ///< fewer are not worth more tasks
constexpr int64_t largest_distance = 1 << 20; ///< limit of constants added to an index

class Gather {
  public:
    Gather(Function &fn, Value loop, BlockId into)
        : fn_(fn), loop_(loop), b_(fn, into), body_(fn[loop].blocks[0]), memory_(fn), uses_(analysis::use_counts(fn)),
          inside_(fn.insts.size()) {}

    /// Emits the replacement of the loop; returns false, without emitting anything, if the loop must stay as it is.
    bool run() {
        if (fn_.loops[fn_[loop_].imm].serialize || is_short()) return false;
        axes_ = fn_[body_].params;
        for (Value p : axes_) inside_[p.id] = 1;
        if (!read_body() || !choose() || !is_independent() || !pays()) return false;
        b_.span = fn_[loop_].span;
        gather();
        borders();
        keep_remaining();
        return true;
    }

  private:
    using Values = std::vector<Value>;
    using Distance = std::vector<int64_t>; ///< by axis

    /// An atomic, and the distance from the indices of the iteration to those of its element.
    struct Part {
        Value atomic;
        Distance offset;
    };

    bool is_short() const {
        const auto bounds = fn_.args(loop_);
        int64_t all = 1;
        for (Value bound : bounds)
            if (fn_[bound].op != Op::constant) return false;
        for (size_t i = 0; i < bounds.size(); i += 2)
            all *= std::clamp<int64_t>(constant(bounds[i + 1]) - constant(bounds[i]), 0, least_iterations);
        return all < least_iterations;
    }
    int64_t constant(Value v) const { return to_int({fn_.type(v).elem, fn_[v].imm}); }

    bool read_body() {
        for (Value v : fn_[body_].insts) {
            inside_[v.id] = 1;
            const Op op = fn_[v].op;
            if (op == Op::load || op == Op::store || is_atomic(op))
                (op == Op::load ? loads_ : op == Op::store ? stores_ : atomics_).push_back(v);
            else if (op != Op::yield && !is_movable(op))
                return false;
            if (op == Op::load)
                for (const Values *before : {&stores_, &atomics_})
                    for (Value w : *before)
                        if (!never_alias(v, w)) return false;
        }
        return true;
    }

    std::span<const Value> indices(Value pointer) const {
        const auto args = fn_.args(pointer);
        return fn_[pointer].op == Op::element ? args.subspan(1, args.size() - 2) : args;
    }

    /// Computes `Part::offset` of an atomic; false unless each index of the loop occurs in its address exactly once, plus a constant.
    bool measure(Value atomic, Distance &offset) const {
        const Value pointer = fn_.args(atomic)[0];
        const Op op = fn_[pointer].op;
        if (fn_[atomic].op != Op::atomic_add || uses_[atomic.id] || (op != Op::element && op != Op::place))
            return false;
        if (op == Op::place && (is_sparse(fn_.places[fn_[pointer].imm]) || fn_.places[fn_[pointer].imm].level))
            return false;
        offset.assign(axes_.size(), 0);
        std::vector<int> found(axes_.size());
        for (Value index : indices(pointer)) {
            const analysis::Sum sum = analysis::as_sum(fn_, index);
            const auto axis = std::ranges::find(axes_, sum.base);
            if (axis == axes_.end()) continue;
            found[size_t(axis - axes_.begin())]++;
            offset[size_t(axis - axes_.begin())] = int32_t(uint32_t(sum.constant));
        }
        return std::ranges::all_of(found, [](int n) { return n == 1; }) &&
               std::ranges::all_of(offset, [](int64_t d) { return d > -largest_distance && d < largest_distance; });
    }

    /// Chooses the atomics on objects to which iterations add at several distances.
    bool choose() {
        std::map<uint32_t, std::set<Distance>> distances;
        std::set<uint32_t> others;
        std::vector<Part> all;
        for (Value v : atomics_) {
            Part part{v, {}};
            const uint32_t object = memory_.object(fn_.args(v)[0]);
            if (measure(v, part.offset)) {
                distances[object].insert(part.offset);
                all.push_back(part);
            } else {
                others.insert(object);
            }
        }
        for (const Part &part : all) {
            const uint32_t object = memory_.object(fn_.args(part.atomic)[0]);
            if (distances[object].size() > 1 && !others.contains(object)) parts_.push_back(part);
        }
        if (parts_.empty()) return false;
        least_ = most_ = parts_[0].offset;
        for (const Part &part : parts_)
            for (size_t a = 0; a < axes_.size(); ++a) {
                least_[a] = std::min(least_[a], part.offset[a]);
                most_[a] = std::max(most_[a], part.offset[a]);
            }
        return true;
    }

    /// True if two accesses never alias, in any pair of iterations.
    bool never_alias(Value a, Value b) const {
        const Value x = fn_.args(a)[0], y = fn_.args(b)[0];
        if (!memory_.objects_overlap(memory_.object(x), memory_.object(y))) return true;
        if (fn_[x].op != fn_[y].op || fn_[x].imm != fn_[y].imm) return false;
        if (fn_[x].op != Op::place && (fn_[x].op != Op::element || fn_.args(x)[0] != fn_.args(y)[0])) return false;
        for (size_t i = 0; i < indices(x).size(); ++i) {
            const analysis::Sum m = analysis::as_sum(fn_, indices(x)[i]), n = analysis::as_sum(fn_, indices(y)[i]);
            const bool is_invariant = !m.base || !inside_[m.base.id];
            if (m.base == n.base && is_invariant && uint32_t(m.constant) != uint32_t(n.constant)) return true;
        }
        return false;
    }
    bool is_part(Value v) const { return std::ranges::find(parts_, v, &Part::atomic) != parts_.end(); }

    bool is_independent() const {
        for (const Part &part : parts_) {
            for (const Values *list : {&loads_, &stores_})
                for (Value v : *list)
                    if (!never_alias(v, part.atomic)) return false;
            for (Value v : atomics_)
                if (!is_part(v) && !never_alias(v, part.atomic)) return false;
        }
        return true;
    }

    /// The backward slice of the atomics, in program order.
    Values slice(std::span<const Part> parts) const {
        std::vector<uint8_t> needed(fn_.insts.size());
        Values list;
        for (const Part &part : parts) needed[part.atomic.id] = 1;
        const Values &insts = fn_[body_].insts;
        for (size_t n = insts.size(); n-- > 0;) {
            if (!needed[insts[n].id]) continue;
            list.push_back(insts[n]);
            for (Value a : fn_.args(insts[n])) needed[a.id] = 1;
        }
        std::ranges::reverse(list);
        return list;
    }
    std::map<Distance, std::vector<Part>> by_distance() const {
        std::map<Distance, std::vector<Part>> groups;
        for (const Part &part : parts_) groups[part.offset].push_back(part);
        return groups;
    }
    bool pays() const {
        int cost = 0;
        for (const auto &[offset, parts] : by_distance())
            for (Value v : slice(parts))
                if (!fn_.type(v).is_pointer() && fn_[v].op != Op::constant) cost += cost_of(fn_[v].op);
        return cost <= atomic_cost * int(parts_.size());
    }

    /// Clamps to i32.
    Value narrow(Value wide) {
        const Value most = b_.i64(INT32_MAX), least = b_.i64(INT32_MIN);
        const Value below = b_.min(wide, most);
        const Value within = b_.max(below, least);
        return b_.cast(within, Scalar::i32);
    }
    Value moved(Value bound, int64_t by) {
        if (!by) return bound;
        const Value wide = b_.cast(bound, Scalar::i64);
        const Value distance = b_.i64(by);
        return narrow(b_.add(wide, distance));
    }
    Value low(size_t axis) const { return fn_.args(loop_)[2 * axis]; }
    Value high(size_t axis) const { return fn_.args(loop_)[2 * axis + 1]; }

    /// Emits a parallel loop with these bounds and the flags of the replaced loop; `fill` emits its body.
    template <class Fill> void each(const Values &bounds, Fill &&fill) {
        const Loop flags = fn_.loops[fn_[loop_].imm];
        const Value made = b_.parallel(bounds, flags);
        Builder in(fn_, fn_[made].blocks[0]);
        in.span = b_.span;
        const Values params = fn_[in.block].params;
        for (size_t a = 0; a < params.size(); ++a) {
            const SpanId span = fn_[axes_[a]].span;
            fn_[params[a]].span = span;
        }
        fill(in, params);
        in.yield();
    }

    void gather() {
        Values bounds;
        for (size_t a = 0; a < axes_.size(); ++a) {
            bounds.push_back(moved(low(a), most_[a]));
            bounds.push_back(moved(high(a), least_[a]));
        }
        interior_ = bounds;
        each(bounds, [&](Builder &in, const Values &params) {
            for (const auto &[offset, parts] : by_distance()) {
                passes::Cloner cloner(fn_, fn_);
                for (size_t a = 0; a < axes_.size(); ++a) {
                    const Value distance = offset[a] ? in.i32(int32_t(offset[a])) : Value{};
                    cloner.set(axes_[a], distance ? in.sub(params[a], distance) : params[a]);
                }
                for (Value v : slice(parts)) cloner.copy(v, in.block);
            }
        });
    }

    /// Emits loops over the iterations that contribute to elements outside of the interior: for each axis, the iterations near its two
    /// ends, except those that the loops of earlier axes already cover.
    void borders() {
        for (size_t axis = 0; axis < axes_.size(); ++axis) {
            const int64_t width = most_[axis] - least_[axis];
            if (!width) continue;
            Values around;
            for (size_t a = 0; a < axes_.size(); ++a) {
                const int64_t cut = a < axis ? most_[a] - least_[a] : 0;
                around.push_back(moved(low(a), cut));
                around.push_back(moved(high(a), -cut));
            }
            const Value lower = low(axis), upper = high(axis);
            const Value near_low = moved(lower, width), near_high = moved(upper, -width);
            Values first = around, last = around;
            first[2 * axis] = lower;
            first[2 * axis + 1] = b_.min(near_low, upper);
            last[2 * axis] = b_.max(near_low, near_high);
            last[2 * axis + 1] = upper;
            border(first);
            border(last);
        }
    }
    void border(const Values &bounds) {
        each(bounds, [&](Builder &in, const Values &params) {
            for (const auto &[offset, parts] : by_distance()) {
                passes::Cloner cloner(fn_, fn_);
                Value within;
                for (size_t a = 0; a < axes_.size(); ++a) {
                    cloner.set(axes_[a], params[a]);
                    const Value distance = in.i32(int32_t(offset[a]));
                    const Value at = in.add(params[a], distance);
                    const Value from = in.ge(at, interior_[2 * a]);
                    const Value to = in.lt(at, interior_[2 * a + 1]);
                    const Value both = in.band(from, to);
                    within = within ? in.band(within, both) : both;
                }
                const Value made = in.if_(within);
                const BlockId sides[] = {fn_[made].blocks[0], fn_[made].blocks[1]};
                for (Value v : slice(parts)) cloner.copy(v, sides[1]);
                for (BlockId side : sides) Builder(fn_, side).yield();
            }
        });
    }

    /// Keeps the loop for the instructions that are not gathered.
    void keep_remaining() {
        std::erase_if(fn_[body_].insts, [&](Value v) { return is_part(v); });
        if (!stores_.empty() || atomics_.size() > parts_.size()) fn_[b_.block].insts.push_back(loop_);
    }

    Function &fn_;
    const Value loop_;
    Builder b_;
    const BlockId body_;
    const analysis::Memory memory_;
    const std::vector<uint32_t> uses_;
    std::vector<uint8_t> inside_; ///< by value: defined in the loop's body
    Values axes_, loads_, stores_, atomics_;
    std::vector<Part> parts_;
    Distance least_, most_;
    Values interior_; ///< bounds of the gather loop
};

} // namespace

void gather_reductions(Function &fn) {
    const BlockId made = fn.make_block();
    for (Value v : std::vector<Value>(fn[fn.body].insts))
        if (fn[v].op != Op::parallel || fn.loops[fn[v].imm].cells || !Gather(fn, v, made).run())
            fn[made].insts.push_back(v);
    fn[fn.body].insts = std::move(fn[made].insts);
}

} // namespace qd::autodiff
