// The rules that every function obeys, on which passes may rely. They are checked here or, for single instructions, in verify_types.cpp.
//
// Structure
//  - Ids are in range. An instruction is listed in exactly one block, once; a block has exactly one owner.
//  - A block ends with its only terminator. Blocks nest at most 200 deep.
//  - The body ends with `ret` (its operands match Function::returns) or `exit`; `ret` is allowed nowhere else. Tasks return nothing.
//  - A range task has a bounds block, which yields lo and hi (i64); other functions have none. Values of the bounds block are not
//    visible in the body, nor vice versa.
//  - `if` owns two blocks without parameters; each yields the types of the if's results, or leaves by break, continue or exit.
//  - The body of `for` has parameters (index, carried...), that of `loop` (carried...). Initial values, carried parameters, yield,
//    continue, break and results have the same types. The results are the operands of the last yield or continue (the initial values
//    if there was no iteration), or those of the break.
//  - `parallel` is allowed at the outermost level of the body only. It has i32 bounds (lo, hi per index), i32 indices and no results;
//    its body yields nothing, and break and continue do not cross it. A parallel loop over cells has one pair of bounds, the upper one
//    a `list`, and one index per axis of the list's place.
//  - graph_begin and graph_end are allowed at the outermost level of a kernel only, in properly nested pairs; each subgraph begins
//    once. A do_while is nested in do_whiles and at most one checkpoint, a checkpoint in do_whiles only, a region in do_whiles only,
//    and a section directly in a region, which contains nothing else with an effect. The flag of a do_while (required) or a checkpoint
//    (optional) is the number of an i32 array parameter; regions and sections have none. Only tasks have a graph position, and only
//    range tasks a `range_at`, which lies within the tmp buffer.
//  - Operands are defined earlier, in the same block or an enclosing one. Results of an instruction are not visible in its own blocks.
// Types
//  - Operands, result type and immediate of an instruction match its row of ops.def.
//  - Function parameters are one-lane scalars and arrays; carried values and results are scalars or pointers.
//  - Immediates refer to existing table entries; messages refer to existing operands.
//  - The op that creates a pointer determines its space; `offset` preserves it, and control flow passes values of one type only.
//    Constant memory is not written. Only addresses of global memory are converted to numbers or used in ops on cells.
//  - `shared` is allowed in the parallel loops of a kernel only, because tasks do not share such memory.
//  - Ops of Family::group are allowed in parallel loops and range tasks only, and not in loops that are serialised or run over cells:
//    the iterations of these are no threads of a block.
//  - bitcast preserves the bits per lane. chunk_begin, chunk_end and chunk_step are allowed in the body of range tasks only.
#include "ir/verify.h"

#include "ir/graph.h"
#include "ir/print.h"
#include "ir/verify_types.h"

#include <algorithm>

namespace qd::ir {

namespace {

/// The context of the block being checked.
struct Scope {
    enum class Kind : uint8_t { body, bounds, branch, for_body, loop_body, parallel_body };
    Kind kind = Kind::body;
    Value owner;     ///< the if, for, loop or parallel
    Value innermost; ///< target of break and continue; none in a parallel body
    bool in_bounds = false;
    bool outermost = false;
    bool in_parallel = false;
    bool in_threads = false; ///< in a parallel loop of a kernel whose iterations are threads of blocks
    int nesting = 0;
};

struct Checker {
    const Function &fn;
    std::vector<Problem> problems;
    std::vector<uint8_t> visible = std::vector<uint8_t>(fn.insts.size());
    std::vector<uint8_t> placed = std::vector<uint8_t>(fn.insts.size());
    std::vector<uint8_t> owned = std::vector<uint8_t>(fn.blocks.size());

    void report(Value at, std::string message) { problems.push_back({at, std::move(message)}); }
    bool known(Value v) const { return v && v.id < fn.insts.size(); }
    bool list_ok(List l) const { return size_t(l.begin) + l.size <= fn.pool.size(); }
    Type type(Value v) const { return known(v) ? fn.type(v) : Type(); }

