// Simplifies branches and loops with known control flow, and turns cheap branches into selects. One walk in program order; the
// children of an instruction are simplified before it. Rules:
//  - An if with a constant condition is replaced by its branch. If that branch leaves, the rest of the block is removed.
//  - If both branches leave in the same way, they yield instead, followed by one terminator. If they leave in different ways, the else
//    branch moves after the if. If one branch leaves, the other one moves after the if.
//  - At the end of a loop body, `if c { A; continue x } B; yield y` becomes `if c { A; yield x } else { B; yield y }; yield`.
//  - A result that both branches yield with the same value is that value. An if without contents is removed.
//  - An if whose branches are cheap, movable and yield becomes selects. A load counts as movable if its exact address has been
//    accessed before on every path to it.
//  - A for or parallel with constant bounds that never runs is removed; one that runs once, or a loop that always breaks in its first
//    iteration, is replaced by its body. A carried value that never changes is replaced by its initial value.
#include "ir/eval.h"
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/slots.h"

#include <algorithm>
#include <optional>

namespace qd::passes {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr int select_budget = 16;   ///< total cost of both branches
constexpr int flat_budget = 512;    ///< the same with CompileFlag::flat
constexpr int deepest_nesting = 50; ///< no new levels below this depth

struct Branches {
    Function &fn;
    Rename rename;
    std::vector<std::vector<Value>> ends; ///< by loop (numbered): the terminators that pass values to it
    std::vector<uint32_t> number;         ///< by value: index into `ends`
    /// By block: the loop whose next iteration follows, with the values that the block yields.
    std::vector<Value> tail_of;
    std::vector<uint8_t> accessed; ///< by pointer: loaded or stored on every path to here
    std::vector<Value> accesses;   ///< to undo
    bool changed = false;

    explicit Branches(Function &f) : fn(f), rename(f), ends(1), number(f.insts.size()), accessed(f.insts.size()) {}

    // ---- terminators of loops
    void scan(BlockId b, Value owner, Value loop) {
        for (Value v : fn[b].insts) {
            Op op = fn[v].op;
            Value inner = loop;
            if (is_loop(op)) {
                inner = v;
                number[v.id] = uint32_t(ends.size());
                ends.emplace_back();
            }
            for (BlockId child : fn[v].blocks)
                if (child) scan(child, v, inner);
            if (op == Op::yield && owner && is_loop(fn[owner].op)) ends[number[owner.id]].push_back(v);
            if ((op == Op::break_ || op == Op::continue_) && loop) ends[number[loop.id]].push_back(v);
        }
    }

    // ---- building
    std::optional<int64_t> integer(Value v) const {
        if (fn[v].op != Op::constant) return {};
        return ir::to_int({fn[v].type.elem, fn[v].imm});
    }
    Value terminator(BlockId b) const { return fn[b].insts.back(); }
    bool yields(BlockId b) const { return fn[terminator(b)].op == Op::yield; }
    Value emit(BlockId b, Op op, std::span<const Value> args, Type type, SpanId span) {
        Inst in;
        in.op = op;
        in.type = type;
        in.span = span;
        in.args = fn.make_list(args);
        Value v = fn.make(in);
        fn[b].insts.push_back(v);
        return v;
    }
    /// Moves all instructions of `from` except the terminator to the end of `to`.
    void move_contents(BlockId from, BlockId to) {
        std::vector<Value> &source = fn[from].insts;
        fn[to].insts.insert(fn[to].insts.end(), source.begin(), source.end() - 1);
        source.erase(source.begin(), source.end() - 1);
    }
    void replace_results(Value control, std::span<const Value> by) {
        for (size_t k = 0; k < by.size(); ++k) rename.replace(fn.results(control)[k], rename(by[k]));
    }

