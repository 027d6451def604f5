// What a random function has memory in, and what it does there.
#include "layout/layout.h"
#include "tools/random_generator.h"

namespace qd::tools {

Storage *Generator::storage(bool for_writing) {
    std::vector<size_t> fit;
    for (size_t i = 0; i < storage_.size(); ++i)
        if (!for_writing || storage_[i].use != Use::read) fit.push_back(i);
    return fit.empty() ? nullptr : &storage_[rng_.of(fit)];
}

/// An i32 that may be anything.
Value Generator::pick_index() { return pick(Scalar::i32); }

Value Generator::address(const Storage &s) {
    if (s.kind == Storage::Kind::local) {
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
    Value p = address(s);
    Value x = pick(s.elem);
    if (op == Op::atomic_cas) {
        Value y = pick(s.elem);
        return keep(b_.atomic_cas(p, x, y));
    }
    Value old = b_.emit(op, {p, x});
    if (!commutes_only) keep(old);
}

void Generator::memory() {
    bool write = rng_.chance(60);
    Storage *found = storage(write);
    if (!found) return;
    Storage s = *found;
    if (s.use == Use::atomic || (write && s.use != Use::read && rng_.chance(30))) return atomic(s);
    Value p = address(s);
    if (write) {
        Value x = pick(s.elem);
        b_.store(p, x);
        if (!rng_.chance(30)) return;
    }
    keep(rng_.chance(10) ? b_.volatile_load(p) : b_.load(p));
}

void Generator::make_local() {
    Storage s{Storage::Kind::local, {}, 0, scalar(), 0, 1 << rng_.below(4), Use::any};
    s.value = b_.local(s.elem, uint64_t(s.count));
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
