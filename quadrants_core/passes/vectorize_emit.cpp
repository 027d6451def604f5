// Uniform and linear values exist once, as the scalar of the first lane; they are expanded to lanes where a varying instruction needs
// lanes. Varying values exist as lanes only. Branches on varying conditions execute both sides under masks.
#include "passes/vectorize_emit.h"

#include "passes/safepoints.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;

LaneEmitter::LaneEmitter(Function &fn, const Planner &planner, int lanes, BlockId into, BlockId outside)
    : fn_(fn), planner_(planner), lanes_count_(lanes), top_(into), b_(fn, into), outside_(fn, outside) {}

std::vector<Value> LaneEmitter::round(Value loop, Value index, std::span<const Value> sums,
                                      std::span<const Value> beside) {
    const BlockId body = fn_[loop].blocks[0];
    source_ = {loop, body, fn_[body].params[0], {beside.begin(), beside.end()}};
    first_[source_.index.id] = index;
    for (size_t k = 0; k < sums.size(); ++k) {
        Value param = fn_[body].params[k + 1];
        (planner_.totals().is_sum(param) ? first_ : lanes_)[param.id] = sums[k];
    }
    block(body, 1);
    std::vector<Value> next(fn_.args(fn_[body].insts.back()).begin(), fn_.args(fn_[body].insts.back()).end());
    for (size_t k = 0; k < next.size(); ++k) {
        if (planner_.totals().is_sum(next[k])) {
            next[k] = first(next[k]);
            continue;
        }
        next[k] = lanes(next[k]);
        if (past_end_) next[k] = b_.select(mask_, next[k], sums[k]);
    }
    return next;
}

void LaneEmitter::stop_at(Value index, Value hi) {
    bool wide = fn_.type(hi) == Type(Scalar::i64);
    Value left = b_.sub(hi, index); // may need all bits, so unsigned
    Value count = b_.bitcast(left, wide ? Scalar::u64 : Scalar::u32);
    Value all = b_.integer(fn_.type(count), lanes_count_);
    Value few = b_.min(count, all);
    round_lanes_ = few;
    Value end = b_.cast(few, Scalar::i32);
    Value ends = splat(b_, end, lanes_count_);
    Value places = range(Scalar::i32, 1);
    mask_ = round_mask_ = b_.lt(places, ends);
    past_end_ = true;
}

/// Emits all but the last `leave` instructions; the caller handles the operands of the terminator.
void LaneEmitter::block(BlockId b, size_t leave) {
    for (size_t i = 0; i + leave < fn_[b].insts.size(); ++i) instruction(fn_[b].insts[i]);
}

void LaneEmitter::instruction(Value v) {
    b_.span = fn_[v].span;
    if (planner_.totals().has(v) || planner_.totals().is_sum_bit(v)) return;
    if (planner_.totals().is_sum(v)) return sum(v);
    const Op op = fn_[v].op;
    if (op == Op::safepoint) return;
    if (is_safepoint(fn_, v)) return safepoint(v);
    if (op == Op::load) return load(v);
    if (op == Op::store) return store(fn_.args(v)[0], lanes(fn_.args(v)[1]));
    if (op == Op::count) return count(v);
    if (op == Op::if_) return varies(fn_.args(v)[0]) || planner_.jumps(v) ? masked_branch(v) : uniform_branch(v);
    if (op == Op::for_ || op == Op::loop) return planner_.diverges(v) ? leaving_loop(v) : inner_loop(v);
    if (planner_.shape(v).kind != Shape::varying)
        scalar_copy(v);
    else if (fn_.type(v).is_scalar())
        lane_copy(v);
    // Varying pointers are expanded where they are used.
}

void LaneEmitter::follow(const LaneEmitter &first, int64_t distance) {
    leader_ = &first;
    distance_ = distance;
}

