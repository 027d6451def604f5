// Promotes locals to SSA values (mem2reg).
//
// A local becomes a set of variables, one per element, if every use is a load or store of one whole element at a constant offset, and
// no parallel loop or subgraph that does not contain the local stores to it: a do_while is repeated, a checkpoint may be skipped. One
// walk in program order tracks the current value of each variable. At an if or a loop, the variables stored inside and declared
// outside become slots:
//  - if: a result, unless all branches that reach the end leave the value unchanged. A branch that ends in break, continue or exit
//    does not reach the end and contributes no value.
//  - for, loop: a carried value; yield, continue and break pass the current value.
// `local` zeroes its memory, so every variable has a value from its declaration on.
#include "analysis/memory.h"
#include "ir/graph.h"
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/slots.h"

#include <algorithm>

namespace qd::passes {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Scalar;
using ir::Type;
using ir::Value;

namespace {

constexpr uint64_t largest_local = 4096; ///< elements; larger locals stay in memory

/// A pointer to element `element` of local number `local`; local 0: not a pointer into a local.
struct Target {
    uint32_t local = 0, element = 0;
};
struct Local {
    Value inst;
    Value parallel;     ///< innermost parallel loop around it
    uint32_t subgraph;  ///< innermost subgraph around it
    uint32_t order = 0; ///< position of the instruction in the walk
    uint32_t elements = 0, first_variable = 0;
    bool good = true;
};

/// First walk: finds the locals that can be promoted.
struct Candidates {
    const Function &fn;
    std::vector<Target> targets; ///< by value
    std::vector<Local> locals = {{{}, {}, ir::GraphWalk::outside}};
    uint32_t clock = 0;
    ir::GraphWalk graph;

    explicit Candidates(const Function &f) : fn(f), targets(f.insts.size()), graph(f) {}

    void run(BlockId b, Value parallel) {
        for (Value v : fn[b].insts) {
            ++clock;
            graph.pass(v);
            visit(v, parallel);
            Value inner = fn[v].op == Op::parallel ? v : parallel;
            for (BlockId child : fn[v].blocks)
                if (child) run(child, inner);
        }
    }

    void visit(Value v, Value parallel) {
        const Inst &in = fn[v];
        std::span<const Value> args = fn.args(v);
        if (in.op == Op::local) {
            targets[v.id] = {uint32_t(locals.size()), 0};
            locals.push_back({v, parallel, graph.innermost(), clock, uint32_t(in.imm), 0, in.imm <= largest_local});
            return;
        }
        if (args.empty()) return;
        Target t = targets[args[0].id];
        Local &local = locals[t.local];
        if (in.op == Op::offset) {
            if (!t.local) return;
            analysis::Sum bytes = analysis::as_sum(fn, args[1]);
            Scalar elem = fn.type(local.inst).elem;
            uint64_t at = t.element + bytes.constant / uint64_t(ir::size_of(elem));
            if (bytes.base || in.type.elem != elem || bytes.constant % uint64_t(ir::size_of(elem)) != 0 ||
                at >= local.elements)
                local.good = false;
            else
                targets[v.id] = {t.local, uint32_t(at)};
        } else if (in.op == Op::load) {
            if (in.type.lanes != 1) local.good = false;
        } else if (in.op == Op::store) {
            if (fn.type(args[1]).lanes != 1 || local.parallel != parallel || local.subgraph != graph.innermost())
                local.good = false;
        } else {
            for (Value a : args) locals[targets[a.id].local].good = false;
        }
    }
};

struct Promotion {
    Function &fn;
    Rename rename;
    std::vector<Target> targets;
    std::vector<Local> locals;

    std::vector<Type> types;                           ///< by variable
    std::vector<SpanId> spans;                         ///< by variable: span of its local
    std::vector<Value> current;                        ///< by variable
    std::vector<uint32_t> declared;                    ///< by variable: position of its declaration
    std::vector<std::pair<uint32_t, uint32_t>> stored; ///< by value: the variables of a control instruction, in `sets`
    std::vector<uint32_t> sets;
    std::vector<Value> seen;  ///< by variable: the control instruction that listed it last
    std::vector<Value> loops; ///< loops around the current instruction
    uint32_t clock = 0;

    Promotion(Function &f, Candidates &c)
        : fn(f), rename(f), targets(std::move(c.targets)), locals(std::move(c.locals)), stored(f.insts.size()) {
        for (size_t i = 1; i < locals.size(); ++i) {
            if (!locals[i].good) continue;
            locals[i].first_variable = uint32_t(types.size());
            types.resize(types.size() + locals[i].elements, Type(fn.type(locals[i].inst).elem));
            declared.resize(types.size(), locals[i].order);
            spans.resize(types.size(), fn[locals[i].inst].span);
        }
        current.resize(types.size());
        seen.resize(types.size());
    }

    bool promoted(Value pointer) const {
        Target t = pointer.id < targets.size() ? targets[pointer.id] : Target{};
        return t.local && locals[t.local].good;
    }
    uint32_t variable(Value pointer) const {
        Target t = targets[pointer.id];
        return locals[t.local].first_variable + t.element;
    }
    std::span<const uint32_t> variables(Value control) const {
        auto [begin, size] = stored[control.id];
        return {sets.data() + begin, size};
    }
    std::vector<Value> values(Value control) const {
        std::vector<Value> list;
        list.reserve(stored[control.id].second);
        for (uint32_t x : variables(control)) list.push_back(current[x]);
        return list;
    }

