// The parallel loop of a range task becomes the code of one thread of a grid, whose neighbours run neighbouring indices of the linearised
// range. On a target that covers ranges, a launch has a thread for each index:
//
//   if chunk_begin < chunk_end: index = chunk_begin
//
// Elsewhere, and where the loop applies atomics to one address, so that a thread adds up in a register, it strides:
//
//   for k in 0 .. ceil((chunk_end - chunk_begin) / chunk_step): index = chunk_begin + k * chunk_step
//
// One axis: this is the index itself, in 32 bits, since bounds have 32 bits. A grid has at least 3 threads, so that k fits in i32.
// Several axes: the coordinates are computed from it by division, the last axis varying fastest; in 32 bits where the range fits, which
// is tested in the task unless its bounds are constants.
//
// A task that uses blocks of threads is lowered so on every target that has them: neighbouring threads of a block run neighbouring indices.
#include "analysis/uniform.h"
#include "analysis/uses.h"
#include "analysis/walk.h"
#include "passes/neutral.h"
#include "passes/passes.h"
#include "passes/range_loop.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;

namespace {

constexpr int64_t narrow = int64_t(1) << 32; ///< ranges of fewer indices are computed in u32

enum class Fits : uint8_t { no, unknown, yes };

/// Returns whether the linearised range has fewer than `narrow` indices.
Fits fits(const Function &fn, const RangeLoop &range) {
    if (range.bounds.size() == 2) return Fits::yes;
    int64_t size = 1;
    for (size_t a = 0; a < range.bounds.size(); a += 2) {
        const Inst &lo = fn[range.bounds[a]], &hi = fn[range.bounds[a + 1]];
        if (lo.op != Op::constant || hi.op != Op::constant) return Fits::unknown;
        size *= std::max<int64_t>(int64_t(int32_t(hi.imm)) - int32_t(lo.imm), 0);
        if (size >= narrow) return Fits::no;
    }
    return Fits::yes;
}

Value converted(Builder &b, Value v, Scalar type) { return b.fn.type(v) == Type(type) ? v : b.cast(v, type); }

struct Grid {
    Fits fits;
    std::vector<Axis> axes; ///< of several
    Value begin, end, step;
    Value is_narrow; ///< if it is unknown whether the range fits: that it does
};

/// Emits `make(b, type)` in the type in which the range fits, i64 or u32. It returns values of type `result`.
template <class Make> std::vector<Value> in_width(Builder &b, const Grid &grid, Scalar result, const Make &make) {
    if (grid.fits != Fits::unknown) return make(b, grid.fits == Fits::yes ? Scalar::u32 : Scalar::i64);
    const Value branch = b.if_(grid.is_narrow);
    size_t count = 0;
    for (const Scalar type : {Scalar::u32, Scalar::i64}) {
        Builder in(b.fn, b.fn[branch].blocks[type == Scalar::i64]);
        in.span = b.span;
        const std::vector<Value> values = make(in, type);
        in.yield(values);
        count = values.size();
    }
    std::vector<Value> results;
    for (size_t k = 0; k < count; ++k) results.push_back(b.fn.add_result(branch, result));
    return results;
}

/// The indices (i32) of the loop's axes at an index of the range.
std::vector<Value> indices_at(Builder &b, const Grid &grid, Value index) {
    if (grid.axes.empty()) return {converted(b, index, Scalar::i32)};
    return in_width(b, grid, Scalar::i32, [&](Builder &in, Scalar type) {
        std::vector<Axis> axes = grid.axes;
        for (Axis &axis : axes) axis.extent = converted(in, axis.extent, type);
        const Value own = converted(in, index, type);
        const Value width = axes.back().extent;
        const Value row = in.div(own, width);
        const Value start = in.mul(row, width);
        const Value column = in.sub(own, start);
        std::vector<Value> at = coordinates(in, axes, row);
        const Value last = in.cast(column, Scalar::i32);
        at.push_back(in.add(last, axes.back().lo));
        return at;
    });
}

/// Replaces the parameters of the loop's body by the indices at `index`, which `b` computes at the start of the body.
void bind(Builder &b, const Grid &grid, const RangeLoop &range, Value index) {
    const std::vector<Value> at = indices_at(b, grid, index);
    std::vector<std::pair<Value, Value>> map;
    for (size_t a = 0; a < at.size(); ++a) map.push_back({b.fn[range.body].params[a], at[a]});
    replace_uses(b.fn, range.body, map);
}

Builder start_of(Function &fn, BlockId body, SpanId span) {
    Builder in(fn, body);
    in.at = 0;
    in.span = span;
    return in;
}

/// The trips of a thread: ceil((end - begin) / step), at least 0.
Value trips_of(Builder &b, const Grid &grid) {
    const Scalar counter = grid.axes.empty() ? Scalar::i32 : Scalar::i64;
    const Value zero = b.i64(0);
    const Value left = b.sub(grid.end, grid.begin);
    const Value some = b.max(left, zero);
    const std::vector<Value> trips = in_width(b, grid, counter, [&](Builder &in, Scalar type) {
        const Value none = in.integer(type, 0), one = in.integer(type, 1);
        const Value count = converted(in, some, type);
        const Value step = converted(in, grid.step, type);
        const Value last = in.sub(count, one);
        const Value steps = in.div(last, step);
        const Value more = in.add(steps, one);
        const Value is_none = in.eq(count, none);
        const Value all = in.select(is_none, none, more);
        return std::vector<Value>{converted(in, all, counter)};
    });
    return trips[0];
}

void stride(Builder &b, Grid grid, const RangeLoop &range) {
    Function &fn = b.fn;
    grid.step = b.emit(Op::chunk_step, {}, Scalar::i64);
    const Value trips = trips_of(b, grid);
    const Scalar counter = fn.type(trips).elem;
    Value first = grid.begin, step = grid.step;
    if (grid.axes.empty()) {
        first = b.cast(first, counter);
        step = b.cast(step, counter);
    }
    const Value zero = b.integer(counter, 0);
    const Value loop = b.for_(zero, trips, {}, range.flags);
    const Value trip = fn[fn[loop].blocks[0]].params[0];
    fn[loop].blocks[0] = range.body;

    Builder in = start_of(fn, range.body, b.span);
    const Value passed = in.mul(trip, step);
    const Value index = in.add(first, passed);
    bind(in, grid, range, index);
    fn[range.body].params = {trip};
}

void cover(Builder &b, const Grid &grid, const RangeLoop &range) {
    Function &fn = b.fn;
    const Value branch = b.if_(b.lt(grid.begin, grid.end));
    Builder(fn, fn[branch].blocks[1]).yield();
    fn[branch].blocks[0] = range.body;
    Builder in = start_of(fn, range.body, b.span);
    bind(in, grid, range, grid.begin);
    fn[range.body].params.clear();
}

/// True if the loop applies an operation to one address in all iterations: thread_local_reductions and block_reductions make few atomics
/// of many if a thread runs several.
bool reduces(const Function &fn) {
    const std::vector<bool> uniform = analysis::uniform_values(fn);
    const std::vector<uint32_t> uses = analysis::use_counts(fn);
    bool any = false;
    analysis::walk(fn, fn.body, [&](Value v) {
        uint64_t bits;
        any |= is_atomic(fn[v].op) && !uses[v.id] && uniform[fn.args(v)[0].id] &&
               neutral(plain_op(fn[v].op), fn.type(v).elem, bits);
    });
    return any;
}

} // namespace

bool grid_ranges(Function &fn, const Config &config) {
    const bool threads = by_threads(fn, config);
    if (!config.grid && !threads) return false;
    const bool covers = config.grid && config.covers && (threads || !reduces(fn));
    return replace_range_loop(fn, [&](Builder &b, const RangeLoop &range) {
        Grid grid{.fits = fits(fn, range)};
        grid.begin = b.emit(Op::chunk_begin, {}, Scalar::i64);
        grid.end = b.emit(Op::chunk_end, {}, Scalar::i64);
        if (range.bounds.size() > 2) grid.axes = axes_of(b, range.bounds);
        if (grid.fits == Fits::unknown) grid.is_narrow = b.lt(grid.end, b.i64(narrow));
        if (covers)
            cover(b, grid, range);
        else
            stride(b, grid, range);
    });
}

} // namespace qd::passes
