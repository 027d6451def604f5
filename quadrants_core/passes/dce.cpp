// Dead code elimination. Roots of liveness are the instructions that must stay: writes, exits, and loops that may not terminate.
//  - A live instruction keeps its operands and the enclosing ifs and loops live.
//  - A slot of an if or loop (slots.h) is live as a whole if its result or carried parameter is used. So a value that only feeds
//    itself around a loop is dead.
//  - A live loop keeps its breaks and continues live, and the ifs around them.
//  - A store to a local or stack is live if its object is read.
#include "analysis/effects.h"
#include "analysis/memory.h"
#include "passes/passes.h"
#include "passes/slots.h"

namespace qd::passes {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::List;
using ir::Op;
using ir::Value;

namespace {

/// Linked lists in one vector: for each head value, the values added to it.
struct Chains {
    std::vector<uint32_t> head, next;
    explicit Chains(size_t n) : head(n), next(n) {}
    void add(Value owner, Value member) {
        next[member.id] = head[owner.id];
        head[owner.id] = member.id;
    }
    template <class F> void each(Value owner, F &&f) const {
        for (uint32_t m = head[owner.id]; m; m = next[m]) f(Value{m});
    }
    /// The same for the members that were not taken before.
    template <class F> void take(Value owner, F &&f) {
        each(owner, f);
        head[owner.id] = 0;
    }
};

struct Liveness {
    Function &fn;
    analysis::Memory memory;
    std::vector<uint8_t> live;
    std::vector<Value> owner;    ///< by value: the enclosing control instruction; for a parameter, its loop
    std::vector<uint32_t> place; ///< by parameter: its position
    Chains ends;                 ///< by if or loop: the terminators that pass values to it
    Chains writers;              ///< by object of a local or stack: the stores and atomics on it
    std::vector<Value> work;

    explicit Liveness(Function &f)
        : fn(f), memory(f), live(f.insts.size()), owner(f.insts.size()), place(f.insts.size()), ends(f.insts.size()),
          writers(f.insts.size() + memory.objects() + 1) {}

    void mark(Value v) {
        if (!v || live[v.id]) return;
        live[v.id] = 1;
        work.push_back(v);
    }
    void mark_args(Value v) {
        for (Value a : fn.args(v)) mark(a);
    }

    void scan(BlockId b, Value control, Value loop) {
        for (uint32_t i = 0; i < fn[b].params.size(); ++i) {
            owner[fn[b].params[i].id] = control;
            place[fn[b].params[i].id] = i;
        }
        for (Value v : fn[b].insts) {
            owner[v.id] = control;
            Op op = fn[v].op;
            if (op == Op::yield && control)
                ends.add(control, v);
            else if ((op == Op::break_ || op == Op::continue_) && loop)
                ends.add(loop, v);
            else if (is_root(v))
                mark(v);
            Value inner = is_loop(op) ? v : loop;
            for (BlockId child : fn[v].blocks)
                if (child) scan(child, v, inner);
        }
    }

    bool is_root(Value v) {
        const Op op = fn[v].op;
        if (ir::is_terminator(op) || op == Op::external || op == Op::loop) return true;
        if (ir::info(op).effect != ir::Effect::write || ir::family(op) == ir::Family::address) return false;
        analysis::Access access = memory.access(v);
        const uint32_t own = access.pointer ? memory.private_object(access.pointer) : 0;
        if (!own) return true;
        writers.add(Value{own}, v);
        return false;
    }

    void slot(Value control, uint32_t k) {
        mark(fn.results(control)[k]);
        if (is_loop(fn[control].op)) {
            mark(fn[fn[control].blocks[0]].params[first_carried(fn, control) + k]);
            mark(fn.args(control)[first_init(fn, control) + k]);
        }
        ends.each(control, [&](Value t) { mark(fn.args(t)[k]); });
    }

    void spread() {
        while (!work.empty()) {
            Value v = work.back();
            work.pop_back();
            mark(owner[v.id]);
            const Op op = fn[v].op;
            if (op == Op::param) {
                Value control = owner[v.id];
                if (control && place[v.id] >= first_carried(fn, control))
                    slot(control, place[v.id] - first_carried(fn, control));
            } else if (op == Op::result) {
                mark(fn.args(v)[0]);
                slot(fn.args(v)[0], uint32_t(fn[v].imm));
            } else if (is_loop(op)) {
                for (uint32_t i = 0; i < first_init(fn, v); ++i) mark(fn.args(v)[i]);
                ends.each(v, [&](Value t) { mark(owner[t.id]); });
            } else if (op == Op::yield || op == Op::break_ || op == Op::continue_) {
                if (!owner[v.id]) mark_args(v); // ends an outermost block
            } else {
                mark_args(v);
                if (ir::info(op).effect == ir::Effect::pure) continue;
                if (Value p = memory.access(v).pointer)
                    if (const uint32_t own = memory.private_object(p))
                        writers.take(Value{own}, [&](Value w) { mark(w); });
            }
        }
    }

    bool drop_dead_slots(Value v) {
        std::vector<uint8_t> keep;
        bool all = true;
        for (Value r : fn.results(v)) {
            keep.push_back(live[r.id]);
            all &= live[r.id] != 0;
        }
        if (all) return false;
        std::vector<Value> terminators;
        ends.each(v, [&](Value t) { terminators.push_back(t); });
        drop_slots(fn, v, terminators, keep);
        return true;
    }

    bool sweep(BlockId b) {
        std::vector<Value> &list = fn[b].insts;
        bool changed = false;
        size_t end = 0;
        for (size_t i = 0; i < list.size(); ++i) {
            Value v = list[i];
            if (!live[v.id] && !ir::is_terminator(fn[v].op)) {
                changed = true;
                continue;
            }
            list[end++] = v;
            if (!fn[v].blocks[0]) continue;
            changed |= drop_dead_slots(v);
            for (BlockId child : fn[v].blocks)
                if (child) changed |= sweep(child);
        }
        list.resize(end);
        return changed;
    }
};

} // namespace

bool dce(Function &fn, const Config &) {
    Liveness l(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) l.scan(root, {}, {});
    l.spread();
    bool changed = false;
    for (BlockId root : {fn.bounds, fn.body})
        if (root) changed |= l.sweep(root);
    return changed;
}

} // namespace qd::passes
