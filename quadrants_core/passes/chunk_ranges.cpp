// The parallel loop of a range task becomes loops over the chunk [chunk_begin, chunk_end) of its linearised range.
// One axis: the chunk is a range of the index itself. Several axes: an outer loop over rows and an inner one over the last axis, where the
// first and the last row may be partial; the outer coordinates are computed from the row number by division, once per row.
#include "passes/passes.h"
#include "passes/range_loop.h"

namespace qd::passes {

using namespace ir;

namespace {

void one_axis(Builder &b, const RangeLoop &range) {
    Value begin = b.emit(Op::chunk_begin, {}, Scalar::i64);
    Value end = b.emit(Op::chunk_end, {}, Scalar::i64);
    Value lo = b.cast(begin, Scalar::i32);
    Value hi = b.cast(end, Scalar::i32);
    Value loop = b.for_(lo, hi, {}, range.flags);
    b.fn[loop].blocks[0] = range.body;
}

void several_axes(Builder &b, const RangeLoop &range) {
    Function &fn = b.fn;
    const BlockId body = range.body;
    Value begin = b.emit(Op::chunk_begin, {}, Scalar::i64);
    Value end = b.emit(Op::chunk_end, {}, Scalar::i64);
    std::vector<Axis> axes = axes_of(b, range.bounds);
    Value width = axes.back().extent;
    Value first = b.div(begin, width);
    Value one = b.i64(1);
    Value zero = b.i64(0);
    Value last_index = b.sub(end, one);
    Value last = b.div(last_index, width);
    Value stop = b.add(last, one);
    Loop outer;
    outer.interruptible = range.flags.interruptible;
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
    Value columns = r.for_(lo, hi, {}, range.flags);
    r.yield();

    std::vector<std::pair<Value, Value>> map;
    for (size_t a = 0; a < at.size(); ++a) map.push_back({fn[body].params[a], at[a]});
    replace_uses(fn, body, map);
    Value index = fn[body].params.back();
    fn[body].params = {index};
    fn[columns].blocks[0] = body;
}

} // namespace

bool chunk_ranges(Function &fn, const Config &config) {
    if (config.grid || by_threads(fn, config)) return false;
    return replace_range_loop(fn, [](Builder &b, const RangeLoop &loop) {
        if (loop.bounds.size() == 2)
            one_axis(b, loop);
        else
            several_axes(b, loop);
    });
}

} // namespace qd::passes