    void function();
    void define(Value at, Value v, Op expected);
    void position();
    void graph();
    void begin(Value mark, const std::vector<uint32_t> &open);
    void block(BlockId b, const Scope &scope, Value owner);
    void instruction(Value v, const Scope &scope, bool last);
    void operands(Value v);
    void control(Value v, const Scope &scope);
    void children(Value v, const Scope &scope);
    void terminator_of(Value v, const Scope &scope);
    void expect_types(Value at, std::span<const Value> values, std::span<const Type> types, const char *what);
    void loop_shape(Value v, size_t indices, size_t first_init, Type index_type);
    std::vector<Type> result_types(Value v) const;
};

std::vector<Type> Checker::result_types(Value v) const {
    std::vector<Type> types;
    if (known(v) && list_ok(fn[v].results))
        for (Value r : fn.results(v)) types.push_back(type(r));
    return types;
}

void Checker::define(Value at, Value v, Op expected) {
    if (!known(v)) return report(at, "refers to instruction " + std::to_string(v.id) + ", which does not exist");
    if (fn[v].op != expected) report(at, std::string("must be a `") + info(expected).name + "`");
    if (placed[v.id]) report(at, "an instruction is listed in two places");
    placed[v.id] = visible[v.id] = 1;
}

void Checker::function() {
    for (Value p : fn.params) {
        define(p, p, Op::param);
        Type t = type(p);
        if (!t.is_array() && !(t.is_scalar() && t.lanes == 1)) report(p, "a parameter must be a scalar or an array");
        if (t.is_array() && (t.rows == 0 || t.cols == 0))
            report(p, "the elements of an array must have at least one row and one column");
    }
    for (Type t : fn.returns)
        if (!t.is_scalar() || t.lanes != 1) report({}, "a function can return scalars only");
    if (fn.role != Role::kernel && !fn.returns.empty()) report({}, "a task cannot return values");
    if ((fn.role == Role::range_task) != bool(fn.bounds))
        report({}, "a range task must have bounds; other functions must not");
    if (!fn.body) return report({}, "the function has no body");
    Scope scope;
    if (fn.bounds) {
        scope.kind = Scope::Kind::bounds;
        scope.in_bounds = true;
        block(fn.bounds, scope, {});
    }
    scope.kind = Scope::Kind::body;
    scope.in_bounds = false;
    scope.outermost = true;
    position();
    const size_t before = problems.size();
    block(fn.body, scope, {});
    if (problems.size() == before && fn.role == Role::kernel) graph();
}

void Checker::position() {
    if (fn.role == Role::kernel && fn.graph != GraphPosition()) report({}, "a kernel cannot have a graph position");
    if (fn.role != Role::kernel && !fn.subgraphs.empty()) report({}, "a task cannot have subgraphs");
    if (fn.graph.section >= 0 && fn.graph.region < 0) report({}, "a section must be in a region");
    if (fn.range_at == Function::none) return;
    if (fn.role != Role::range_task) report({}, "only a range task can have a range in the tmp buffer");
    if (fn.range_at % 8 != 0 || fn.tmp_bytes < 16 || fn.range_at > fn.tmp_bytes - 16)
        report({}, "the range is outside the tmp buffer");
}

/// Checks the graph_begin `mark`. `open`: the enclosing subgraphs, outermost first.
void Checker::begin(Value mark, const std::vector<uint32_t> &open) {
    using Kind = Subgraph::Kind;
    const Subgraph &own = fn.subgraphs[fn[mark].imm];
    const auto stands_in = [&](Kind kind) {
        return std::any_of(open.begin(), open.end(), [&](uint32_t i) { return fn.subgraphs[i].kind == kind; });
    };
    const bool in_region = !open.empty() && fn.subgraphs[open.back()].kind == Kind::region;
    switch (own.kind) {
    case Kind::do_while:
        if (stands_in(Kind::region)) report(mark, "a region cannot contain a do_while");
        break;
    case Kind::checkpoint:
        if (stands_in(Kind::region)) report(mark, "a region cannot contain a checkpoint");
        if (stands_in(Kind::checkpoint)) report(mark, "checkpoints cannot be nested");
        break;
    case Kind::region:
        if (stands_in(Kind::region)) report(mark, "regions cannot be nested");
        if (stands_in(Kind::checkpoint)) report(mark, "a checkpoint cannot contain a region");
        break;
    case Kind::section:
        if (!in_region) report(mark, "a section must be directly in a region");
        break;
    }
    const bool has_flag = own.flag != Subgraph::no_flag;
    if (own.kind == Kind::do_while && !has_flag) report(mark, "a do_while must have a flag");
    if ((own.kind == Kind::region || own.kind == Kind::section) && has_flag)
        report(mark, "a region or section cannot have a flag");
    if (!has_flag) return;
    const Type type = own.flag < fn.params.size() ? fn.type(fn.params[own.flag]) : Type();
    if (!type.is_array() || type.elem != Scalar::i32) report(mark, "the flag must be an i32 array parameter");
}

void Checker::graph() {
    std::vector<uint32_t> open;
    std::vector<uint8_t> begun(fn.subgraphs.size());
    Value last;
    for (Value v : fn[fn.body].insts) {
        const Inst &in = fn[v];
        last = v;
        if (in.op == Op::graph_begin) {
            if (begun[in.imm]) report(v, "the subgraph begins twice");
            begun[in.imm] = 1;
            begin(v, open);
            open.push_back(uint32_t(in.imm));
        } else if (in.op == Op::graph_end) {
            if (open.empty() || open.back() != in.imm)
                return report(v, "the end does not match the innermost open subgraph");
            open.pop_back();
        } else if (!open.empty() && fn.subgraphs[open.back()].kind == Subgraph::Kind::region &&
                   info(in.op).effect != Effect::pure) {
            report(v, "a region can contain sections only");
        }
    }
    if (!open.empty()) report(last, "a subgraph has no end");
}

void Checker::block(BlockId b, const Scope &scope, Value owner) {
    if (!b || b.id >= fn.blocks.size()) return report(owner, "a block is missing");
    if (owned[b.id]) return report(owner, "a block has two owners");
    if (scope.nesting > max_nesting) return report(owner, "blocks are nested too deeply");
    owned[b.id] = 1;
    const Block &block = fn[b];
    for (Value p : block.params) {
        define(owner, p, Op::param);
        Type t = type(p);
        if (!t.is_scalar() && !t.is_pointer()) report(p, "a block parameter must be a scalar or a pointer");
    }
    if (block.insts.empty()) report(owner, "a block is empty; it needs a terminator");
    for (size_t i = 0; i < block.insts.size(); ++i) instruction(block.insts[i], scope, i + 1 == block.insts.size());
    for (Value p : block.params)
        if (known(p)) visible[p.id] = 0;
    for (Value v : block.insts) {
        if (!known(v)) continue;
        visible[v.id] = 0;
        if (list_ok(fn[v].results))
            for (Value r : fn.results(v))
                if (known(r)) visible[r.id] = 0;
    }
}

void Checker::instruction(Value v, const Scope &scope, bool last) {
    if (!known(v)) return report(scope.owner, "a block lists an instruction that does not exist");
    const Inst &in = fn[v];
    if (int(in.op) >= op_count) return report(v, "unknown op");
    if (placed[v.id]) return report(v, "the instruction is listed in two places");
    placed[v.id] = 1;
    if (!list_ok(in.args) || !list_ok(in.results)) return report(v, "the list of operands or results is out of range");
    if (info(in.op).effect == Effect::meta) return report(v, "params and results cannot be listed in a block");
    size_t before = problems.size();
    operands(v);
    if (problems.size() == before) verify_types(fn, v, problems);
    if (problems.size() == before) control(v, scope);
    if (is_terminator(in.op)) {
        if (!last) report(v, "no instruction may follow a terminator");
        if (problems.size() == before) terminator_of(v, scope);
    } else if (last) {
        report(v, "the block does not end with a terminator");
    }
    children(v, scope);
    visible[v.id] = 1;
    for (size_t i = 0; i < in.results.size; ++i) {
        Value r = fn.results(v)[i];
        define(v, r, Op::result);
        if (!known(r)) continue;
        if (fn[r].imm != i || fn[r].args.size != 1 || !list_ok(fn[r].args) || fn.args(r)[0] != v)
            report(v, "a result does not refer to its instruction");
        if (!type(r).is_scalar() && !type(r).is_pointer()) report(v, "a result must be a scalar or a pointer");
    }
}

void Checker::operands(Value v) {
    const Inst &in = fn[v];
    for (Value a : fn.args(v)) {
        if (!known(a))
            report(v, "an operand does not exist");
        else if (!visible[a.id])
            report(v, placed[a.id] ? "an operand is not visible here" : "an operand is not defined before this line");
        else if (fn.type(a).kind == Kind::none)
            report(v, "an operand has no value");
    }
    if (info(in.op).effect != Effect::control && in.results.size)
        report(v, "only if, for and loop can have several results");
    for (BlockId b : in.blocks)
        if (b && info(in.op).effect != Effect::control) report(v, "the instruction cannot own a block");
}

void Checker::expect_types(Value at, std::span<const Value> values, std::span<const Type> types, const char *what) {
    if (values.size() != types.size())
        return report(at, std::string(what) + ": " + std::to_string(types.size()) + " expected, " +
                              std::to_string(values.size()) + " given");
    for (size_t i = 0; i < values.size(); ++i)
        if (type(values[i]) != types[i])
            report(at, std::string(what) + " " + std::to_string(i) + " must be " + to_string(types[i]) + ", not " +
                           to_string(type(values[i])));
}

/// Checks parameters and results of a for or loop against its initial values.
void Checker::loop_shape(Value v, size_t indices, size_t first_init, Type index_type) {
    const Inst &in = fn[v];
    if (!in.blocks[0] || in.blocks[0].id >= fn.blocks.size()) return; // reported by children()
    std::vector<Type> types(indices, index_type);
    for (Value a : fn.args(v).subspan(first_init)) types.push_back(type(a));
    expect_types(v, fn[in.blocks[0]].params, types, "block parameter");
    types.erase(types.begin(), types.begin() + ptrdiff_t(indices));
    expect_types(v, fn.results(v), types, "result");
}

/// Checks the position of the instruction, its blocks and its results.
void Checker::control(Value v, const Scope &scope) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    if (in.op == Op::chunk_begin || in.op == Op::chunk_end || in.op == Op::chunk_step) {
        if (fn.role != Role::range_task || scope.in_bounds)
            report(v, "the instruction is allowed in the body of a range task only");
        return;
    }
    if (in.op == Op::shared) {
        if (fn.role == Role::kernel && !scope.in_parallel)
            report(v, "the instruction is allowed in a parallel loop of a kernel only");
        return;
    }
    if (family(in.op) == Family::group) {
        const bool is_thread =
            fn.role == Role::kernel ? scope.in_threads : fn.role == Role::range_task && !scope.in_bounds;
        if (!is_thread)
            report(v,
                   "the instruction is allowed in parallel loops only, and not in serialised ones or those over cells");
        return;
    }
    if (is_graph_mark(in.op)) {
        if (fn.role != Role::kernel || !scope.outermost)
            report(v, "the instruction is allowed at the outermost level of a kernel only");
        return;
    }
    if (is_terminator(in.op) && in.results.size) report(v, "a terminator cannot have results");
    if (!owns_block(in.op)) return;
    switch (ControlOp(in.op)) {
    case ControlOp::if_:
        for (BlockId b : in.blocks)
            if (b && b.id < fn.blocks.size() && !fn[b].params.empty())
                report(v, "the blocks of an if cannot have parameters");
        return;
    case ControlOp::for_: return loop_shape(v, 1, 2, type(args[0]));
    case ControlOp::loop: return loop_shape(v, 0, 0, {});
    case ControlOp::parallel:
        if (!scope.outermost) report(v, "a parallel loop is allowed at the outermost level only");
        if (fn.loops[in.imm].cells) {
            if (args.size() != 2 || fn[args[1]].op != Op::list)
                return report(v, "a loop over cells must run from 0 to the length of a list");
            return loop_shape(v, fn.places[place_of(fn[args[1]])].shape.size(), args.size(), Scalar::i32);
        }
        return loop_shape(v, args.size() / 2, args.size(), Scalar::i32);
    }
}

void Checker::children(Value v, const Scope &scope) {
    const Inst &in = fn[v];
    Scope inner = scope;
    inner.owner = v;
    inner.outermost = false;
    inner.in_parallel |= in.op == Op::parallel;
    if (in.op == Op::parallel && in.imm < fn.loops.size())
        inner.in_threads |= !fn.loops[in.imm].serialize && !fn.loops[in.imm].cells;
    ++inner.nesting;
    if (in.op == Op::if_) {
        inner.kind = Scope::Kind::branch;
        block(in.blocks[0], inner, v);
        block(in.blocks[1], inner, v);
        return;
    }
    if (owns_block(in.op)) {
        inner.kind = in.op == Op::for_   ? Scope::Kind::for_body
                     : in.op == Op::loop ? Scope::Kind::loop_body
                                         : Scope::Kind::parallel_body;
        inner.innermost = in.op == Op::parallel ? Value{} : v;
        block(in.blocks[0], inner, v);
        if (in.blocks[1]) report(v, "a loop must own exactly one block");
    } else if (in.blocks[0] || in.blocks[1]) {
        report(v, "the instruction cannot own a block");
    }
}

void Checker::terminator_of(Value v, const Scope &scope) {
    std::span<const Value> args = fn.args(v);
    static constexpr Type two_i64[] = {Scalar::i64, Scalar::i64};
    switch (TerminatorOp(fn[v].op)) {
    case TerminatorOp::ret:
        if (scope.kind != Scope::Kind::body) return report(v, "ret is allowed at the end of the function body only");
        return expect_types(v, args, fn.returns, "returned value");
    case TerminatorOp::exit:
        if (scope.in_bounds) report(v, "the bounds block must yield lo and hi");
        return;
    case TerminatorOp::break_:
    case TerminatorOp::continue_:
        if (!scope.innermost) return report(v, "break and continue are allowed inside for and loop only");
        return expect_types(v, args, result_types(scope.innermost), "value");
    case TerminatorOp::yield: break;
    }
    switch (scope.kind) {
    case Scope::Kind::body: return report(v, "the body must end with ret");
    case Scope::Kind::bounds: return expect_types(v, args, two_i64, "bound");
    case Scope::Kind::branch:
    case Scope::Kind::for_body:
    case Scope::Kind::loop_body:
    case Scope::Kind::parallel_body: return expect_types(v, args, result_types(scope.owner), "yielded value");
    }
}

} // namespace

