// element and place become a base plus byte offsets in i64, in three steps that other passes take apart again:
//   row   = base + (outer indices) * row bytes      moves out of the loop over the last index
//   cell  = row + (last index) * cell bytes         shared by neighbours x[i - 1], x[i], x[i + 1]
//   place = cell + constant                         folded into the addressing mode
// A constant added to the last index moves to the third step. That reads i + 1 as not wrapping, which no index inside
// the array does. Offsets of places are exact: powers of two become shifts and masks, other extents divisions.
#include "passes/passes.h"

#include "ir/builder.h"

#include <bit>

namespace qd::passes {

using namespace ir;

namespace {

/// A byte offset while it is put together: emitted terms and a constant rest.
class Address {
  public:
    Address(Builder &b, Value base) : b_(b), base_(base) {}

    void add(Value bytes) { base_ = b_.offset(base_, bytes, b_.fn.type(base_).elem); }
    void add(int64_t bytes) { rest_ += bytes; }

    /// `v` becomes the address: a copy of the base, or base plus rest.
    void finish(Value v) {
        if (rest_) {
            Value bytes = b_.i64(rest_);
            Inst &inst = b_.fn[v];
            inst.op = Op::offset;
            inst.imm = 0;
            b_.fn.set_args(v, std::array{base_, bytes});
            b_.fn[b_.block].insts.push_back(v);
            return;
        }
        // The last instruction emitted is the address itself; v takes its place in the list.
        Inst last = b_.fn[base_];
        last.span = b_.fn[v].span;
        last.type = b_.fn.type(v);
        b_.fn[v] = last;
        b_.fn[b_.block].insts.back() = v;
    }

  private:
    Builder &b_;
    Value base_;
    int64_t rest_ = 0;
};

const Inst *constant(const Function &fn, Value v) { return fn[v].op == Op::constant ? &fn[v] : nullptr; }

/// i32 index = result + constant part.
Value split_constant(const Function &fn, Value index, int64_t &rest) {
    constexpr int64_t limit = 1 << 20;
    Op op = fn[index].op;
    if ((op != Op::add && op != Op::sub) || fn.type(index) != Type(Scalar::i32)) return index;
    std::span<const Value> args = fn.args(index);
    const Inst *right = constant(fn, args[1]);
    const Inst *left = op == Op::add ? constant(fn, args[0]) : nullptr;
    const Inst *part = right ? right : left;
    if (!part) return index;
    int64_t value = int32_t(part->imm);
    if (value > limit || value < -limit) return index;
    rest += op == Op::sub ? -value : value;
    return right ? args[0] : args[1];
}

Value times(Builder &b, Value v, uint64_t factor) {
    if (factor == 1) return v;
    Value c = b.i64(int64_t(factor));
    return b.mul(v, c);
}

/// Adds `index` * bytes, a constant index as part of the rest.
void add_index(Builder &b, Address &address, Value index, int64_t bytes) {
    if (const Inst *c = constant(b.fn, index)) {
        address.add(int64_t(int32_t(c->imm)) * bytes);
        return;
    }
    Value wide = b.cast(index, Scalar::i64);
    address.add(times(b, wide, uint64_t(bytes)));
}

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
        Value row = b.cast(args[1], Scalar::i64);
        for (size_t k = 1; k + 1 < n; ++k) {
            Value extent = b.dim(array, int(k));
            extent = b.cast(extent, Scalar::i64);
            row = b.mul(row, extent);
            Value index = b.cast(args[1 + k], Scalar::i64);
            row = b.add(row, index);
        }
        Value width = b.dim(array, int(n) - 1);
        width = b.cast(width, Scalar::i64);
        width = times(b, width, uint64_t(cell));
        address.add(b.mul(row, width));
    }
    if (n > 0) {
        int64_t rest = 0;
        Value index = split_constant(fn, args[n], rest);
        add_index(b, address, index, cell);
        address.add(rest * cell);
    }
    add_index(b, address, args[n + 1], size);
    address.finish(v);
}

Value divide(Builder &b, Value v, uint32_t by) {
    if (by == 1) return v;
    if (std::has_single_bit(by)) {
        Value count = b.i64(std::countr_zero(by));
        return b.shr(v, count);
    }
    Value c = b.i64(by);
    return b.div(v, c);
}

Value modulo(Builder &b, Value v, uint32_t by) {
    if (std::has_single_bit(by)) {
        Value mask = b.i64(int64_t(by) - 1);
        return b.band(v, mask);
    }
    Value c = b.i64(by);
    return b.rem(v, c);
}

/// One level: every axis adds (index / divide % extent) * stride cells. The outermost occurrence of an axis needs no
/// modulo.
void add_level(Builder &b, Address &address, const Place &place, size_t l, std::span<const Value> indices) {
    const PlaceLevel &level = place.levels[l];
    address.add(int64_t(level.start));
    auto outermost = [&](size_t axis_at) {
        for (size_t outer = 0; outer <= l; ++outer)
            for (size_t a = 0; a < (outer == l ? axis_at : place.levels[outer].axes.size()); ++a)
                if (place.levels[outer].axes[a].axis == level.axes[axis_at].axis) return false;
        return true;
    };
    Value outer;
    int64_t outer_constant = 0;
    for (size_t a = 0; a < level.axes.size(); ++a) {
        const PlaceAxis &axis = level.axes[a];
        bool last = a + 1 == level.axes.size();
        int64_t bytes = int64_t(axis.stride) * int64_t(level.cell_bytes);
        int64_t rest = -int64_t(place.index_offset[axis.axis]);
        Value index = indices[axis.axis];
        bool whole = axis.divide == 1 && outermost(a);
        if (whole && last) index = split_constant(b.fn, index, rest);
        Value wide;
        if (const Inst *c = whole ? constant(b.fn, index) : nullptr) {
            rest += int32_t(c->imm);
        } else {
            wide = b.cast(index, Scalar::i64);
            if (!whole) {
                if (rest) {
                    Value shift = b.i64(rest);
                    wide = b.add(wide, shift);
                    rest = 0;
                }
                wide = divide(b, wide, axis.divide);
                if (!outermost(a)) wide = modulo(b, wide, axis.extent);
            }
            wide = times(b, wide, uint64_t(bytes));
        }
        outer_constant += rest * bytes;
        if (last && outer) address.add(outer);
        if (last && wide) address.add(wide);
        if (!last && wide) outer = outer ? b.add(outer, wide) : wide;
    }
    address.add(outer_constant);
}

void lower_place(Builder &b, Value v) {
    Function &fn = b.fn;
    std::vector<Value> indices(fn.args(v).begin(), fn.args(v).end());
    const Place &place = fn.places[fn[v].imm];
    Value base = b.emit(Op::tree_base, {}, Type::pointer(place.elem), place.tree);
    Address address(b, base);
    for (size_t l = 0; l < place.levels.size(); ++l) add_level(b, address, place, l, indices);
    address.add(int64_t(place.byte_offset));
    address.finish(v);
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
        else if (op == Op::place)
            lower_place(b, v);
        else
            fn[block].insts.push_back(v);
        changed |= op == Op::element || op == Op::place;
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