    // ---- walk
    void run(BlockId b, int depth) {
        std::vector<Value> old = std::move(fn[b].insts);
        fn[b].insts.clear();
        fn[b].insts.reserve(old.size());
        size_t mark = accesses.size();
        for (size_t i = 0; i < old.size(); ++i) {
            Value v = old[i];
            rename.apply(fn, v);
            Op op = fn[v].op;
            bool falls_through = true;
            if (op == Op::if_ && wraps_rest(v, b, depth)) wrap_rest(v, b, old, i);
            if (op == Op::if_)
                falls_through = branch(v, b, depth);
            else if (is_loop(op))
                falls_through = loop(v, b, depth);
            else
                fn[b].insts.push_back(v);
            if (op == Op::load || op == Op::store) access(fn.args(v)[0]);
            if (!falls_through) {
                changed |= i + 1 < old.size();
                break;
            }
        }
        for (; accesses.size() > mark; accesses.pop_back()) accessed[accesses.back().id] = 0;
    }
    void access(Value pointer) {
        if (pointer.id >= accessed.size() || accessed[pointer.id]) return;
        accessed[pointer.id] = 1;
        accesses.push_back(pointer);
    }

    // ---- if
    /// False if nothing after it in the block is reachable; the block then has its terminator.
    bool branch(Value v, BlockId b, int depth) {
        if (std::optional<int64_t> c = integer(fn.args(v)[0])) {
            changed = true;
            return enter(v, fn[v].blocks[*c & 1 ? 0 : 1], b, depth);
        }
        BlockId side[2] = {fn[v].blocks[0], fn[v].blocks[1]};
        for (BlockId s : side) run(s, depth + 1);
        if (!yields(side[0]) && !yields(side[1])) return both_leave(v, b, side);
        if (yields(side[0]) != yields(side[1])) {
            BlockId stays = yields(side[0]) ? side[0] : side[1];
            fn[b].insts.push_back(v);
            if (fn[stays].insts.size() > 1 || fn[v].results.size) {
                changed = true;
                move_contents(stays, b);
                replace_results(v, fn.args(terminator(stays)));
                fn[terminator(stays)].args = {};
                fn[v].results = {};
            }
            return true;
        }
        merge_results(v, side);
        bool empty = fn[side[0]].insts.size() == 1 && fn[side[1]].insts.size() == 1;
        if (empty && fn[v].results.size == 0) {
            changed = true;
            return true;
        }
        if (is_cheap(v, side)) {
            changed = true;
            select(v, b, side);
            return true;
        }
        fn[b].insts.push_back(v);
        return true;
    }

    /// Replaces the owner of `taken` by its simplified contents.
    bool enter(Value v, BlockId taken, BlockId b, int depth) {
        run(taken, depth);
        Value end = terminator(taken);
        move_contents(taken, b);
        if (fn[end].op == Op::yield) {
            replace_results(v, fn.args(end));
            return true;
        }
        fn[b].insts.push_back(end);
        return false;
    }

    bool both_leave(Value v, BlockId b, const BlockId (&side)[2]) {
        changed = true;
        Value end[2] = {terminator(side[0]), terminator(side[1])};
        fn[v].results = {};
        fn[b].insts.push_back(v);
        if (fn[end[0]].op != fn[end[1]].op) {
            move_contents(side[1], b);
            fn[b].insts.push_back(end[1]);
            fn[side[1]].insts.clear();
            emit(side[1], Op::yield, {}, {}, fn[v].span);
            return false;
        }
        std::vector<Type> types;
        for (Value a : fn.args(end[0])) types.push_back(fn.type(a));
        append_results(fn, v, types);
        Inst leave = fn[end[0]];
        std::vector<Value> results(fn.results(v).begin(), fn.results(v).end());
        for (Value e : end) fn[e].op = Op::yield;
        merge_results(v, side);
        if (is_cheap(v, side)) {
            fn[b].insts.pop_back();
            select(v, b, side);
        }
        for (Value &r : results) r = rename(r);
        emit(b, leave.op, results, {}, leave.span);
        return false;
    }

