// Statements, branches, `while`, `break`, `continue`, `return`.
#include "frontend/control.h"

#include "base/stop.h"
#include "frontend/assign.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/compare.h"
#include "frontend/coverage.h"
#include "frontend/expr.h"
#include "frontend/format.h"
#include "frontend/graph.h"
#include "frontend/loops.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/real.h"
#include "frontend/struct_value.h"
#include "frontend/recursion.h"
#include "frontend/scan.h"
#include "frontend/scope.h"
#include "frontend/size.h"
#include "frontend/static.h"
#include "frontend/suggest.h"
#include "frontend/types.h"

#include <algorithm>

namespace qd::frontend {

static Flow with_(Walk &w, const Node *node);
static void check_stream_parallel(Walk &w, const Node *node);
static Flow expression(Walk &w, const Node *node);
static Flow if_(Walk &w, const Node *node);
static Flow while_(Walk &w, const Node *node);
static Flow break_or_continue(Walk &w, const Node *node, bool is_break);
static Flow return_(Walk &w, const Node *node);

namespace {

/// The literal None.
bool is_none(const Node *expression) {
    return expression->kind == NodeKind::Constant && constant_of(expression) == Py_None;
}

} // namespace

Flow block(Walk &w, Items statements, size_t from, size_t to) {
    Flow flow = Flow::next;
    for (size_t i = from; i < std::min(to, statements.size()) && flow == Flow::next; ++i) {
        if (!w.graphs.opens_checkpoint(statements[i])) w.coverage.cover_line(statements[i]);
        flow = statement(w, statements[i]);
    }
    return flow;
}

void break_when(Walk &w, bool value, ir::Value test) {
    const ir::Value branch = w.b.if_(test);
    const ir::BlockId body = w.b.block;
    for (const bool taken : {true, false}) {
        w.b.block = w.fn[branch].blocks[taken ? 0 : 1];
        if (taken == value) {
            w.b.break_();
        } else {
            w.b.yield();
        }
    }
    w.b.block = body;
}

static Flow statement_kind(Walk &w, const Node *node);

Flow statement(Walk &w, const Node *node) {
    poll_stop();
    AtNode at(w, node);
    w.check_depth();
    const Flow flow = statement_kind(w, node);
    check_size(w, node);
    return flow;
}

static Flow statement_kind(Walk &w, const Node *node) {
    using Kind = StatementKind;
    switch (Kind(node->kind)) {
    case Kind::Assign: return assign(w, node);
    case Kind::AnnAssign: return annotated_assign(w, node);
    case Kind::AugAssign: return augmented_assign(w, node);
    case Kind::For: {
        return w.graphs.loop(node, [&] {
            const Flow flow = for_(w, node);
            if (flow == Flow::next) w.coverage.cover(ir::Counter::What::finished, node);
            return flow;
        });
    }
    case Kind::While: return while_(w, node);
    case Kind::If: return if_(w, node);
    case Kind::Break: return break_or_continue(w, node, true);
    case Kind::Continue: return break_or_continue(w, node, false);
    case Kind::Return: return return_(w, node);
    case Kind::Assert: return assert_(w, node);
    case Kind::Expr: return expression(w, node);
    case Kind::Pass: return Flow::next;
    case Kind::With: return with_(w, node);
    }
    if (node->kind == NodeKind::FunctionDef)
        w.fail_syntax(node,
                      std::string("Function definition is not allowed in '") +
                          (w.frames.back().is_kernel ? "qd.kernel" : "qd.func") + "'.",
                      "define it outside with @qd.func");
    fail_unsupported_node(w, node);
}

/// Walks blocks of graphs, and `with qd.stream_parallel():`, whose blocks may run concurrently but run in order here.
static Flow with_(Walk &w, const Node *node) {
    const Names &n = names();
    const Items items = items_of(node, Field::items);
    if (items.size() != 1) w.fail_syntax(node, "'with' in Quadrants kernels only supports a single context manager");
    const Node *vars = child(items[0], Field::optional_vars);
    if (vars) w.fail_syntax(node, "'with ... as ...' is not supported in Quadrants kernels");
    if (child(items[0], Field::context_expr)->kind != NodeKind::Call)
        w.fail_syntax(node, "'with' in Quadrants kernels requires a call expression");
    const Node *call = child(items[0], Field::context_expr);
    const Val callee = eval(w, child(call, Field::func), Use::forwarded);
    const BuiltinRow *row = callee.is_constant() ? w.objects.builtin_of(callee.object()) : nullptr;
    if (PyRef why = callee.is_constant() ? attribute(callee.object(), n._qd_why_not_) : PyRef{};
        why && PyUnicode_Check(why.get()))
        w.fail_syntax(node, text(why.get()));
    if (Graphs::is_block(row)) {
        w.dependencies.use(callee.object());
        return w.graphs.block_of(node, row);
    }
    if (!row || row->handler != &handlers::stream_parallel)
        w.fail_syntax(node, "'with' in Quadrants kernels only supports qd.stream_parallel(), qd.checkpoint(), "
                            "qd.graph.parallel_context(), or qd.graph.parallel()");
    w.dependencies.use(callee.object());
    if (items_of(call, Field::args).size() || items_of(call, Field::keywords).size())
        w.fail_syntax(call, "qd.stream_parallel() takes no arguments");
    check_stream_parallel(w, node);
    Scope scope(w);
    ++w.frames.back().streams;
    const Flow flow = block(w, items_of(node, Field::body));
    --w.frames.back().streams;
    return flow;
}

/// At the top level of a kernel either all statements are such blocks or none is.
static void check_stream_parallel(Walk &w, const Node *node) {
    if (!w.frames.back().is_kernel)
        w.fail_syntax(node, "qd.stream_parallel() can only be used inside @qd.kernel, not @qd.func");
    if (w.request.options.graph) w.fail_syntax(node, "qd.stream_parallel() is not compatible with graph=True");
    const Items body = items_of(w.frames.back().source->tree, Field::body);
    const auto is_docstring = [&](const Node *statement) {
        return statement->kind == NodeKind::Expr && child(statement, Field::value)->kind == NodeKind::Constant;
    };
    if (w.frames.back().streams) w.fail_syntax(node, "Nested stream_parallel blocks are not supported");
    if (std::find(body.begin(), body.end(), node) == body.end()) return;
    for (const Node *statement : body) {
        if (statement->kind != NodeKind::With && !is_docstring(statement))
            w.fail_syntax(statement,
                          "When using qd.stream_parallel(), all top-level statements must be "
                          "`with qd.stream_parallel():` blocks",
                          "move this statement into one of the blocks, or into a kernel of its own");
    }
}

/// Reports a call as a function, which has no meaning.
Val handlers::stream_parallel(Walk &w, const Call &call) {
    w.fail_syntax(call.node, "qd.stream_parallel() is written `with qd.stream_parallel():`");
}

static Flow expression(Walk &w, const Node *node) {
    const Node *inner = child(node, Field::value);
    if (inner->kind != NodeKind::Constant) // docstrings
        eval(w, inner);
    return Flow::next;
}

Nested::Nested(Walk &walk) : w(walk) {
    constexpr int deepest = 180;
    if (w.nesting >= deepest)
        w.fail_here(UserErrorKind::compilation, "Branches and loops are nested too deep",
                    "at most " + std::to_string(deepest) +
                        " levels, funcs included; an `a if c else b` in the else of another one is a level, too, and "
                        "so is an `elif` if a test of its chain binds a name with `:=`");
    ++w.nesting;
}

Flow body_in(Walk &w, ir::BlockId target, const std::function<Flow()> &body) {
    const ir::BlockId outer = w.b.block;
    w.b.block = target;
    Flow flow;
    {
        Scope scope(w);
        const Nested nested(w);
        ++w.frames.back().dynamic;
        flow = body();
        --w.frames.back().dynamic;
    }
    if (flow != Flow::stop) w.b.yield();
    w.b.block = outer;
    return flow;
}

/// The condition of a statement: only `qd.static` chooses at compile time. A number is a run-time condition even if it is known. For any
/// other known value (None, text, a list) only the branch that is taken is walked, but still as run-time control flow.
Choice choice(Walk &w, const Node *node, const Val &test) {
    Choice out;
    std::optional<bool> known;
    if (test.is_constant() && w.objects.kind_of(test.object()) != Kind::matrix)
        known = truth(w, node, test.object());
    else if (test.is_sequence() || test.is_dict())
        known = !test.parts().empty();
    if (test.is_static && !known) fail_static(w, node, test);
    if (test.is_static) {
        out.fixed = known;
    } else if (known && !is_number(test)) {
        out.walked[*known ? 1 : 0] = false;
        out.taken = w.b.constant(ir::Scalar::u1, *known);
    } else {
        out.taken = condition(w, node, test, "if");
    }
    return out;
}

namespace {

/// The `elif` of an `if`: the `if` that is its whole else. Null if there is none.
const Node *elif_of(const Node *node) {
    const Items orelse = items_of(node, Field::orelse);
    return orelse.size() == 1 && orelse[0]->kind == NodeKind::If ? orelse[0] : nullptr;
}

/// The split of a long chain of `elif`: the rest runs after the first part if that sets `pending`, so that branches do not nest as deep as
/// the chain is long.
struct Cut {
    const Node *rest = nullptr;
    ir::Value pending;
    bool is_reached = false;
};

/// The part of a long chain to split off; null if a test in the first part binds names, since the branches after it read them and must be
/// inside.
const Node *rest_of_chain(const Node *node) {
    constexpr int max_nested = 64;
    const Node *first = node;
    for (int length = 0; node && length < max_nested; ++length) node = elif_of(node);
    for (const Node *one = first; node && one != node; one = elif_of(one)) {
        const Node *test = child(one, Field::test);
        if (binds_names({&test, 1})) return nullptr;
    }
    return node;
}

} // namespace

static Flow links_of_if(Walk &w, const Node *node, Cut &cut) {
    const Node *test = child(node, Field::test), *elif = elif_of(node);
    const Items sides[] = {items_of(node, Field::body), items_of(node, Field::orelse)};
    constexpr ir::Counter::What ways[] = {ir::Counter::What::taken, ir::Counter::What::not_taken};
    const Choice chosen = choice(w, test, value(w, test));
    const auto side = [&](int k) {
        w.coverage.cover(ways[k], node);
        if (!chosen.walked[k]) return Flow::next;
        bind_certain(w, test, k == 0);
        if (k == 0 || !elif) return block(w, sides[k]);
        if (elif == cut.rest) {
            const ir::Value yes = w.b.u1(true);
            w.b.store(cut.pending, yes);
            cut.is_reached = true;
            return Flow::next;
        }
        const AtNode at(w, elif);
        w.check_depth();
        w.coverage.cover_line(elif);
        return links_of_if(w, elif, cut);
    };
    if (chosen.fixed) return side(*chosen.fixed ? 0 : 1);
    const ir::Value branch = w.b.if_(chosen.taken);
    if (!w.frames.back().loops.empty()) ++w.frames.back().loops.back().branches;
    for (int k = 0; k < 2; ++k) body_in(w, w.fn[branch].blocks[k], [&] { return side(k); });
    if (!w.frames.back().loops.empty()) --w.frames.back().loops.back().branches;
    return Flow::next;
}

static Flow if_(Walk &w, const Node *node) {
    Cut cut;
    cut.rest = rest_of_chain(node);
    if (!cut.rest) return links_of_if(w, node, cut);
    cut.pending = w.recursion.make_local(ir::Scalar::u1);
    const ir::Value no = w.b.u1(false);
    w.b.store(cut.pending, no);
    const Flow flow = links_of_if(w, node, cut);
    if (!cut.is_reached || flow != Flow::next) return flow;
    const Node *rest[] = {cut.rest};
    const ir::Value pending = w.b.load(cut.pending);
    const ir::Value branch = w.b.if_(pending);
    body_in(w, w.fn[branch].blocks[0], [&] { return block(w, {rest, 1}); });
    body_in(w, w.fn[branch].blocks[1], [] { return Flow::next; });
    return Flow::next;
}

static Flow while_(Walk &w, const Node *node) {
    if (w.graphs.is_level(node)) return w.graphs.level(node);
    if (items_of(node, Field::orelse).size())
        w.fail_syntax(node, "'else' clause for 'while' not supported in Quadrants kernels");
    w.loops.drop_settings();
    ir::Loop settings;
    const ir::Value loop = w.b.loop({}, settings);
    const int returns = returns_so_far(w);
    w.frames.back().loops.push_back({LoopContext::What::serial, 0});
    bool endless = false;
    body_in(w, w.fn[loop].blocks[0], [&] {
        poll(w);
        const Val test = value(w, child(node, Field::test));
        const bool known = test.is_constant() && w.objects.kind_of(test.object()) != Kind::matrix;
        if (known && !truth(w, child(node, Field::test), test.object())) {
            w.b.break_();
            return Flow::stop;
        }
        endless = known;
        if (!known) {
            const ir::Value again = condition(w, child(node, Field::test), test, "while");
            break_when(w, false, again);
            bind_certain(w, child(node, Field::test), true);
        }
        return loop_body(w, node);
    });
    w.frames.back().loops.pop_back();
    leave_if_returned(w, returns);
    w.coverage.cover(endless ? ir::Counter::What::endless : ir::Counter::What::finished, node);
    return Flow::next;
}

/// Leaves the task if the user pressed Stop.
void poll(Walk &w) {
    const ir::Value stop = w.b.emit(ir::Op::poll, {}, ir::Scalar::u1);
    const ir::Value branch = w.b.if_(stop);
    const ir::BlockId body = w.b.block;
    w.b.block = w.fn[branch].blocks[0];
    w.b.exit();
    w.b.block = w.fn[branch].blocks[1];
    w.b.yield();
    w.b.block = body;
}

static Flow break_or_continue(Walk &w, const Node *node, bool is_break) {
    const char *word = is_break ? "break" : "continue";
    const std::vector<LoopContext> &loops = w.frames.back().loops;
    if (loops.empty()) w.fail_syntax(node, std::string("'") + word + "' outside loop");
    const LoopContext &loop = loops.back();
    switch (loop.what) {
    case LoopContext::What::static_:
        if (loop.branches)
            w.fail_syntax(node,
                          std::string("You are trying to `") + word + "` a static `for` loop, but the `" + word +
                              "` statement is inside a non-static `if`.",
                          "make the condition static, or the loop a run-time loop");
        if (is_break) w.coverage.cover(ir::Counter::What::broken, node);
        return is_break ? Flow::break_ : Flow::continue_;
    case LoopContext::What::parallel:
        if (is_break)
            w.fail_syntax(
                node, "Cannot break in the outermost loop",
                "its iterations run in parallel; use qd.loop_config(serialize=True) before the loop, or a flag");
        w.b.break_(); // leaves the loop around the iteration: see parallel_body
        return Flow::stop;
    case LoopContext::What::serial:
        if (is_break) {
            w.coverage.cover(ir::Counter::What::broken, node);
            w.b.break_();
        } else {
            w.b.continue_();
        }
        return Flow::stop;
    }
    return Flow::next;
}

static Flow return_(Walk &w, const Node *node) {
    Frame &frame = w.frames.back();
    if (frame.real) return real_return(w, node);
    const Node *source = child(node, Field::value);
    if (frame.dynamic)
        w.fail_syntax(node, "Return inside non-static if/for is not supported",
                      "assign the result to a variable and return it at the end");
    if (!source || is_none(source)) {
        frame.result = frame.has_return_type ? frame.result : std::optional<Val>(Val{});
        return Flow::return_;
    }
    if (frame.is_kernel && !frame.has_return_type)
        w.fail_syntax(node,
                      "A kernel/function with a return value must be annotated with a return type, e.g. def func() "
                      "-> qd.f32");
    frame.result = value(w, source);
    frame.result->is_static = false;
    frame.result_node = node;
    return Flow::return_;
}

/// Appends the scalars of a struct, depth first.
static void append_scalars(Walk &w, const Val &v, std::vector<ir::Value> &out) {
    if (v.is_structure())
        for (const Val &member : v.structure().members) append_scalars(w, member, out);
    else if (const val::Matrix *m = v.if_matrix())
        out.insert(out.end(), m->comps.begin(), m->comps.end());
    else
        out.push_back(as_is(w, nullptr, v));
}

std::vector<ir::Value> return_values(Walk &w, const Node *node, const Val &result) {
    const std::vector<ReturnType> &types = w.request.returns;
    if (w.frames.back().result_node) node = w.frames.back().result_node;
    AtNode at(w, node);
    std::vector<ir::Value> out;
    if (types.empty()) return out;
    std::vector<Val> items;
    if (types.size() == 1)
        items = {result};
    else
        items = sequence_items(w, node, result).sequence().items;
    if (items.size() != types.size())
        w.fail_syntax(node, "The kernel returns " + std::to_string(items.size()) + " values but is annotated with " +
                                std::to_string(types.size()));
    for (size_t i = 0; i < types.size(); ++i) {
        const ReturnType &type = types[i];
        Val v = w.places.load(items[i]);
        if (type.structure) {
            w.structs.check_returned(node, type.structure, v);
            append_scalars(w, w.structs.convert_struct(node, type.structure, v, "Return"), out);
            continue;
        }
        if (type.element_dim == 0) {
            if (!v.is_scalar() && !is_number(v))
                w.fail_type(node, "Return (type=" + type_text(w, v) + ") cannot be converted into required type " +
                                      ir::to_string(type.elem));
            out.push_back(as(w, node, v, type.elem));
            continue;
        }
        if (v.is_scalar() || is_number(v))
            w.fail_type(node, "Return (type=" + type_text(w, v) + ") cannot be converted into required type " +
                                  (type.element_dim == 1 ? "vector" : "matrix"));
        v = to_matrix(w, node, v);
        const val::Matrix &m = v.matrix();
        if (m.ndim != type.element_dim)
            w.fail_type(node, "Return matrix ndim mismatch, expecting=" + std::to_string(type.element_dim) +
                                  ", got=" + std::to_string(m.ndim));
        if (m.n != type.rows || m.m != type.cols)
            w.fail_type(node, "Return matrix shape mismatch, expecting=(" + std::to_string(type.rows) + ", " +
                                  std::to_string(type.cols) + "), got=(" + std::to_string(m.n) + ", " +
                                  std::to_string(m.m) + ")");
        for (const ir::Value c : m.comps) out.push_back(convert(w, c, type.elem));
    }
    return out;
}

} // namespace qd::frontend
