#include "analysis/memory.h"

#include "analysis/walk.h"

#include <algorithm>

namespace qd::analysis {

using ir::AddressOp;
using ir::Function;
using ir::MemoryOp;
using ir::Op;
using ir::Type;
using ir::Value;

Sum as_sum(const Function &fn, Value v) {
    Sum sum{v, 0};
    for (int steps = 0; steps < 16; ++steps) {
        const ir::Inst &in = fn[sum.base];
        if (in.op == Op::constant) {
            sum.constant += in.imm;
            sum.base = {};
            return sum;
        }
        if (in.op != Op::add && in.op != Op::sub) return sum;
        Value x = fn.args(sum.base)[0], y = fn.args(sum.base)[1];
        if (in.op == Op::add && fn[x].op == Op::constant) std::swap(x, y);
        if (fn[y].op != Op::constant) return sum;
        sum.constant += in.op == Op::add ? fn[y].imm : 0 - fn[y].imm;
        sum.base = x;
    }
    return sum;
}

namespace {

uint64_t wrap(uint64_t v, Type t) {
    int n = ir::bits_of(t.elem);
    return n >= 64 ? v : v & ((uint64_t(1) << n) - 1);
}

uint64_t bytes_of(Type t) { return uint64_t(ir::size_of(t.elem)) * t.lanes; }

} // namespace

Memory::Memory(const Function &fn)
    : fn_(fn), objects_(fn.insts.size()), sums_(fn.pool.size()), kinds_(2), of_value_(fn.insts.size()),
      of_place_(fn.places.size()) {
    kinds_[unknown].root = Root::unknown;
    bool passes_pointers = false;
    const auto receive = [&](Value v) {
        if (!fn.type(v).is_pointer()) return;
        add(v);
        passes_pointers = true;
    };
    walk(fn, [&](Value v) {
        if (fn.type(v).is_pointer()) add(v);
        for (Value r : fn.results(v)) receive(r);
        for (ir::BlockId b : fn[v].blocks)
            if (b)
                for (Value p : fn[b].params) receive(p);
    });
    if (!passes_pointers) return;
    walk(fn, [&](Value v) {
        if (ir::info(fn[v].op).effect == ir::Effect::control) mark_escaping(v);
    });
}

/// Marks the objects whose pointers are initial values of a loop or operands of a terminator.
void Memory::mark_escaping(Value v) {
    for (Value a : fn_.args(v))
        if (fn_.type(a).is_pointer()) kinds_[object(a)].escapes = true;
}

uint32_t Memory::intern(Root root, uint32_t id, uint32_t tree) {
    kinds_.push_back({root, id, tree, false});
    return uint32_t(kinds_.size() - 1);
}

uint32_t Memory::tree(uint32_t slot) {
    if (of_tree_.size() <= slot) of_tree_.resize(slot + 1);
    if (!of_tree_[slot]) of_tree_[slot] = intern(Root::tree, slot, slot);
    return of_tree_[slot];
}

uint32_t Memory::stack(uint32_t number) {
    if (of_stack_.size() <= number) of_stack_.resize(number + 1);
    if (!of_stack_[number]) of_stack_[number] = intern(Root::stack, number);
    return of_stack_[number];
}

namespace {

bool same_bytes(const ir::Place &a, const ir::Place &b) {
    return a.tree == b.tree && a.byte_offset == b.byte_offset && a.levels == b.levels;
}

} // namespace

/// True if two `place` instructions refer to the same member or level of a tree, so that equal indices give equal addresses.
bool Memory::same_place(Value a, Value b) const {
    return fn_[a].imm == fn_[b].imm || same_bytes(fn_.places[fn_[a].imm], fn_.places[fn_[b].imm]);
}

/// The object number of a place. A kernel may list the same place twice.
uint32_t Memory::place(Value v) {
    const ir::Place &place = fn_.places[fn_[v].imm];
    uint32_t &number = of_place_[fn_[v].imm];
    if (place.level) return number = tree(place.tree);
    for (size_t i = 0; !number && i < fn_.places.size(); ++i)
        if (of_place_[i] && same_bytes(fn_.places[i], place)) number = of_place_[i];
    if (!number) number = intern(Root::place, uint32_t(fn_[v].imm), place.tree);
    return number;
}

void Memory::add(Value v) {
    const ir::Inst &in = fn_[v];
    auto once = [&](uint32_t &number, Root root, uint32_t id) {
        if (!number) number = intern(root, id);
        return number;
    };
    uint32_t object = unknown; // block parameters and results
    if (ir::family(in.op) == ir::Family::step) object = tree(fn_.places[ir::place_of(in)].tree);
    if (ir::family(in.op) == ir::Family::address) {
        switch (AddressOp(in.op)) {
        case AddressOp::element:
        case AddressOp::array_base: {
            Value array = fn_.args(v)[0];
            object = once(of_value_[array.id], Root::array, array.id);
            break;
        }
        case AddressOp::local: object = once(of_value_[v.id], Root::local, v.id); break;
        case AddressOp::table: object = once(of_value_[v.id], Root::table, v.id); break;
        case AddressOp::shared: object = once(of_value_[v.id], Root::shared, v.id); break;
        case AddressOp::stack: object = stack(ir::stack_of(in)); break;
        case AddressOp::reserve: break;
        case AddressOp::place: object = place(v); break;
        case AddressOp::tree_base: object = tree(uint32_t(in.imm)); break;
        case AddressOp::tmp: object = once(tmp_, Root::tmp, 0); break;
        case AddressOp::ret_slot: object = once(ret_, Root::ret, 0); break;
        case AddressOp::offset: object = objects_[fn_.args(v)[0].id]; break;
        case AddressOp::count_slot:
        case AddressOp::random_state: break; // created by legalisation, after the last alias query
        }
    }
    objects_[v.id] = object;
    if (in.op == Op::element || in.op == Op::place)
        for (uint32_t i = in.op == Op::element ? 1 : 0; i < in.args.size; ++i)
            sums_[in.args.begin + i] = as_sum(fn_, fn_.args(v)[i]);
}

std::vector<std::vector<uint32_t>> Memory::neighbours() const {
    std::vector<uint32_t> by_root[int(Root::local) + 1];
    for (uint32_t o = 1; o < kinds_.size(); ++o) by_root[int(kinds_[o].root)].push_back(o);
    std::vector<std::vector<uint32_t>> lists(kinds_.size());
    for (uint32_t o = 1; o < kinds_.size(); ++o) {
        lists[o].push_back(o);
        auto consider = [&](Root root) {
            for (uint32_t other : by_root[int(root)])
                if (other != o && objects_overlap(o, other)) lists[o].push_back(other);
        };
        Root root = kinds_[o].root;
        consider(Root::unknown);
        if (root == Root::unknown)
            for (Root r : {Root::array, Root::place, Root::tree, Root::tmp, Root::ret, Root::stack, Root::table,
                           Root::shared, Root::local})
                consider(r);
        if (root == Root::array)
            for (Root r : {Root::array, Root::place, Root::tree}) consider(r);
        if (root == Root::place || root == Root::tree) {
            consider(Root::array);
            consider(root == Root::place ? Root::tree : Root::place);
        }
    }
    return lists;
}

uint32_t Memory::private_object(Value pointer) const {
    const uint32_t number = object(pointer);
    const Object &o = kinds_[number];
    return (o.root == Root::local || o.root == Root::stack) && !o.escapes ? number : 0;
}

bool Memory::objects_overlap(uint32_t a, uint32_t b) const {
    if (a == b) return true;
    const Object *x = &kinds_[a], *y = &kinds_[b];
    if (x->root > y->root) std::swap(x, y);
    switch (x->root) {
    case Root::none:
    case Root::unknown: return true;
    case Root::array:
        return !fn_.distinct_arrays && (y->root == Root::array || y->root == Root::place || y->root == Root::tree);
    case Root::place: return y->root == Root::tree && x->tree == y->tree;
    case Root::tree:
    case Root::tmp:
    case Root::ret:
    case Root::stack:
    case Root::table:
    case Root::shared:
    case Root::local: return false;
    }
    return true;
}

Overlap Memory::indices(Value a, Value b) const {
    ir::List x = fn_[a].args, y = fn_[b].args;
    bool same = true;
    for (uint32_t i = x.size; i-- > 0;) { // the component, which is last, distinguishes most accesses
        Value p = fn_.pool[x.begin + i], q = fn_.pool[y.begin + i];
        if (p == q || !fn_.type(p).is_int()) continue;
        const Sum &s = sums_[x.begin + i], &t = sums_[y.begin + i];
        if (s.base != t.base)
            same = false;
        else if (wrap(s.constant, fn_.type(p)) != wrap(t.constant, fn_.type(p)))
            return Overlap::never;
    }
    return same ? Overlap::exact : Overlap::maybe;
}

Overlap Memory::offsets(const Access &a, const Access &b) const {
    struct Address {
        Value base, bytes;
        uint64_t constant;
    };
    auto follow = [&](Value p) {
        Address at{p, {}, 0};
        while (fn_[at.base].op == Op::offset) {
            Sum s = as_sum(fn_, fn_.args(at.base)[1]);
            if (s.base && at.bytes) break;
            if (s.base) at.bytes = s.base;
            at.constant += s.constant;
            at.base = fn_.args(at.base)[0];
        }
        return at;
    };
    Address p = follow(a.pointer), q = follow(b.pointer);
    const ir::Inst &x = fn_[p.base], &y = fn_[q.base];
    bool slots = (x.op == Op::tmp || x.op == Op::ret_slot) && x.op == y.op;
    if (slots) {
        p.constant += x.imm;
        q.constant += y.imm;
    }
    bool bases = p.base == q.base || slots || (x.op == Op::array_base && y.op == Op::array_base) ||
                 (x.op == Op::tree_base && y.op == Op::tree_base);
    if (!bases && x.op == y.op && (x.op == Op::element || (x.op == Op::place && same_place(p.base, q.base))))
        bases = indices(p.base, q.base) == Overlap::exact;
    if (!bases || p.bytes != q.bytes) return Overlap::maybe;
    int64_t gap = int64_t(q.constant - p.constant);
    if (gap == 0) return bytes_of(a.type) == bytes_of(b.type) ? Overlap::exact : Overlap::maybe;
    return gap >= int64_t(bytes_of(a.type)) || -gap >= int64_t(bytes_of(b.type)) ? Overlap::never : Overlap::maybe;
}

Overlap Memory::overlap(const Access &a, const Access &b) const {
    uint32_t x = object(a.pointer), y = object(b.pointer);
    if (!objects_overlap(x, y) || fn_.type(a.pointer).space != fn_.type(b.pointer).space) return Overlap::never;
    if (!a.type.is_scalar() || !b.type.is_scalar()) return Overlap::maybe;
    if (a.pointer == b.pointer) return bytes_of(a.type) == bytes_of(b.type) ? Overlap::exact : Overlap::maybe;
    if (x != y) return Overlap::maybe;
    Op p = fn_[a.pointer].op, q = fn_[b.pointer].op;
    if (p == Op::place && q == Op::place && !same_place(a.pointer, b.pointer)) return Overlap::maybe;
    if (p == q && (p == Op::element || p == Op::place)) {
        Overlap o = indices(a.pointer, b.pointer);
        bool scalars = a.type.lanes == 1 && b.type.lanes == 1;
        if (o == Overlap::exact) return bytes_of(a.type) == bytes_of(b.type) ? o : Overlap::maybe;
        return o == Overlap::never && !scalars ? Overlap::maybe : o;
    }
    return offsets(a, b);
}

Access Memory::access(Value v) const {
    const ir::Inst &in = fn_[v];
    if (ir::family(in.op) == ir::Family::memory) {
        switch (MemoryOp(in.op)) {
        case MemoryOp::load:
        case MemoryOp::volatile_load:
        case MemoryOp::masked_load: return {fn_.args(v)[0], in.type};
        case MemoryOp::store:
        case MemoryOp::masked_store: return {fn_.args(v)[0], fn_.type(fn_.args(v)[1])};
        case MemoryOp::gather:
        case MemoryOp::scatter: return {fn_.args(v)[0], {}};
        case MemoryOp::fence:
        case MemoryOp::block_sync:
        case MemoryOp::group_sync: return {}; // Does::syncs
        }
    }
    if (ir::is_atomic(in.op)) return {fn_.args(v)[0], Type(fn_.type(fn_.args(v)[0]).elem)};
    if (ir::family(in.op) == ir::Family::packed) return {fn_.args(v)[0], Type(fn_.type(fn_.args(v)[0]).elem)};
    const bool uses = ir::info(in.op).traits & (ir::updates | ir::cells);
    return uses && in.args.size ? Access{fn_.args(v)[0], {}} : Access{};
}

} // namespace qd::analysis