    /// Appends the variables stored in a block to `found`, and fills `stored` of the control instructions in it.
    void collect(BlockId b, std::vector<uint32_t> &found) {
        for (Value v : fn[b].insts) {
            uint32_t start = ++clock;
            if (fn[v].op == Op::store && promoted(fn.args(v)[0])) found.push_back(variable(fn.args(v)[0]));
            if (!fn[v].blocks[0]) continue;
            size_t mark = found.size();
            for (BlockId child : fn[v].blocks)
                if (child) collect(child, found);
            size_t end = mark;
            for (size_t i = mark; i < found.size(); ++i) {
                uint32_t x = found[i];
                if (declared[x] > start || seen[x] == v) continue;
                seen[x] = v;
                found[end++] = x;
            }
            found.resize(end);
            stored[v.id] = {uint32_t(sets.size()), uint32_t(end - mark)};
            sets.insert(sets.end(), found.begin() + ptrdiff_t(mark), found.end());
        }
    }

    void run(BlockId b, Value owner) {
        std::vector<Value> old = std::move(fn[b].insts);
        std::vector<Value> kept;
        kept.reserve(old.size());
        for (Value v : old) {
            rename.apply(fn, v);
            if (step(v, owner)) kept.push_back(v);
        }
        fn[b].insts = std::move(kept);
    }

    /// False if the instruction is removed.
    bool step(Value v, Value owner) {
        const Op op = fn[v].op;
        if (op == Op::offset) return !promoted(fn.args(v)[0]);
        if (op == Op::load && promoted(fn.args(v)[0])) {
            rename.replace(v, current[variable(fn.args(v)[0])]);
            return false;
        }
        if (op == Op::store && promoted(fn.args(v)[0])) {
            current[variable(fn.args(v)[0])] = fn.args(v)[1];
            return false;
        }
        if (op == Op::local && promoted(v)) {
            const Local &local = locals[targets[v.id].local];
            fn[v].op = Op::constant;
            fn[v].type = Type(fn[v].type.elem);
            fn[v].imm = 0;
            std::fill_n(current.begin() + local.first_variable, local.elements, v);
        } else if (op == Op::if_) {
            branch(v);
        } else if (op == Op::for_ || op == Op::loop) {
            loop(v);
        } else if (op == Op::parallel) {
            loops.push_back(v);
            run(fn[v].blocks[0], v);
            loops.pop_back();
        } else if (op == Op::yield && owner && is_loop(fn[owner].op)) {
            append_args(fn, v, values(owner));
        } else if ((op == Op::break_ || op == Op::continue_) && !loops.empty()) {
            append_args(fn, v, values(loops.back()));
        }
        return true;
    }

    void branch(Value v) {
        std::vector<Value> before = values(v), after[2];
        Value yields[2];
        for (int side = 0; side < 2; ++side) {
            restore(v, before);
            BlockId b = fn[v].blocks[side];
            run(b, v);
            Value last = fn[b].insts.back();
            if (fn[last].op != Op::yield) continue;
            yields[side] = last;
            after[side] = values(v);
        }
        restore(v, before);
        std::vector<uint32_t> slots; // positions in `before` of the values that change
        for (uint32_t i = 0; i < before.size(); ++i) {
            bool changes = false;
            for (int side = 0; side < 2; ++side) changes |= yields[side] && after[side][i] != before[i];
            if (changes) slots.push_back(i);
        }
        std::vector<Type> new_types;
        for (uint32_t i : slots) new_types.push_back(types[variables(v)[i]]);
        uint32_t first = fn[v].results.size;
        append_results(fn, v, new_types);
        for (int side = 0; side < 2; ++side) {
            if (!yields[side]) continue;
            std::vector<Value> extra;
            for (uint32_t i : slots) extra.push_back(after[side][i]);
            append_args(fn, yields[side], extra);
        }
        for (size_t k = 0; k < slots.size(); ++k) current[variables(v)[slots[k]]] = fn.results(v)[first + k];
    }

    void loop(Value v) {
        append_args(fn, v, values(v));
        BlockId body = fn[v].blocks[0];
        std::vector<Type> new_types;
        for (uint32_t x : variables(v)) {
            new_types.push_back(types[x]);
            current[x] = fn.add_param(body, types[x], spans[x]);
        }
        uint32_t first = fn[v].results.size;
        append_results(fn, v, new_types);
        loops.push_back(v);
        run(body, v);
        loops.pop_back();
        for (uint32_t k = 0; k < new_types.size(); ++k) current[variables(v)[k]] = fn.results(v)[first + k];
    }

    void restore(Value control, std::span<const Value> values) {
        for (size_t i = 0; i < values.size(); ++i) current[variables(control)[i]] = values[i];
    }
};

} // namespace

bool promote(Function &fn, const Config &) {
    Candidates candidates(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) candidates.run(root, {});
    bool any = false;
    for (const Local &l : candidates.locals) any |= l.inst && l.good;
    if (!any) return false;
    Promotion p(fn, candidates);
    std::vector<uint32_t> found;
    for (BlockId root : {fn.bounds, fn.body})
        if (root) p.collect(root, found);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) p.run(root, {});
    return true;
}

} // namespace qd::passes