void LaneEmitter::scalar_copy(Value v) {
    Shape s = planner_.shape(v);
    if (leader_ && b_.block == top_ && fn_.type(v).is_pointer() && s.kind == Shape::linear) {
        Value bytes = b_.i64(s.stride * distance_);
        first_[v.id] = b_.offset(leader_->first(v), bytes, fn_.type(v).elem);
        if (fn_[v].op == Op::offset) fn_[first_[v.id]].imm = fn_[v].imm;
        return;
    }
    std::vector<Value> args;
    for (Value a : fn_.args(v)) args.push_back(first(a));
    uint64_t imm = fn_[v].imm;
    if (fn_[v].op == Op::reserve) {
        const uint64_t lanes = uint64_t(lanes_count_);
        imm = reserve_imm(stack_of(fn_[v]), entry_bytes(fn_[v]) * lanes, lanes);
    }
    if (fn_[v].op == Op::offset && planner_.is_in_shared_room(v)) {
        Value lanes = b_.integer(fn_.type(args[1]), lanes_count_);
        args[1] = b_.mul(args[1], lanes);
    }
    first_[v.id] = b_.emit(fn_[v].op, args, fn_.type(v), imm);
}

void LaneEmitter::lane_copy(Value v) {
    std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
    for (size_t i = 0; i < args.size(); ++i) {
        bool condition = fn_[v].op == Op::select && i == 0;
        args[i] = either(args[i], !condition || varies(args[i]));
    }
    lanes_[v.id] = b_.emit(fn_[v].op, args, fn_.type(v).with_lanes(lanes_count_), fn_[v].imm);
}

Value LaneEmitter::first(Value v) const {
    auto it = first_.find(v.id);
    return it == first_.end() ? v : it->second;
}

Value LaneEmitter::lanes(Value v) {
    auto it = lanes_.find(v.id);
    if (it != lanes_.end()) return it->second;
    Value made;
    if (!first_.contains(v.id)) {
        made = splat(outside_, v, lanes_count_);
    } else {
        made = make_lanes(v);
        scope_.push_back(v.id);
    }
    lanes_[v.id] = made;
    return made;
}

Value splat(Builder &b, Value scalar, int lanes) {
    return b.emit(Op::splat, {scalar}, b.fn.type(scalar).with_lanes(lanes));
}

/// 0, stride, 2 stride ...
Value LaneEmitter::range(Type t, int64_t stride) {
    Type type = t.with_lanes(lanes_count_);
    Value steps = outside_.emit(Op::iota, {}, type);
    if (stride == 1) return steps;
    Value factor = outside_.integer(type, stride);
    return outside_.mul(steps, factor);
}

/// Expands a uniform or linear value to lanes. Only the index itself counts up; sums with it are recomputed per lane, so they wrap as in
/// the source.
Value LaneEmitter::make_lanes(Value v) {
    if (planner_.totals().is_result(v)) return in_first_lane(first(v));
    if (!varies(v)) return splat(b_, first(v), lanes_count_);
    if (v == source_.index) {
        Value start = splat(b_, first(v), lanes_count_);
        return b_.add(start, range(fn_.type(v), 1));
    }
    std::vector<Value> args;
    for (Value a : std::vector<Value>(fn_.args(v).begin(), fn_.args(v).end())) args.push_back(lanes(a));
    return b_.emit(fn_[v].op, args, fn_.type(v).with_lanes(lanes_count_), fn_[v].imm);
}

Value LaneEmitter::all_lanes() {
    Value yes = outside_.u1(true);
    return splat(outside_, yes, lanes_count_);
}

/// Splits a varying or strided pointer into one base and a byte offset per lane.
void LaneEmitter::far_address(Value pointer, Value &base, Value &offsets) {
    Shape s = planner_.shape(pointer);
    if (s.kind != Shape::varying) {
        base = first(pointer);
        offsets = range(Scalar::i64, s.stride);
        return;
    }
    Value parent = fn_.args(pointer)[0], bytes = fn_.args(pointer)[1];
    offsets = lanes(bytes);
    if (planner_.shape(parent).kind == Shape::uniform) {
        base = first(parent);
        return;
    }
    Value rest;
    far_address(parent, base, rest);
    offsets = b_.add(rest, offsets);
}

void LaneEmitter::load(Value v) {
    Value pointer = fn_.args(v)[0];
    Shape at = planner_.shape(pointer);
    if (at.kind == Shape::uniform) return scalar_copy(v);
    Type type = fn_.type(v).with_lanes(lanes_count_);
    bool unmasked = !needs_mask(pointer);
    if (at.kind == Shape::linear && at.stride == size_of(type.elem)) {
        Value p = first(pointer);
        if (unmasked) {
            lanes_[v.id] = b_.emit(Op::load, {p}, type);
        } else {
            Value off = outside_.integer(type, 0);
            lanes_[v.id] = b_.emit(Op::masked_load, {p, mask_, off}, type);
        }
        return;
    }
    Value base, offsets;
    far_address(pointer, base, offsets);
    Value active = unmasked ? all_lanes() : mask_;
    lanes_[v.id] = b_.emit(Op::gather, {base, offsets, active}, type);
}

