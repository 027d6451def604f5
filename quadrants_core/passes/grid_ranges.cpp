// The parallel loop of a range task becomes the loop of one thread of a grid: it starts at chunk_begin and visits every chunk_step-th
// index of the linearised range, so that neighbouring threads run neighbouring indices. All in i64:
//
//   for k in 0 .. (chunk_end - chunk_begin + chunk_step - 1) / chunk_step: index = chunk_begin + k * chunk_step
//
// A task that uses blocks of threads is lowered so on every target that has them: neighbouring threads of a block run neighbouring indices.
//
// One axis: this is the index itself. Several axes: the coordinates are computed from it by division, the last axis varying fastest.
#include "passes/passes.h"
#include "passes/range_loop.h"

namespace qd::passes {

using namespace ir;

namespace {

/// The indices (i32) of the loop's axes at an index of the range.
std::vector<Value> indices_at(Builder &b, const std::vector<Axis> &axes, Value index) {
    if (axes.empty()) return {b.cast(index, Scalar::i32)};
    const Value width = axes.back().extent;
    const Value row = b.div(index, width);
    const Value start = b.mul(row, width);
    const Value column = b.sub(index, start);
    std::vector<Value> at = coordinates(b, axes, row);
    const Value last = b.cast(column, Scalar::i32);
    at.push_back(b.add(last, axes.back().lo));
    return at;
}

void lower(Builder &b, const RangeLoop &range) {
    Function &fn = b.fn;
    const Value begin = b.emit(Op::chunk_begin, {}, Scalar::i64);
    const Value end = b.emit(Op::chunk_end, {}, Scalar::i64);
    const Value step = b.emit(Op::chunk_step, {}, Scalar::i64);
    const std::vector<Axis> axes = range.bounds.size() == 2 ? std::vector<Axis>() : axes_of(b, range.bounds);
    const Value one = b.i64(1);
    const Value zero = b.i64(0);
    const Value left = b.sub(end, begin);
    const Value some = b.max(left, zero);
    const Value last_of_step = b.sub(step, one);
    const Value up = b.add(some, last_of_step);
    const Value trips = b.div(up, step);
    const Value loop = b.for_(zero, trips, {}, range.flags);
    const Value trip = fn[fn[loop].blocks[0]].params[0];
    fn[loop].blocks[0] = range.body;

    Builder in(fn, range.body);
    in.at = 0;
    in.span = b.span;
    const Value passed = in.mul(trip, step);
    const Value index = in.add(begin, passed);
    const std::vector<Value> at = indices_at(in, axes, index);
    std::vector<std::pair<Value, Value>> map;
    for (size_t a = 0; a < at.size(); ++a) map.push_back({fn[range.body].params[a], at[a]});
    replace_uses(fn, range.body, map);
    fn[range.body].params = {trip};
}

} // namespace

bool grid_ranges(Function &fn, const Config &config) {
    return (config.grid || by_threads(fn, config)) && replace_range_loop(fn, lower);
}

} // namespace qd::passes