    /// Merges results for which both sides yield the same value.
    void merge_results(Value v, const BlockId (&side)[2]) {
        std::vector<uint8_t> keep(fn[v].results.size, 1);
        std::span<const Value> x = fn.args(terminator(side[0])), y = fn.args(terminator(side[1]));
        bool any = false;
        for (size_t k = 0; k < keep.size(); ++k) {
            if (x[k] != y[k]) continue;
            rename.replace(fn.results(v)[k], x[k]);
            keep[k] = 0;
            any = true;
        }
        if (!any) return;
        changed = true;
        Value terminators[] = {terminator(side[0]), terminator(side[1])};
        drop_slots(fn, v, terminators, keep);
    }

    bool is_cheap(Value v, const BlockId (&side)[2]) const {
        const int budget = fn.has_flag(ir::CompileFlag::flat) ? flat_budget : select_budget;
        int sum = 0;
        for (Value r : fn.results(v)) {
            if (!fn.type(r).is_scalar()) return false;
            ++sum;
        }
        for (BlockId s : side) {
            for (Value i : fn[s].insts) {
                const Inst &in = fn[i];
                if (in.op == Op::yield) continue;
                bool known = in.op == Op::load && fn.args(i)[0].id < accessed.size() && accessed[fn.args(i)[0].id];
                if (!ir::is_movable(in.op) && !known) return false;
                if (in.op != Op::constant && in.op != Op::dim) sum += ir::cost_of(in.op);
                if (sum > budget) return false;
            }
        }
        return sum <= budget;
    }
    void select(Value v, BlockId b, const BlockId (&side)[2]) {
        Value condition = fn.args(v)[0];
        for (BlockId s : side) move_contents(s, b);
        for (uint32_t k = 0; k < fn[v].results.size; ++k) {
            Value x = fn.args(terminator(side[0]))[k], y = fn.args(terminator(side[1]))[k];
            Value r = fn.results(v)[k];
            Value operands[] = {condition, x, y};
            rename.replace(r, emit(b, Op::select, operands, fn.type(r), fn[v].span));
        }
    }

    // ---- continue where the block ends an iteration of a loop
    bool wraps_rest(Value v, BlockId b, int depth) const {
        if (b.id >= tail_of.size() || !tail_of[b.id] || depth >= deepest_nesting) return false;
        if (fn[fn.args(v)[0]].op == Op::constant) return false;
        Op x = fn[terminator(fn[v].blocks[0])].op, y = fn[terminator(fn[v].blocks[1])].op;
        return (x == Op::continue_ && y == Op::yield) || (x == Op::yield && y == Op::continue_);
    }
    /// Moves the instructions after `v` into its branch that does not leave; `old` is the list of block `b`, in which `v` has position `i`.
    void wrap_rest(Value v, BlockId b, std::vector<Value> &old, size_t i) {
        changed = true;
        Value loop = tail_of[b.id];
        BlockId left = fn[v].blocks[0], right = fn[v].blocks[1];
        if (yields(left)) std::swap(left, right);
        fn[terminator(left)].op = Op::yield;
        replace_results(v, fn.args(terminator(right)));
        fn[right].insts.pop_back();
        fn[right].insts.insert(fn[right].insts.end(), old.begin() + ptrdiff_t(i) + 1, old.end());
        old.resize(i + 1);
        fn[v].results = {};
        std::vector<Type> types;
        for (Value r : fn.results(loop)) types.push_back(fn.type(r));
        append_results(fn, v, types);
        Inst end;
        end.op = Op::yield;
        end.span = fn[v].span;
        end.args = fn.make_list(fn.results(v));
        old.push_back(fn.make(end));
        set_tail(left, loop);
        set_tail(right, loop);
    }
    void set_tail(BlockId b, Value loop) {
        if (b.id >= tail_of.size()) tail_of.resize(fn.blocks.size());
        tail_of[b.id] = loop;
    }

