// The parallel loop of a range task becomes loops over the chunk [chunk_begin, chunk_end) of its linearised range.
//
// One axis: the chunk is a range of the index itself. Several: rows outside, the last axis inside, where the first and
// the last row may be partial; the outer coordinates come from the row number by division once a row.
#include "passes/passes.h"

#include "ir/builder.h"

namespace qd::passes {

using namespace ir;

namespace {

Loop inner_flags(const Loop &from) {
    Loop flags = from;
    flags.vectorize = true;
    return flags;
}

void one_axis(Builder &b, BlockId body, const Loop &flags) {
    Value begin = b.emit(Op::chunk_begin, {}, Scalar::i64);
    Value end = b.emit(Op::chunk_end, {}, Scalar::i64);
    Value lo = b.cast(begin, Scalar::i32);
    Value hi = b.cast(end, Scalar::i32);
    Value loop = b.for_(lo, hi, {}, inner_flags(flags));
    b.fn[loop].blocks[0] = body;
}

struct Axis {
    Value lo;     ///< i32
    Value extent; ///< i64, not negative
};

std::vector<Axis> axes_of(Builder &b, std::span<const Value> bounds) {
    std::vector<Axis> axes;
    Value zero = b.i64(0);
    for (size_t a = 0; a < bounds.size(); a += 2) {
        Value lo = b.cast(bounds[a], Scalar::i64);
        Value hi = b.cast(bounds[a + 1], Scalar::i64);
        Value extent = b.sub(hi, lo);
        extent = b.max(extent, zero);
        axes.push_back({bounds[a], extent});
    }
    return axes;
}

/// The outer coordinates of a row, the last one varying fastest.
std::vector<Value> coordinates(Builder &b, const std::vector<Axis> &axes, Value row) {
    std::vector<Value> at(axes.size() - 1);
    for (size_t a = at.size(); a-- > 0;) {
        Value here = row;
        if (a > 0) {
            Value next = b.div(row, axes[a].extent);
            Value passed = b.mul(next, axes[a].extent);
            here = b.sub(row, passed);
            row = next;
        }
        Value index = b.cast(here, Scalar::i32);
        at[a] = b.add(index, axes[a].lo);
    }
    return at;
}

void replace_uses(Function &fn, BlockId block, const std::vector<std::pair<Value, Value>> &map) {
    for (Value v : fn[block].insts) {
        for (Value &a : fn.args(v))
            for (auto [from, to] : map)
                if (a == from) a = to;
        for (BlockId inner : fn[v].blocks)
            if (inner) replace_uses(fn, inner, map);
    }
}

void several_axes(Builder &b, std::span<const Value> bounds, BlockId body, const Loop &flags) {
    Function &fn = b.fn;
    Value begin = b.emit(Op::chunk_begin, {}, Scalar::i64);
    Value end = b.emit(Op::chunk_end, {}, Scalar::i64);
    std::vector<Axis> axes = axes_of(b, bounds);
    Value width = axes.back().extent;
    Value first = b.div(begin, width);
    Value one = b.i64(1);
    Value zero = b.i64(0);
    Value last_index = b.sub(end, one);
    Value last = b.div(last_index, width);
    Value stop = b.add(last, one);
    Loop outer;
    outer.interruptible = flags.interruptible;
    Value rows = b.for_(first, stop, {}, outer);

    Builder r(fn, fn[rows].blocks[0]);
    r.span = b.span;
    Value row = fn[r.block].params[0];
    Value start = r.mul(row, width);
    Value from = r.sub(begin, start);
    from = r.max(from, zero);
    Value to = r.sub(end, start);
    to = r.min(to, width);
    std::vector<Value> at = coordinates(r, axes, row);
    Value lo = r.cast(from, Scalar::i32);
    lo = r.add(lo, axes.back().lo);
    Value hi = r.cast(to, Scalar::i32);
    hi = r.add(hi, axes.back().lo);
    Value columns = r.for_(lo, hi, {}, inner_flags(flags));
    r.yield();

    std::vector<std::pair<Value, Value>> map;
    for (size_t a = 0; a < at.size(); ++a) map.push_back({fn[body].params[a], at[a]});
    replace_uses(fn, body, map);
    Value index = fn[body].params.back();
    fn[body].params = {index};
    fn[columns].blocks[0] = body;
}

} // namespace

bool chunk_ranges(Function &fn, const Config &) {
    if (fn.role != Role::range_task) return false;
    for (size_t i = 0; i < fn[fn.body].insts.size(); ++i) {
        Value loop = fn[fn.body].insts[i];
        if (fn[loop].op != Op::parallel) continue;
        std::vector<Value> bounds(fn.args(loop).begin(), fn.args(loop).end());
        Loop flags = fn.loops[fn[loop].imm];
        BlockId body = fn[loop].blocks[0];
        fn[fn.body].insts.erase(fn[fn.body].insts.begin() + ptrdiff_t(i));
        Builder b(fn, fn.body);
        b.at = i;
        b.span = fn[loop].span;
        if (bounds.size() == 2)
            one_axis(b, body, flags);
        else
            several_axes(b, bounds, body, flags);
        return true;
    }
    return false;
}

} // namespace qd::passes
