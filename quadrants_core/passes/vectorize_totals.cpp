#include "passes/vectorize_totals.h"

#include "passes/safepoints.h"
#include "passes/slots.h"
#include "passes/vectorize_plan.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;

namespace {

bool is_cast_of_u1(const Function &fn, Value v) { return fn[v].op == Op::cast && fn.type(fn.args(v)[0]).is_bool(); }

size_t place_in(const std::vector<Value> &list, Value v) {
    return size_t(std::find(list.begin(), list.end(), v) - list.begin());
}

} // namespace

bool counts_branch(const Function &fn, Value v) {
    const auto gains = [&](Value a) { return is_cast_of_u1(fn, a); };
    return fn.type(v) == Type(Scalar::u32) &&
           (gains(v) || (fn[v].op == Op::add && std::ranges::any_of(fn.args(v), gains)));
}

void Totals::forget() {
    for (uint32_t id : marked_) marks_[id] = none;
    marked_.clear();
}

void Totals::find(Value loop, BlockId around) {
    const BlockId b = fn_[loop].blocks[0];
    for (size_t k = 0; k < fn_.results(loop).size(); ++k) {
        const Value param = fn_[b].params[first_carried(fn_, loop) + k];
        const Inst &init = fn_[fn_.args(loop)[first_init(fn_, loop) + k]];
        if (fn_.type(param) != Type(Scalar::i64) || init.op != Op::constant || init.imm) continue;
        std::vector<Value> ways{param};
        seen_.assign(1, 0);
        bool fine = body(b, loop, k, ways) && joins_sums(fn_.results(loop)[k], around);
        for (size_t w = 0; w < ways.size(); ++w) fine = fine && seen_[w] == uses_[ways[w].id];
        if (!fine) continue;
        set(fn_.results(loop)[k], result);
        for (size_t w = 0; w < ways.size(); ++w) {
            set(ways[w], way);
            if (w == 0) continue;
            for (Value a : fn_.args(ways[w]))
                if (is_bit(a)) set(a, bit);
        }
    }
}

bool Totals::is_bit(Value v) const { return is_cast_of_u1(fn_, v) && uses_[v.id] == 1; }

void Totals::find_sums(Value loop, const Planner &planner) {
    const BlockId body = fn_[loop].blocks[0];
    const std::vector<Value> &params = fn_[body].params;
    for (size_t k = 1; k < params.size(); ++k) {
        if (!fn_.type(params[k]).is_int()) continue;
        std::vector<Value> ways{params[k]};
        seen_.assign(1, 0);
        bool fine = sum_ways(body, true, k - 1, planner, ways);
        for (size_t w = 0; w < ways.size(); ++w) fine = fine && seen_[w] == uses_[ways[w].id];
        if (!fine) continue;
        for (Value v : ways) {
            set(v, sum_way);
            if (fn_[v].op != Op::add) continue;
            for (Value a : fn_.args(v))
                if (is_bit(a)) set(a, sum_bit);
        }
    }
}

/// Collects the values of a reduction through the body, and counts their uses. False if one scalar is not enough. Inside branches and
/// loops, only counts where Stop leaves the task are allowed.
bool Totals::sum_ways(BlockId b, bool top, size_t slot, const Planner &planner, std::vector<Value> &ways) {
    for (Value v : fn_[b].insts) {
        if (is_safepoint(fn_, v)) continue;
        const Inst &inst = fn_[v];
        std::span<const Value> args = fn_.args(v);
        const bool for_stop = planner.for_stop_only(v);
        size_t from = ways.size();
        if (inst.op == Op::add && (top || for_stop)) {
            const size_t x = place_in(ways, args[0]), y = place_in(ways, args[1]);
            if (x < ways.size() && y < ways.size()) return false;
            from = std::min(x, y);
            const Value gain = args[x < y ? 1 : 0];
            const bool fine = planner.shape(gain).kind == Shape::uniform || is_bit(gain) || is_result(gain);
            if (from < ways.size() && !fine) return false;
        } else if (inst.op == Op::cast && for_stop) {
            from = place_in(ways, args[0]);
        }
        if (from < ways.size()) {
            ++seen_[from];
            ways.push_back(v);
            seen_.push_back(0);
            continue;
        }
        const bool ends = (top && inst.op == Op::yield) || inst.op == Op::count;
        const size_t way = !ends ? ways.size() : place_in(ways, args[inst.op == Op::count ? 0 : slot]);
        if (way < ways.size()) ++seen_[way];
        for (BlockId inner : inst.blocks)
            if (inner && !sum_ways(inner, false, slot, planner, ways)) return false;
    }
    return true;
}

/// Collects the values of slot `slot` through the loop's body, and counts their uses. False if it cannot be a total.
bool Totals::body(BlockId b, Value loop, size_t slot, std::vector<Value> &ways) {
    for (Value v : fn_[b].insts) {
        if (is_safepoint(fn_, v)) continue;
        const Inst &inst = fn_[v];
        std::span<const Value> args = fn_.args(v);
        const bool leaves_round = inst.op == Op::break_ || (inst.op == Op::yield && b == fn_[loop].blocks[0]);
        if (leaves_round) {
            const size_t way = place_in(ways, args[slot]);
            if (way == ways.size()) return false;
            ++seen_[way];
        } else if (inst.op == Op::count && args[0] == ways[0]) {
            ++seen_[0];
        } else if (inst.op == Op::add && inst.type == Type(Scalar::i64)) {
            const size_t x = place_in(ways, args[0]), y = place_in(ways, args[1]);
            if (x < ways.size() && y < ways.size()) return false;
            if (std::min(x, y) < ways.size()) {
                ++seen_[std::min(x, y)];
                ways.push_back(v);
                seen_.push_back(0);
            }
        }
        if (inst.op != Op::if_) continue; // a use in an inner loop is not counted, so it disqualifies the total
        for (BlockId side : inst.blocks)
            if (side && !body(side, loop, slot, ways)) return false;
    }
    return true;
}

/// True if every use adds it to something, up to the end of the iteration.
bool Totals::joins_sums(Value result, BlockId around) const {
    std::vector<Value> sums{result};
    std::vector<uint32_t> seen{0};
    for (Value v : fn_[around].insts) {
        if (fn_[v].op != Op::add && fn_[v].op != Op::yield) continue;
        for (Value a : fn_.args(v)) {
            const size_t sum = place_in(sums, a);
            if (sum == sums.size()) continue;
            ++seen[sum];
            if (fn_[v].op == Op::yield) continue;
            sums.push_back(v);
            seen.push_back(0);
            if (fn_.args(v)[0] == fn_.args(v)[1]) return false;
        }
    }
    for (size_t k = 0; k < sums.size(); ++k)
        if (seen[k] != uses_[sums[k].id]) return false;
    return true;
}

std::vector<Value> Totals::gains(Value v) const {
    std::vector<Value> out;
    while (fn_[v].op == Op::add) {
        std::span<const Value> args = fn_.args(v);
        const bool first = marks_[args[0].id] == way;
        const Value gain = args[first ? 1 : 0];
        out.push_back(marks_[gain.id] == bit ? fn_.args(gain)[0] : gain);
        v = args[first ? 0 : 1];
    }
    return out;
}

} // namespace qd::passes
