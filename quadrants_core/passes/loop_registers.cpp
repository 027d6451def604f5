// Scalar promotion: memory that a loop reads and writes at one address stays in a register while the loop runs. It is loaded before,
// carried, and stored after the loop. A memory cell qualifies for a `for` or `loop` if
//  - its address is computed outside the loop, and the body itself stores to it, after nothing that may leave the loop: so every
//    iteration writes there, and the address is valid,
//  - every access in the loop that may alias it is a plain load or store of exactly that cell,
//  - nothing in the loop may leave the task or synchronise with other threads: memory would be observed in between.
// A `for` that may have no iteration is guarded. Iterations of a loop that comes from a parallel one have no order, so it is left
// alone. The cell becomes a local; `promote` does the rest.
#include "analysis/effects.h"
#include "analysis/memory.h"
#include "analysis/structure.h"
#include "passes/guard.h"
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/slots.h"

#include <algorithm>

namespace qd::passes {

using analysis::Access;
using analysis::Overlap;
using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr size_t max_accesses = 256; ///< in one loop; larger loops are left alone
constexpr size_t max_cells = 16;

struct Registers {
    Function &fn;
    analysis::Memory memory;
    analysis::Structure structure;
    std::vector<uint8_t> effects;
    Rename rename;
    std::vector<Value> accesses;                      ///< loads, stores, atomics in program order
    std::vector<std::pair<uint32_t, uint32_t>> range; ///< by value: the accesses inside a control instruction
    bool changed = false;

    explicit Registers(Function &f)
        : fn(f), memory(f), structure(f), effects(analysis::effects(f)), rename(f), range(f.insts.size()) {}

    void collect(BlockId b) {
        for (Value v : fn[b].insts) {
            uint32_t begin = uint32_t(accesses.size());
            if (memory.access(v).pointer) accesses.push_back(v);
            for (BlockId child : fn[v].blocks)
                if (child) collect(child);
            range[v.id] = {begin, uint32_t(accesses.size())};
        }
    }
    std::span<const Value> inside(Value loop) const {
        auto [begin, end] = range[loop.id];
        return {accesses.data() + begin, end - begin};
    }
    bool is_new(Value v) const { return v.id >= structure.order.size(); }
    bool outside(Value v, Value loop) const { return structure.order[v.id] < structure.order[loop.id]; }

    /// The accesses to the cell that `store` writes, or none if it cannot be kept in a register.
    std::vector<Value> cell(Value store, Value loop) const {
        Access cell = memory.access(store);
        std::vector<Value> group;
        if (is_new(cell.pointer) || cell.type.lanes != 1 || !outside(cell.pointer, loop)) return {};
        for (Value v : inside(loop)) {
            Access access = memory.access(v);
            if (is_new(access.pointer)) continue; // already in a register of an enclosing loop
            Overlap overlap = memory.overlap(cell, access);
            if (overlap == Overlap::never) continue;
            bool plain = fn[v].op == Op::load || fn[v].op == Op::store;
            if (!plain || overlap != Overlap::exact || access.type != cell.type || !outside(access.pointer, loop))
                return {};
            group.push_back(v);
        }
        return group;
    }

    /// The qualifying cells of a loop, each as the list of its accesses.
    std::vector<std::vector<Value>> cells(Value loop) const {
        std::vector<std::vector<Value>> list;
        bool ordered = fn[loop].op == Op::loop || (fn[loop].op == Op::for_ && !fn.loops[fn[loop].imm].vectorize);
        if (!ordered || (effects[loop.id] & (analysis::leaves | analysis::syncs)) || inside(loop).size() > max_accesses)
            return list;
        std::vector<Value> taken;
        for (Value v : fn[fn[loop].blocks[0]].insts) {
            if (effects[v.id] & (analysis::jumps | analysis::endless)) break;
            if (fn[v].op != Op::store || std::ranges::count(taken, v) || list.size() == max_cells) continue;
            std::vector<Value> group = cell(v, loop);
            taken.insert(taken.end(), group.begin(), group.end());
            if (!group.empty()) list.push_back(std::move(group));
        }
        return list;
    }

    Value make(Op op, std::initializer_list<Value> args, Type type, SpanId span) {
        Inst in;
        in.op = op;
        in.type = type;
        in.span = span;
        in.imm = op == Op::local;
        in.args = fn.make_list({args.begin(), args.size()});
        return fn.make(in);
    }

    void run(BlockId b) {
        std::vector<Value> old = std::move(fn[b].insts);
        fn[b].insts.clear();
        fn[b].insts.reserve(old.size());
        for (Value v : old) {
            rename.apply(fn, v);
            if (is_loop(fn[v].op))
                loop(v, b);
            else
                fn[b].insts.push_back(v);
            for (BlockId child : {fn[v].blocks[0], fn[v].blocks[1]})
                if (child) run(child);
        }
    }

    void loop(Value v, BlockId b) {
        std::vector<Value> before, after;
        for (const std::vector<Value> &group : cells(v)) {
            Access cell = memory.access(group[0]);
            SpanId span = fn[group[0]].span;
            const Type own = Type::pointer(cell.type.elem, ir::Space::private_);
            Value local = make(Op::local, {}, own, span);
            Value start = make(Op::load, {cell.pointer}, cell.type, span);
            Value keep = make(Op::store, {local, start}, {}, span);
            Value end = make(Op::load, {local}, cell.type, span);
            Value back = make(Op::store, {cell.pointer, end}, {}, span);
            before.insert(before.end(), {local, start, keep});
            after.insert(after.end(), {end, back});
            for (Value access : group) fn.args(access)[0] = local;
        }
        if (before.empty()) return fn[b].insts.push_back(v);
        changed = true;
        if (certainly_runs(fn, v)) {
            std::vector<Value> &list = fn[b].insts;
            list.insert(list.end(), before.begin(), before.end());
            list.push_back(v);
            list.insert(list.end(), after.begin(), after.end());
            return;
        }
        Value branch = append_guarded(fn, b, v, before, after);
        for (size_t k = 0; k < fn[v].results.size; ++k) rename.replace(fn.results(v)[k], fn.results(branch)[k]);
    }
};

} // namespace

bool loop_registers(Function &fn, const Config &config) {
    Registers r(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) r.collect(root);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) r.run(root);
    if (r.changed) promote(fn, config);
    return r.changed;
}

} // namespace qd::passes