void LaneEmitter::store(Value pointer, Value value) {
    Shape at = planner_.shape(pointer);
    if (at.kind == Shape::linear && at.stride == size_of(fn_.type(value).elem)) {
        Value p = first(pointer);
        if (mask_)
            b_.emit(Op::masked_store, {p, value, mask_});
        else
            b_.store(p, value);
        return;
    }
    Value base, offsets;
    far_address(pointer, base, offsets);
    Value active = mask_ ? mask_ : all_lanes();
    b_.emit(Op::scatter, {base, offsets, value, active});
}

/// Finds the last instruction of both sides, if both are stores to the same address.
bool LaneEmitter::common_store(Value v, Value (&stores)[2]) const {
    for (int side = 0; side < 2; ++side) {
        const std::vector<Value> &list = fn_[fn_[v].blocks[side]].insts;
        if (list.size() < 2) return false;
        stores[side] = list[list.size() - 2];
        if (fn_[stores[side]].op != Op::store) return false;
    }
    return same_address(fn_.args(stores[0])[0], fn_.args(stores[1])[0]);
}

bool LaneEmitter::same_address(Value a, Value b) const {
    if (a == b) return true;
    if (fn_[a].op != Op::offset || fn_[b].op != Op::offset || fn_[a].type != fn_[b].type) return false;
    Value x = fn_.args(a)[1], y = fn_.args(b)[1];
    bool same_bytes = x == y || (fn_[x].op == Op::constant && fn_[y].op == Op::constant && fn_[x].imm == fn_[y].imm);
    return same_bytes && same_address(fn_.args(a)[0], fn_.args(b)[0]);
}

/// Executes both sides, each under its mask; results are selected, and so is the value of a store that ends both sides.
void LaneEmitter::masked_branch(Value v) {
    Value condition = lanes(fn_.args(v)[0]);
    Value stores[2], stored[2], stays[2];
    bool common = common_store(v, stores), jumps = planner_.jumps(v);
    std::vector<Value> yields[2];
    for (int side = 0; side < 2; ++side) {
        Value last = fn_[fn_[v].blocks[side]].insts.back();
        if (jumps || fn_[fn_[v].blocks[side]].insts.size() > 1)
            stays[side] = masked_side(v, side, condition, common ? 2 : 1);
        if (common) stored[side] = lanes(fn_.args(stores[side])[1]);
        if (jumps) continue; // there are no results then
        for (Value r : std::vector<Value>(fn_.args(last).begin(), fn_.args(last).end()))
            yields[side].push_back(lanes(r));
    }
    std::vector<Value> results(fn_.results(v).begin(), fn_.results(v).end());
    for (size_t k = 0; k < results.size(); ++k)
        lanes_[results[k].id] = b_.select(condition, yields[0][k], yields[1][k]);
    if (common) {
        Value either_side = b_.select(condition, stored[0], stored[1]);
        store(fn_.args(stores[1])[0], either_side);
    }
    if (jumps) switch_to(stays[0] && stays[1] ? b_.bor(stays[0], stays[1]) : stays[0] ? stays[0] : stays[1]);
}

/// Emits one side under its mask, without its last `leave` instructions. Returns the lanes that reach its end; no value if it ends with a
/// break.
Value LaneEmitter::masked_side(Value branch, int side, Value condition, size_t leave) {
    BlockId b = fn_[branch].blocks[side];
    Value outer = mask_, last = fn_[b].insts.back();
    if (side == 1) {
        Value yes = all_lanes();
        condition = b_.bxor(condition, yes);
    }
    mask_ = outer ? b_.band(outer, condition) : condition;
    ++branches_;
    block(b, leave);
    --branches_;
    bool breaks = fn_[last].op == Op::break_;
    if (breaks) record_results(last);
    Value stays = breaks ? Value{} : mask_;
    mask_ = outer;
    return stays;
}

