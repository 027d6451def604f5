// Store-to-load forwarding and dead store elimination, in one walk in program order.
//
// Facts "this address holds that value" come from loads and stores. A write removes the facts that it may change. A load whose
// address holds a known value is replaced by it. A store of the value that memory already holds is removed, and so is a store that is
// overwritten before it may be read, if both are in one block with no branch, loop or exit between them.
//  - Branches start with the facts before the if; facts that both leave untouched are valid after it. Their own facts end with them.
//  - A loop starts with the facts that nothing in it may change.
//  - At a barrier only facts about memory that the thread owns stay valid.
//  - print, count, random, poll, clock and thread_index do not access memory. After a failed assertion memory is
//    visible: no store before it is dead.
#include "analysis/effects.h"
#include "analysis/memory.h"
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/slots.h"

#include <algorithm>
#include <utility>

namespace qd::passes {

using analysis::Access;
using analysis::Overlap;
using ir::BlockId;
using ir::Function;
using ir::Op;
using ir::Value;

namespace {

constexpr size_t max_facts = 32; ///< considered per object; older facts are dropped at the next write

struct Fact {
    Access access;
    Value value;
    Value store;           ///< a store that has not been read yet, so an overwriting store makes it dead
    bool is_store = false; ///< the value was stored here, not loaded
    uint32_t object = 0;
    uint32_t epoch = 0; ///< `store` is valid only in this epoch
    bool alive = true;
};

struct Forward {
    Function &fn;
    analysis::Memory memory;
    std::vector<uint8_t> effects;
    Rename rename;
    std::vector<Fact> facts;
    struct Known {
        std::vector<uint32_t> facts; ///< positions
        size_t full = 2 * max_facts;
    };
    std::vector<Known> by_object;
    std::vector<std::vector<uint32_t>> neighbours; ///< by object: the objects that it may overlap, itself included
    std::vector<uint32_t> killed;                  ///< to undo
    std::vector<uint8_t> dead;                     ///< by value: a store to remove
    size_t scope = 0;                              ///< index of the first fact of the current block
    uint32_t epoch = 1;
    bool changed = false;

    explicit Forward(Function &f)
        : fn(f), memory(f), effects(analysis::effects(f)), rename(f), by_object(memory.objects() + 1),
          neighbours(memory.neighbours()), dead(f.insts.size()) {}

    // ---- facts
    void add(const Access &access, Value value, Value store) {
        uint32_t object = memory.object(access.pointer);
        Known &known = by_object[object];
        if (known.facts.size() >= known.full) { // facts killed in their own block cannot be revived
            std::erase_if(known.facts, [&](uint32_t i) { return i >= scope && !facts[i].alive; });
            known.full = known.facts.size() + 2 * max_facts;
        }
        known.facts.push_back(uint32_t(facts.size()));
        facts.push_back({access, value, store, bool(store), object, epoch, true});
    }
    void kill(uint32_t position) {
        facts[position].alive = false;
        killed.push_back(position);
    }
    /// Visits the latest facts of an object; kills all older ones if `complete`.
    template <class F> void each(uint32_t object, bool complete, F &&f) {
        const std::vector<uint32_t> &list = by_object[object].facts;
        size_t seen = 0;
        for (size_t i = list.size(); i > 0; --i) {
            uint32_t position = list[i - 1];
            if (!facts[position].alive) continue;
            if (++seen <= max_facts)
                f(position);
            else if (complete)
                kill(position);
            else
                return;
        }
    }
    void clobber(const Access &access) {
        for (uint32_t object : neighbours[memory.object(access.pointer)])
            each(object, true, [&](uint32_t i) {
                if (memory.overlap(access, facts[i].access) != Overlap::never) kill(i);
            });
    }
    /// Marks the memory of `access` as read: stores there are no longer dead.
    void touch(const Access &access) {
        for (uint32_t object : neighbours[memory.object(access.pointer)])
            each(object, true, [&](uint32_t i) {
                if (facts[i].store && memory.overlap(access, facts[i].access) != Overlap::never) facts[i].store = {};
            });
    }
    Fact *find(const Access &access) {
        Fact *found = nullptr;
        each(memory.object(access.pointer), false, [&](uint32_t i) {
            if (!found && memory.overlap(access, facts[i].access) == Overlap::exact) found = &facts[i];
        });
        return found;
    }

