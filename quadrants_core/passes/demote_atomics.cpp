// Atomics on memory that only one thread accesses become load, op, store; the old value is the loaded one. These are
//  - all atomics of a serial task, unless it is in a region, whose sections may run concurrently;
//  - atomics on locals;
//  - in a range task outside of regions, atomics on an array or place if every write to it in the task addresses an element by all
//    indices of the parallel loop (or of the cell, in a loop over the cells of a tree), at the same positions for every write:
//    each element then belongs to one iteration. An index may have a constant added, the same one for every write; the other
//    positions are arbitrary. Reads at other indices need no consideration, because an atomic does not order them either.
#include "analysis/memory.h"
#include "analysis/walk.h"
#include "passes/atomics.h"
#include "passes/passes.h"

#include "ir/builder.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;

namespace {

using analysis::Memory;
using analysis::Root;

bool writes(Op op) {
    const bool changes = info(op).effect == Effect::write && !(info(op).traits & observes);
    return op == Op::store || is_atomic(op) || (family(op) == Family::packed && changes);
}

/// The indices of an address as loop index plus constant; no base for anything else.
using Key = std::vector<analysis::Sum>;

/// The facts about all writes to one object.
struct Owner {
    bool seen = false, owned = false;
    Op op = Op::param;
    Key key;
};

class Ownership {
  public:
    Ownership(const Function &fn, const Memory &memory) : fn_(fn), memory_(memory), owners_(memory.objects() + 1) {
        for (Value v : fn[fn.body].insts)
            if (fn[v].op == Op::parallel) loop_ = v;
        if (!loop_) return;
        analysis::walk(fn, fn.body, [&](Value v) {
            if (writes(fn[v].op)) record(fn.args(v)[0]);
        });
        for (uint32_t a : written_)
            for (uint32_t b : written_)
                if (a != b && memory.objects_overlap(a, b)) owners_[a].owned = false;
    }

    bool owned(Value pointer) const { return loop_ && owners_[memory_.object(pointer)].owned; }

  private:
    void record(Value pointer) {
        Owner &owner = owners_[memory_.object(pointer)];
        Key key = key_of(pointer);
        if (owner.seen) {
            if (owner.op != fn_[pointer].op) owner.key.clear();
            keep_common(owner.key, key);
        } else {
            owner = {true, false, fn_[pointer].op, std::move(key)};
            written_.push_back(memory_.object(pointer));
        }
        owner.owned = names_iteration(owner.key, pointer);
    }

    static void keep_common(Key &key, const Key &other) {
        key.resize(std::min(key.size(), other.size()));
        for (size_t k = 0; k < key.size(); ++k)
            if (key[k].base != other[k].base || uint32_t(key[k].constant) != uint32_t(other[k].constant)) key[k] = {};
    }

    Key key_of(Value pointer) const {
        Key key;
        Op op = fn_[pointer].op;
        if (op != Op::element && op != Op::place) return key;
        std::span<const Value> indices = fn_.args(pointer);
        if (op == Op::element) indices = indices.subspan(1, indices.size() - 2);
        for (Value index : indices) key.push_back(analysis::as_sum(fn_, index));
        return key;
    }

    /// True if the key contains every index of the parallel loop.
    bool names_iteration(const Key &key, Value pointer) const {
        if (fn_[pointer].op == Op::place && owns_cell(key, fn_.places[fn_[pointer].imm])) return true;
        const std::vector<Value> &axes = fn_[fn_[loop_].blocks[0]].params;
        return std::all_of(axes.begin(), axes.end(), [&](Value axis) {
            return std::any_of(key.begin(), key.end(), [&](const analysis::Sum &s) { return s.base == axis; });
        });
    }

    /// True if the key contains every index of the current cell in a loop over the cells of a tree.
    bool owns_cell(const Key &key, const Place &place) const {
        Value own;
        for (const analysis::Sum &s : key)
            if (s.base && fn_[s.base].op == Op::own_index) own = s.base;
        if (!own || fn_.places[place_of(fn_[own])].shape.size() > place.shape.size()) return false;
        for (size_t axis = 0; axis < fn_.places[place_of(fn_[own])].shape.size(); ++axis) {
            const bool found = std::any_of(key.begin(), key.end(), [&](const analysis::Sum &s) {
                return s.base && fn_[s.base].op == Op::own_index && fn_.args(s.base)[1] == fn_.args(own)[1] &&
                       level_of(fn_[s.base]) == axis;
            });
            if (!found) return false;
        }
        return true;
    }

    const Function &fn_;
    const Memory &memory_;
    Value loop_;
    std::vector<Owner> owners_; ///< by object
    std::vector<uint32_t> written_;
};

/// Turns `v` itself into the load, so that uses of the old value remain valid.
void demote(Builder &b, Value v) {
    std::vector<Value> args(b.fn.args(v).begin(), b.fn.args(v).end());
    Op op = b.fn[v].op;
    b.span = b.fn[v].span;
    b.fn[v].op = Op::load;
    b.fn.set_args(v, std::span<const Value>(args).first(1));
    b.fn[b.block].insts.push_back(v);
    b.store(args[0], updated(b, op, args, v));
}

} // namespace

bool demote_atomics(Function &fn, const Config &) {
    bool any = false;
    analysis::walk(fn, [&](Value v) { any |= is_atomic(fn[v].op); });
    if (!any) return false;

    Memory memory(fn);
    Ownership ownership(fn, memory);
    const bool in_region = fn.graph.region >= 0;
    const bool alone = fn.role == Role::serial_task && !in_region;
    bool changed = false;
    auto rewrite = [&](auto &self, BlockId block) -> void {
        std::vector<Value> old = std::move(fn[block].insts);
        fn[block].insts.clear();
        fn[block].insts.reserve(old.size());
        Builder b(fn, block);
        for (Value v : old) {
            Value pointer = is_atomic(fn[v].op) ? fn.args(v)[0] : Value{};
            if (pointer && (alone || memory.root(pointer) == Root::local || (!in_region && ownership.owned(pointer)))) {
                demote(b, v);
                changed = true;
            } else {
                fn[block].insts.push_back(v);
            }
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn[v].blocks[k]) self(self, inner);
        }
    };
    if (fn.bounds) rewrite(rewrite, fn.bounds);
    rewrite(rewrite, fn.body);
    return changed;
}

} // namespace qd::passes