/// Emits a count where Stop leaves the task: the total of all lanes so far. Lanes inactive in this SIMD iteration contribute nothing from
/// it.
void LaneEmitter::count(Value v) {
    Value amount = fn_.args(v)[0], of = planner_.counted_of(amount);
    if (planner_.totals().has(amount)) {
        b_.count(uint32_t(fn_[v].imm), total_so_far(amount));
        return;
    }
    if (planner_.totals().is_sum(amount)) {
        b_.count(uint32_t(fn_[v].imm), first(amount));
        return;
    }
    if (!planner_.inside(of)) {
        b_.count(uint32_t(fn_[v].imm), amount);
        return;
    }
    const std::vector<Value> &sums = fn_[source_.body].params;
    const bool sum = std::find(sums.begin(), sums.end(), of) != sums.end();
    // A 32-bit accumulator of this loop counts iterations: the total of all lanes fits too.
    if (sum && fn_.type(of) == Type(Scalar::u32) && fn_[amount].op == Op::cast) amount = fn_.args(amount)[0];
    Value mine = lanes(amount);
    if (round_mask_) {
        Value before = sum ? lanes(of) : outside_.integer(fn_.type(of).with_lanes(lanes_count_), 0);
        if (fn_.type(before) != fn_.type(mine)) before = b_.cast(before, fn_.type(mine));
        mine = b_.select(round_mask_, mine, before);
    }
    Value total = b_.emit(Op::reduce_add, {mine}, fn_.type(amount));
    if (fn_.type(total) != Type(Scalar::i64)) total = b_.cast(total, Scalar::i64);
    b_.count(uint32_t(fn_[v].imm), total);
}

void LaneEmitter::leave_scope(size_t mark) {
    for (; scope_.size() > mark; scope_.pop_back()) lanes_.erase(scope_.back());
}

void LaneEmitter::uniform_branch(Value v) {
    Value branch = b_.if_(first(fn_.args(v)[0]));
    std::vector<Value> results(fn_.results(v).begin(), fn_.results(v).end());
    BlockId outer = b_.block;
    for (int side = 0; side < 2; ++side) {
        BlockId b = fn_[v].blocks[side];
        b_.block = fn_[branch].blocks[side];
        size_t mark = scope_.size();
        block(b, 1);
        if (fn_[fn_[b].insts.back()].op == Op::exit) {
            b_.exit();
            leave_scope(mark);
            continue;
        }
        std::vector<Value> yields(fn_.args(fn_[b].insts.back()).begin(), fn_.args(fn_[b].insts.back()).end());
        for (size_t k = 0; k < yields.size(); ++k) yields[k] = either(yields[k], varies(results[k]));
        b_.yield(yields);
        leave_scope(mark);
    }
    b_.block = outer;
    for (Value r : results) {
        bool as_lanes = varies(r);
        Value copy = fn_.add_result(branch, as_lanes ? fn_.type(r).with_lanes(lanes_count_) : fn_.type(r));
        (as_lanes ? lanes_ : first_)[r.id] = copy;
    }
}

void LaneEmitter::inner_loop(Value v) {
    BlockId body = fn_[v].blocks[0];
    std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
    std::vector<Value> params = fn_[body].params;
    std::vector<Value> results(fn_.results(v).begin(), fn_.results(v).end());
    std::vector<Value> inits;
    for (size_t k = 2; k < args.size(); ++k) inits.push_back(either(args[k], varies(params[k - 1])));
    Value lo = first(args[0]), hi = first(args[1]);
    Loop flags = fn_.loops[fn_[v].imm];
    flags.vectorize = false;
    Value loop = b_.for_(lo, hi, inits, flags);
    BlockId outer = b_.block;
    b_.block = fn_[loop].blocks[0];
    size_t mark = scope_.size();
    std::vector<Value> copies = fn_[b_.block].params;
    first_[params[0].id] = copies[0];
    for (size_t k = 1; k < params.size(); ++k) (varies(params[k]) ? lanes_ : first_)[params[k].id] = copies[k];
    block(body, 1);
    std::vector<Value> next(fn_.args(fn_[body].insts.back()).begin(), fn_.args(fn_[body].insts.back()).end());
    for (size_t k = 0; k < next.size(); ++k) next[k] = either(next[k], varies(params[k + 1]));
    b_.yield(next);
    leave_scope(mark);
    b_.block = outer;
    for (size_t k = 0; k < results.size(); ++k)
        (varies(results[k]) ? lanes_ : first_)[results[k].id] = fn_.results(loop)[k];
}

} // namespace qd::passes