std::vector<Problem> verify(const Function &fn) {
    if (fn.insts.empty() || fn.blocks.empty()) return {{{}, "the first entry of each table must be unused"}};
    Checker c{fn, {}};
    c.function();
    return std::move(c.problems);
}

std::string explain(const Function &fn, const std::vector<Problem> &problems) {
    std::vector<uint8_t> shown(problems.size());
    auto show = [&](Value v, int depth, std::string &out) {
        for (size_t i = 0; i < problems.size(); ++i) {
            if (shown[i] || problems[i].at != v) continue;
            shown[i] = 1;
            out += std::string(size_t(depth) * 4, ' ') + "; ^ error: " + problems[i].message + "\n";
        }
    };
    std::string text = print_with(fn, {}, [&](Value v, int depth, std::string &out) {
        show(v, depth, out);
        if (!v)
            for (Value p : fn.params) show(p, depth, out);
        if (!v || v.id >= fn.insts.size()) return;
        for (Value r : fn.results(v)) show(r, depth, out);
        BlockId body = fn[v].blocks[0];
        if (body && body.id < fn.blocks.size())
            for (Value p : fn[body].params) show(p, depth, out);
    });
    for (size_t i = 0; i < problems.size(); ++i)
        if (!shown[i]) text += "; error at %" + std::to_string(problems[i].at.id) + ": " + problems[i].message + "\n";
    return text;
}

} // namespace qd::ir
