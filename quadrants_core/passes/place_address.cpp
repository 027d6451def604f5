#include "passes/place_address.h"

#include <bit>

namespace qd::passes {

using namespace ir;

namespace {

const Inst *constant(const Function &fn, Value v) { return fn[v].op == Op::constant ? &fn[v] : nullptr; }

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

/// True for the outermost occurrence of an axis in a place, which needs no modulo.
bool outermost(const Place &place, size_t level, size_t axis_at) {
    const uint8_t axis = place.levels[level].axes[axis_at].axis;
    for (size_t outer = 0; outer <= level; ++outer)
        for (size_t a = 0; a < (outer == level ? axis_at : place.levels[outer].axes.size()); ++a)
            if (place.levels[outer].axes[a].axis == axis) return false;
    return true;
}

} // namespace

Value Address::value(Scalar elem) {
    if (!rest_ && b_.fn.type(base_).elem == elem) return base_;
    Value bytes = b_.i64(rest_);
    return b_.offset(base_, bytes, elem);
}

void Address::become(Value v, uint64_t origin) {
    if (rest_) {
        Value bytes = b_.i64(rest_);
        Inst &inst = b_.fn[v];
        inst.op = Op::offset;
        inst.imm = origin;
        b_.fn.set_args(v, std::array{base_, bytes});
        b_.fn[b_.block].insts.push_back(v);
        return;
    }
    // The last instruction emitted is the address itself; `v` replaces it in the list.
    Inst last = b_.fn[base_];
    last.span = b_.fn[v].span;
    last.type = b_.fn.type(v);
    if (last.op == Op::offset) last.imm = origin;
    b_.fn[v] = last;
    b_.fn[b_.block].insts.back() = v;
}

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

void add_index(Builder &b, Address &address, Value index, int64_t bytes) {
    if (const Inst *c = constant(b.fn, index)) {
        address.add(int64_t(int32_t(c->imm)) * bytes);
        return;
    }
    Value wide = b.cast(index, Scalar::i64);
    address.add(times(b, wide, uint64_t(bytes)));
}

// Every axis adds (index / divide % extent) * stride cells.
void add_level(Builder &b, Address &address, const Place &place, size_t l, std::span<const Value> indices) {
    const PlaceLevel &level = place.levels[l];
    address.add(int64_t(level.start));
    Value outer;
    int64_t outer_constant = 0;
    for (size_t a = 0; a < level.axes.size(); ++a) {
        const PlaceAxis &axis = level.axes[a];
        bool last = a + 1 == level.axes.size();
        int64_t bytes = int64_t(axis.stride) * int64_t(level.cell_bytes);
        int64_t rest = -int64_t(place.index_offset[axis.axis]);
        Value index = indices[axis.axis];
        bool whole = axis.divide == 1 && outermost(place, l, a);
        if (whole) index = split_constant(b.fn, index, rest);
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
                if (!outermost(place, l, a)) wide = modulo(b, wide, axis.extent);
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

Value cell_number(Builder &b, const Place &place, size_t l, std::span<const Value> indices) {
    Value sum;
    for (size_t a = 0; a < place.levels[l].axes.size(); ++a) {
        const PlaceAxis &axis = place.levels[l].axes[a];
        Value part = b.cast(indices[axis.axis], Scalar::i64);
        if (int64_t shift = place.index_offset[axis.axis]) {
            Value by = b.i64(shift);
            part = b.sub(part, by);
        }
        part = divide(b, part, axis.divide);
        if (!outermost(place, l, a)) part = modulo(b, part, axis.extent);
        part = times(b, part, axis.stride);
        sum = sum ? b.add(sum, part) : part;
    }
    return sum ? sum : b.i64(0);
}

} // namespace qd::passes
