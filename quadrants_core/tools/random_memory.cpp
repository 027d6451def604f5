// The memory of random functions, and accesses to it.
#include "layout/layout.h"
#include "tools/random_generator.h"

#include <algorithm>

namespace qd::tools {

Storage *Generator::storage(bool for_writing) {
    std::vector<size_t> fit;
    for (size_t i = 0; i < storage_.size(); ++i)
        if (!for_writing || storage_[i].use != Use::read) fit.push_back(i);
    return fit.empty() ? nullptr : &storage_[rng_.of(fit)];
}

/// Returns an arbitrary i32.
Value Generator::pick_index() { return pick(Scalar::i32); }

/// Returns an address. Sometimes the pointer goes through control flow.
Value Generator::address(const Storage &s) {
    if (!options_.control || !rng_.chance(4)) return address_of(s);
    Value condition = pick(Scalar::u1);
    Value v = b_.if_(condition);
    BlockId outer = b_.block;
    Type type;
    for (int k = 0; k < 2; ++k) {
        b_.block = fn_[v].blocks[k];
        Value p = address_of(s);
        type = fn_.type(p);
        b_.yield({&p, 1});
    }
    b_.block = outer;
    return fn_.add_result(v, type);
}

Value Generator::address_of(const Storage &s) {
    if (s.kind == Storage::Kind::made) {
        Value i = pick(Scalar::i64);
        Value mask = b_.i64(s.count - 1);
        Value inside = b_.band(i, mask);
        Value size = b_.i64(size_of(s.elem));
        Value bytes = b_.mul(inside, size);
        return b_.offset(s.value, bytes, s.elem);
    }
    std::vector<Value> indices;
    for (int axis = 0; axis < s.ndim; ++axis) {
        if (s.use == Use::own) {
            indices.push_back(indices_[size_t(axis)]);
            continue;
        }
        Value extent =
            s.kind == Storage::Kind::array ? b_.dim(s.value, axis) : b_.i32(fn_.places[s.place].shape[size_t(axis)]);
        Value free = pick_index();
        Value inside = b_.mod(free, extent);
        if (s.kind == Storage::Kind::field) {
            Value shift = b_.i32(fn_.places[s.place].index_offset[size_t(axis)]);
            inside = b_.add(inside, shift);
        }
        indices.push_back(inside);
    }
    if (s.kind == Storage::Kind::field) return b_.place(s.place, indices);
    Value component = b_.i32(int32_t(rng_.below(uint64_t(s.count))));
    return b_.element(s.value, indices, component);
}

void Generator::atomic(const Storage &s) {
    static const std::vector<Op> ops = ops_of(Family::atomic);
    bool commutes_only = s.use == Use::atomic;
    Op op = commutes_only ? Op::atomic_add : rng_.of(ops);
    if ((info(op).traits & int_only) && !is_int(s.elem)) op = Op::atomic_add;
    if (op == Op::atomic_cas && !is_int(s.elem)) op = Op::atomic_xchg;
    // thread_local_reductions regroups sums and products of floats, which changes how they round.
    if (parallel_ && !loops_.empty() && is_float(s.elem)) {
        if (op == Op::atomic_add) op = Op::atomic_min;
        if (op == Op::atomic_mul) op = Op::atomic_max;
    }
    Value p = address(s);
    Value x = pick(s.elem);
    if (op == Op::atomic_cas) {
        Value y = pick(s.elem);
        return keep(b_.atomic_cas(p, x, y));
    }
    Value old = b_.emit(op, {p, x});
    if (!commutes_only) keep(old);
}

/// Makes a packing of bits of a word whose values fit into a float of either width.
Packing Generator::packing(Scalar word) {
    const int width = bits_of(word);
    Packing p;
    p.kind = Packing::Kind(rng_.below(width > 8 ? 4 : 3));
    p.is_signed = rng_.chance(60);
    if (p.kind == Packing::Kind::integer || p.kind == Packing::Kind::fixed) {
        p.bits = uint8_t(rng_.between(1, width));
        p.shift = uint8_t(rng_.between(0, width - p.bits));
        static constexpr double scales[] = {1, 0.5, 0.1, 3, 1.0 / 1024};
        if (p.kind == Packing::Kind::fixed) p.scale = rng_.of(scales);
        return p;
    }
    p.exponent_bits = uint8_t(rng_.between(2, 5));
    const int sign = int(p.is_signed);
    if (p.kind == Packing::Kind::floating) {
        p.bits = uint8_t(p.exponent_bits + sign + int(rng_.between(1, std::min(width - 6, 23))));
        p.shift = uint8_t(rng_.between(0, width - p.bits));
        return p;
    }
    p.bits = uint8_t(sign + int(rng_.between(1, width / 4)));
    p.shift = p.exponent_bits;
    for (int at = p.shift + p.bits; at + 3 < width && p.others.size() < 2; at += 4)
        p.others.push_back({uint8_t(at), uint8_t(rng_.between(1, 4))});
    return p;
}

void Generator::packed(const Storage &s, bool write) {
    static const std::vector<Op> ops = ops_of(Family::packed);
    const Packing p = packing(s.elem);
    const bool is_integer = p.kind == Packing::Kind::integer;
    Scalar type = scalar();
    if (is_float(type) == is_integer || type == Scalar::f16)
        type = is_integer ? Scalar::i32 : rng_.chance(50) ? Scalar::f32 : Scalar::f64;
    if (!is_integer && is_int(type)) type = Scalar::f32;
    Op op = !write ? Op::packed_load : rng_.chance(40) ? Op::packed_store : rng_.of(ops);
    if ((info(op).traits & int_only) && !is_integer) op = Op::packed_add;
    Value word = address(s);
    const int side_by_side = p.kind == Packing::Kind::shared ? 1 : (bits_of(s.elem) - p.shift) / p.bits;
    Value which = b_.i32(0);
    if (side_by_side > 1) {
        Value free = pick_index();
        Value count = b_.i32(side_by_side);
        which = b_.mod(free, count);
    }
    std::vector<Value> args{word, which};
    while (int(args.size()) < info(op).operands) {
        Value x = pick(type);
        if (p.kind == Packing::Kind::shared) { // the effect of NaN or infinity on the others is unspecified
            Value size = b_.abs(x);
            Value limit = b_.number(type, 1e30);
            Value sensible = b_.le(size, limit);
            Value zero = b_.number(type, 0);
            x = b_.select(sensible, x, zero);
        }
        args.push_back(x);
    }
    fn_.packings.push_back(p);
    Value v = b_.emit(op, args, type, fn_.packings.size() - 1);
    if (op != Op::packed_store) keep(v);
}

void Generator::memory() {
    bool write = rng_.chance(60);
    Storage *found = storage(write);
    if (!found) return;
    Storage s = *found;
    if (s.use == Use::atomic || (write && s.use != Use::read && rng_.chance(30))) return atomic(s);
    if (is_int(s.elem) && !is_signed(s.elem) && s.elem != Scalar::u1 && rng_.chance(30)) return packed(s, write);
    Value p = address(s);
    if (write) {
        Value x = pick(s.elem);
        b_.store(p, x);
        if (!rng_.chance(30)) return;
    }
    keep(rng_.chance(10) ? b_.volatile_load(p) : b_.load(p));
}

/// Makes memory. Memory of a block is stored to first, since its initial content is unspecified.
void Generator::make_memory() {
    Storage s{Storage::Kind::made, {}, 0, scalar(), 0, 1 << rng_.below(4), Use::any};
    const uint64_t kind = rng_.below(8);
    if (kind == 0) {
        Table table{s.elem, {}};
        for (int i = 0; i < s.count; ++i) table.values.push_back(rng_.number(s.elem).bits);
        fn_.tables.push_back(table);
        s.value = b_.emit(Op::table, {}, Type::pointer(s.elem), fn_.tables.size() - 1);
        s.use = Use::read;
    } else if (kind == 1 && parallel_) {
        s.value = b_.emit(Op::shared, {}, Type::pointer(s.elem), uint64_t(s.count));
        for (int i = 0; i < s.count; ++i) {
            Value bytes = b_.i64(int64_t(i) * size_of(s.elem));
            Value at = b_.offset(s.value, bytes, s.elem);
            Value x = pick(s.elem);
            b_.store(at, x);
        }
    } else {
        s.value = b_.local(s.elem, uint64_t(s.count));
    }
    storage_.push_back(s);
}

void Generator::fields() {
    for (uint64_t i = rng_.below(3); i > 0; --i) {
        layout::Tree tree;
        int ndim = 1 + int(rng_.below(2));
        std::vector<std::pair<int, int>> axes;
        for (int axis = 0; axis < ndim; ++axis) axes.emplace_back(axis, 1 + int(rng_.below(5)));
        int node = tree.add_node(0, LevelKind::dense, axes);
        if (rng_.chance(40)) node = tree.add_node(node, LevelKind::dense, {{int(rng_.below(uint64_t(ndim))), 2}});
        std::vector<int> offset;
        for (int axis = 0; axis < ndim; ++axis) offset.push_back(int(rng_.between(-2, 2)));
        int members = 1 + int(rng_.below(2));
        for (int m = 0; m < members; ++m) tree.add_member(node, "f" + std::to_string(m), scalar(), offset);
        tree.finish();
        uint32_t slot = fn_.places.empty() ? 0 : fn_.places.back().tree + 1;
        for (int m = 0; m < members; ++m) {
            fn_.places.push_back(tree.place(m, slot, uint32_t(fn_.places.size())));
            storage_.push_back(
                {Storage::Kind::field, {}, uint32_t(fn_.places.size() - 1), fn_.places.back().elem, ndim, 1, Use::any});
        }
    }
}

void Generator::parameters() {
    auto add = [&](Type type) {
        Inst inst;
        inst.type = type;
        Value v = fn_.make(inst);
        fn_.params.push_back(v);
        return v;
    };
    for (uint64_t i = 1 + rng_.below(4); i > 0; --i) keep(add(scalar()));
    if (!options_.arrays) return;
    for (uint64_t i = rng_.below(4); i > 0; --i) {
        static constexpr Scalar common[] = {Scalar::f32, Scalar::i32};
        Scalar elem = rng_.chance(60) ? rng_.of(common) : scalar();
        int ndim = rng_.chance(70) ? 1 : 2;
        int rows = rng_.chance(80) ? 1 : 1 + int(rng_.below(3));
        Value v = add(Type::array(elem, ndim, rows, 1));
        storage_.push_back({Storage::Kind::array, v, 0, elem, ndim, rows, Use::any});
    }
    fields();
}

} // namespace qd::tools
