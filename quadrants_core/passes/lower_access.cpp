// element and place become a base plus byte offsets in i64, in three steps that later passes optimise separately:
//   row   = base + (outer indices) * row bytes      hoisted out of the loop over the last index
//   cell  = row + (last index) * cell bytes         shared by neighbours x[i - 1], x[i], x[i + 1]
//   place = cell + constant                         folded into the addressing mode
// A constant added to the last index, or to any index of a field, moves to the third step; one added to an outer index of an array
// becomes a loop-invariant number of rows. This assumes that i + 1 does not wrap, which is true for any index inside the array.
// Offsets of places are exact: powers of two become shifts and masks, other extents divisions.
#include "passes/passes.h"
#include "passes/place_address.h"

#include "ir/builder.h"

namespace qd::passes {

using namespace ir;

namespace {

void lower_element(Builder &b, Value v) {
    Function &fn = b.fn;
    std::vector<Value> args(fn.args(v).begin(), fn.args(v).end());
    Value array = args[0];
    Type type = fn.type(array);
    int64_t size = size_of(type.elem);
    int64_t cell = size * type.rows * type.cols;
    size_t n = type.ndim;

    Value base = b.emit(Op::array_base, {array}, Type::pointer(type.elem));
    Address address(b, base);
    if (n > 1) {
        std::vector<int64_t> apart(n - 1);
        for (size_t k = 0; k + 1 < n; ++k) args[1 + k] = split_constant(fn, args[1 + k], apart[k]);
        Value row = b.cast(args[1], Scalar::i64);
        Value rows; // rows from constants added to indices
        if (apart[0]) rows = b.i64(apart[0]);
        for (size_t k = 1; k + 1 < n; ++k) {
            Value extent = b.dim(array, int(k));
            extent = b.cast(extent, Scalar::i64);
            row = b.mul(row, extent);
            Value index = b.cast(args[1 + k], Scalar::i64);
            row = b.add(row, index);
            if (rows) rows = b.mul(rows, extent);
            if (!apart[k]) continue;
            const Value more = b.i64(apart[k]);
            rows = rows ? b.add(rows, more) : more;
        }
        Value width = b.dim(array, int(n) - 1);
        width = b.cast(width, Scalar::i64);
        width = times(b, width, uint64_t(cell));
        address.add(b.mul(row, width));
        if (rows) address.add(b.mul(rows, width));
    }
    if (n > 0) {
        int64_t rest = 0;
        Value index = split_constant(fn, args[n], rest);
        add_index(b, address, index, cell);
        address.add(rest * cell);
    }
    add_index(b, address, args[n + 1], size);
    address.become(v);
}

void lower_place(Builder &b, Value v) {
    Function &fn = b.fn;
    std::vector<Value> indices(fn.args(v).begin(), fn.args(v).end());
    const Place &place = fn.places[fn[v].imm];
    Value base = b.emit(Op::tree_base, {}, Type::pointer(place.elem), place.tree);
    Address address(b, base);
    for (size_t l = 0; l < place.levels.size(); ++l) add_level(b, address, place, l, indices);
    address.add(int64_t(place.byte_offset));
    address.become(v, origin_of(fn[v].imm));
}

bool lower(Function &fn, BlockId block) {
    bool changed = false;
    std::vector<Value> old = std::move(fn[block].insts);
    fn[block].insts.clear();
    fn[block].insts.reserve(old.size());
    for (Value v : old) {
        Op op = fn[v].op;
        Builder b(fn, block);
        b.span = fn[v].span;
        if (op == Op::element)
            lower_element(b, v);
        else if (op == Op::place && !is_sparse(fn.places[fn[v].imm]))
            lower_place(b, v);
        else
            fn[block].insts.push_back(v);
        changed |= fn[v].op != op;
        for (int k = 0; k < 2; ++k)
            if (BlockId inner = fn[v].blocks[k]) changed |= lower(fn, inner);
    }
    return changed;
}

} // namespace

bool lower_access(Function &fn, const Config &) {
    bool changed = lower(fn, fn.body);
    if (fn.bounds) changed |= lower(fn, fn.bounds);
    return changed;
}

} // namespace qd::passes