    // ---- loops
    bool loop(Value v, BlockId b, int depth) {
        Op op = fn[v].op;
        BlockId body = fn[v].blocks[0];
        uint32_t init = first_init(fn, v);
        if (op != Op::loop) {
            for (uint32_t i = 0; i + 1 < init; i += 2) {
                Value lo = fn.args(v)[i], hi = fn.args(v)[i + 1];
                std::optional<int64_t> x = integer(lo), y = integer(hi);
                if (lo != hi && !(x && y && *x >= *y)) continue;
                changed = true;
                std::vector<Value> inits(fn.args(v).begin() + init, fn.args(v).end());
                replace_results(v, inits);
                return true;
            }
        }
        if (op != Op::parallel && fn[terminator(body)].op == Op::continue_) {
            fn[terminator(body)].op = Op::yield;
            changed = true;
        }
        drop_invariant(v);
        if (std::optional<Value> index = single_iteration(v, b)) {
            changed = true;
            std::vector<Value> inits(fn.args(v).begin() + init, fn.args(v).end());
            size_t first = first_carried(fn, v);
            if (*index) rename.replace(fn[body].params[0], *index);
            for (size_t k = 0; k < inits.size(); ++k) rename.replace(fn[body].params[first + k], inits[k]);
            for (Value &e : ends[number[v.id]]) fn[e].op = Op::yield;
            return enter(v, body, b, depth);
        }
        if (op != Op::parallel) set_tail(body, v);
        run(body, depth + 1);
        fn[b].insts.push_back(v);
        return true;
    }

    void drop_invariant(Value v) {
        uint32_t slots = fn[v].results.size, init = first_init(fn, v), first = first_carried(fn, v);
        std::vector<uint8_t> keep(slots, 1);
        bool any = false;
        BlockId body = fn[v].blocks[0];
        for (uint32_t k = 0; k < slots; ++k) {
            Value param = fn[body].params[first + k], start = fn.args(v)[init + k];
            bool constant = true;
            for (Value e : ends[number[v.id]]) {
                Value passed = rename(fn.args(e)[k]);
                constant &= passed == param || passed == start;
            }
            if (!constant) continue;
            keep[k] = 0;
            any = true;
            rename.replace(param, start);
            rename.replace(fn.results(v)[k], start);
        }
        if (!any) return;
        changed = true;
        drop_slots(fn, v, ends[number[v.id]], keep);
    }

    /// The index of the only iteration of a loop, or no value for a `loop`; nullopt if it may run otherwise.
    std::optional<Value> single_iteration(Value v, BlockId b) {
        Op op = fn[v].op;
        if (op == Op::parallel) return {};
        Op last = fn[terminator(fn[v].blocks[0])].op;
        size_t others = ends[number[v.id]].size();
        bool breaks = last == Op::break_ && others == 1;
        bool once = last == Op::yield && others == 1;
        if (last == Op::exit && others == 0) breaks = true;
        if (op == Op::loop) return breaks ? std::optional<Value>(Value{}) : std::nullopt;
        std::optional<int64_t> lo = integer(fn.args(v)[0]), hi = integer(fn.args(v)[1]);
        if (!lo || !hi || (!breaks && !(once && *lo + 1 == *hi))) return {};
        Value bound = fn.args(v)[0];
        if (!fn.loops[fn[v].imm].reversed || *lo + 1 == *hi) return bound;
        Value index = emit(b, Op::constant, {}, fn.type(bound), fn[v].span);
        fn[index].imm = ir::from_int(fn.type(bound).elem, *hi - 1).bits;
        return index;
    }
};

} // namespace

bool simplify_branches(Function &fn, const Config &) {
    Branches p(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) p.scan(root, {}, {});
    for (BlockId root : {fn.bounds, fn.body})
        if (root) p.run(root, 0);
    return p.changed;
}

} // namespace qd::passes