    struct Mark {
        size_t facts, killed;
    };
    Mark mark() const { return {facts.size(), killed.size()}; }
    /// Forgets the facts added since `m`.
    void drop_added(const Mark &m) {
        while (facts.size() > m.facts) {
            std::vector<uint32_t> &list = by_object[facts.back().object].facts;
            if (!list.empty() && list.back() == facts.size() - 1) list.pop_back();
            facts.pop_back();
        }
    }
    /// Undoes the kills since `m`, and returns those of older facts.
    std::vector<uint32_t> undo_kills(const Mark &m) {
        std::vector<uint32_t> list;
        for (size_t i = m.killed; i < killed.size(); ++i) {
            if (killed[i] >= m.facts) continue;
            list.push_back(killed[i]);
            facts[killed[i]].alive = true;
        }
        killed.resize(m.killed);
        return list;
    }

    // ---- walk
    void run(BlockId b) {
        size_t outer = std::exchange(scope, facts.size());
        std::vector<Value> &list = fn[b].insts;
        for (size_t i = 0; i < list.size(); ++i) {
            Value v = list[i];
            rename.apply(fn, v);
            step(v);
        }
        std::erase_if(list, [&](Value v) { return dead[v.id] != 0; });
        scope = outer;
    }

    void step(Value v) {
        const Op op = fn[v].op;
        if (op == Op::load) return load(v);
        if (op == Op::store) return store(v);
        if (op == Op::if_) return branch(v);
        if (ir::owns_block(op)) return loop(v);
        if (op == Op::local) return forget_local(v);
        if (Access a = memory.access(v); a.pointer) { // an atomic
            touch(a);
            clobber(a);
        }
        if (ir::info(op).traits & ir::fences) forget_shared();
        if (effects[v.id] & analysis::leaves) ++epoch;
    }
    /// At a fence, other threads see earlier stores and may have stored themselves.
    void forget_shared() {
        for (size_t i = 0; i < facts.size(); ++i)
            if (facts[i].alive && !memory.private_object(facts[i].access.pointer)) kill(uint32_t(i));
    }

    void load(Value v) {
        Access access = memory.access(v);
        if (Fact *known = find(access); known && fn.type(known->value) == fn.type(v)) {
            rename.replace(v, known->value);
            dead[v.id] = 1;
            changed = true;
            return;
        }
        touch(access);
        add(access, v, {});
    }
    void store(Value v) {
        Access access = memory.access(v);
        Value value = fn.args(v)[1];
        if (Fact *known = find(access)) {
            // In a sparse tree a store also creates the cell, unlike a load.
            if (known->value == value && (known->is_store || !in_sparse_tree(access.pointer))) {
                dead[v.id] = 1;
                changed = true;
                return;
            }
            if (known->store && known->epoch == epoch) {
                dead[known->store.id] = 1;
                changed = true;
            }
        }
        clobber(access);
        add(access, value, v);
    }
    bool in_sparse_tree(Value pointer) const {
        while (fn[pointer].op == Op::offset) pointer = fn.args(pointer)[0];
        return fn[pointer].op == Op::place && ir::is_sparse(fn.places[fn[pointer].imm]);
    }
    /// A local is new, and zero, each time its instruction is executed.
    void forget_local(Value v) {
        if (!fn.type(v).is_pointer()) return;
        each(memory.object(v), true, [&](uint32_t i) { kill(i); });
    }

    void branch(Value v) {
        ++epoch;
        Mark before = mark();
        std::vector<uint32_t> kills[2];
        for (int side = 0; side < 2; ++side) {
            BlockId b = fn[v].blocks[side];
            run(b);
            ++epoch;
            bool falls_through = fn[fn[b].insts.back()].op == Op::yield;
            std::vector<uint32_t> list = undo_kills(before);
            if (falls_through) kills[side] = std::move(list);
            drop_added(before);
        }
        for (const std::vector<uint32_t> &list : kills)
            for (uint32_t i : list)
                if (facts[i].alive) kill(i);
    }

    void loop(Value v) {
        ++epoch;
        clobber_all(fn[v].blocks[0]);
        Mark before = mark();
        run(fn[v].blocks[0]);
        ++epoch;
        std::vector<uint32_t> list = undo_kills(before);
        drop_added(before);
        for (uint32_t i : list) kill(i);
    }
    void clobber_all(BlockId b) {
        for (Value v : fn[b].insts) {
            if (ir::info(fn[v].op).traits & ir::fences) forget_shared();
            if (fn[v].op != Op::load)
                if (Access a = memory.access(v); a.pointer) clobber(a);
            for (BlockId child : fn[v].blocks)
                if (child && (effects[v.id] & analysis::writes)) clobber_all(child);
        }
    }
};

} // namespace

bool forward_stores(Function &fn, const Config &) {
    Forward f(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) {
            f.run(root);
            f.drop_added({0, 0});
            f.killed.clear();
        }
    return f.changed;
}

} // namespace qd::passes
