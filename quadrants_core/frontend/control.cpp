// Statements, branches, `while`, `break`, `continue`, `return`.
#include "frontend/builtins.h"

#include "base/stop.h"

#include <algorithm>

namespace qd::frontend {
namespace {

/// The literal None.
bool is_none(const Node *expression) {
    return expression->kind == NodeKind::Constant && constant_of(expression) == Py_None;
}

} // namespace

Flow Walker::block(Items statements, size_t from, size_t to) {
    Flow flow = Flow::next;
    for (size_t i = from; i < std::min(to, statements.size()) && flow == Flow::next; ++i) {
        cover_line(statements[i]);
        flow = statement(statements[i]);
    }
    return flow;
}

void Walker::break_when(bool value, ir::Value test) {
    const ir::Value branch = b_.if_(test);
    const ir::BlockId body = b_.block;
    for (const bool taken : {true, false}) {
        b_.block = fn_[branch].blocks[taken ? 0 : 1];
        if (taken == value) {
            b_.break_();
        } else {
            b_.yield();
        }
    }
    b_.block = body;
}

Flow Walker::statement(const Node *node) {
    poll_stop();
    AtNode at(*this, node);
    check_depth();
    const NodeKind kind = node->kind;
    switch (kind) {
    case NodeKind::Assign: return assign(node);
    case NodeKind::AnnAssign: return annotated_assign(node);
    case NodeKind::AugAssign: return augmented_assign(node);
    case NodeKind::For: {
        const Flow flow = for_(node);
        if (flow == Flow::next) cover(ir::Counter::What::finished, node);
        return flow;
    }
    case NodeKind::While: return while_(node);
    case NodeKind::If: return if_(node);
    case NodeKind::Break: return break_or_continue(node, true);
    case NodeKind::Continue: return break_or_continue(node, false);
    case NodeKind::Return: return return_(node);
    case NodeKind::Assert: return assert_(node);
    case NodeKind::Expr: return expression(node);
    case NodeKind::Pass: return Flow::next;
    case NodeKind::With: return with_(node);
    case NodeKind::FunctionDef:
        fail_syntax(node,
                    std::string("Function definition is not allowed in '") +
                        (frames_.back().is_kernel ? "qd.kernel" : "qd.func") + "'.",
                    "define it outside with @qd.func");
    default:
        fail_syntax(node, std::string("Unsupported node \"") + kind_name(kind) + "\"",
                    "this statement has no meaning in a kernel; do it in Python, around the call");
    }
}

/// `with qd.stream_parallel():`. The parts of a kernel that may run beside each other; here one after another.
Flow Walker::with_(const Node *node) {
    const Names &n = names();
    const Items items = items_of(node, Field::items);
    if (items.size() != 1) fail_syntax(node, "'with' in Quadrants kernels only supports a single context manager");
    const Node *vars = child(items[0], Field::optional_vars);
    if (vars) fail_syntax(node, "'with ... as ...' is not supported in Quadrants kernels");
    if (child(items[0], Field::context_expr)->kind != NodeKind::Call)
        fail_syntax(node, "'with' in Quadrants kernels requires a call expression");
    const Node *call = child(items[0], Field::context_expr);
    const Val callee = eval_handed_on(child(call, Field::func));
    const BuiltinRow *row = callee.is_constant() ? builtin_of(callee.object.get()) : nullptr;
    if (PyRef why = callee.is_constant() ? attribute(callee.object.get(), n._qd_why_not_) : PyRef{};
        why && PyUnicode_Check(why.get()))
        fail_syntax(node, text(why.get()));
    if (!row || row->handler != &Walker::stream_parallel)
        fail_syntax(node, "'with' in Quadrants kernels only supports qd.stream_parallel(), qd.checkpoint(), "
                          "qd.graph.parallel_context(), or qd.graph.parallel()");
    reads_.use(callee.object.get());
    if (items_of(call, Field::args).size() || items_of(call, Field::keywords).size())
        fail_syntax(call, "qd.stream_parallel() takes no arguments");
    check_stream_parallel(node);
    Scope scope(*this);
    ++frames_.back().streams;
    const Flow flow = block(items_of(node, Field::body));
    --frames_.back().streams;
    return flow;
}

/// At the top level of a kernel either all statements are such blocks, or none is.
void Walker::check_stream_parallel(const Node *node) {
    if (!frames_.back().is_kernel)
        fail_syntax(node, "qd.stream_parallel() can only be used inside @qd.kernel, not in a func");
    const Items body = items_of(frames_.back().source->tree, Field::body);
    const auto is_docstring = [&](const Node *statement) {
        return statement->kind == NodeKind::Expr && child(statement, Field::value)->kind == NodeKind::Constant;
    };
    if (frames_.back().streams) fail_syntax(node, "Nested stream_parallel blocks are not supported");
    if (std::find(body.begin(), body.end(), node) == body.end()) return;
    for (const Node *statement : body) {
        if (statement->kind != NodeKind::With && !is_docstring(statement))
            fail_syntax(statement,
                        "When using qd.stream_parallel(), all top-level statements must be "
                        "`with qd.stream_parallel():` blocks",
                        "move this statement into one of the blocks, or into a kernel of its own");
    }
}

/// Called as a function: it has no meaning of its own.
Val Walker::stream_parallel(const Call &call) {
    fail_syntax(call.node, "qd.stream_parallel() is written `with qd.stream_parallel():`");
}

Flow Walker::expression(const Node *node) {
    const Node *inner = child(node, Field::value);
    if (inner->kind != NodeKind::Constant) // docstrings
        eval(inner);
    return Flow::next;
}

Nested::Nested(Walker &walker) : w(walker) {
    constexpr int deepest = 180;
    if (w.nesting_ >= deepest)
        w.fail_here(UserErrorKind::compilation, "Branches and loops are nested too deep",
                    "at most " + std::to_string(deepest) + " levels, funcs included; an `elif` is a level too");
    ++w.nesting_;
}

Flow Walker::body_in(ir::BlockId target, const std::function<Flow()> &body) {
    const ir::BlockId outer = b_.block;
    b_.block = target;
    Flow flow;
    {
        Scope scope(*this);
        const Nested nested(*this);
        ++frames_.back().dynamic;
        flow = body();
        --frames_.back().dynamic;
    }
    if (flow != Flow::stop) b_.yield();
    b_.block = outer;
    return flow;
}

/// The condition of a statement: `qd.static` alone chooses at compile time. A number is a run-time condition even where
/// it is known. Of anything else (None, text, a list) there is one branch that makes sense, and it alone is walked, as
/// run-time control flow all the same.
Choice Walker::choice(const Node *node, const Val &test) {
    Choice out;
    std::optional<bool> known;
    if (test.is_constant() && kind_of(test.object.get()) != Kind::matrix)
        known = truth(node, test.object.get());
    else if (test.is_sequence() || test.tag == Tag::dict)
        known = !test.items.empty();
    if (test.is_static && !known) fail_static(node, test);
    if (test.is_static) {
        out.fixed = known;
    } else if (known && !is_number(test)) {
        out.walked[*known ? 1 : 0] = false;
        out.taken = b_.constant(ir::Scalar::u1, *known);
    } else {
        out.taken = condition(node, test, "if");
    }
    return out;
}

Flow Walker::if_(const Node *node) {
    const Node *test = child(node, Field::test);
    const Items sides[] = {items_of(node, Field::body), items_of(node, Field::orelse)};
    constexpr ir::Counter::What ways[] = {ir::Counter::What::taken, ir::Counter::What::not_taken};
    const Choice chosen = choice(test, value(test));
    const auto side = [&](int k) {
        cover(ways[k], node);
        return chosen.walked[k] ? block(sides[k]) : Flow::next;
    };
    if (chosen.fixed) return side(*chosen.fixed ? 0 : 1);
    const ir::Value branch = b_.if_(chosen.taken);
    if (!frames_.back().loops.empty()) ++frames_.back().loops.back().branches;
    for (int k = 0; k < 2; ++k) body_in(fn_[branch].blocks[k], [&] { return side(k); });
    if (!frames_.back().loops.empty()) --frames_.back().loops.back().branches;
    return Flow::next;
}

Flow Walker::while_(const Node *node) {
    if (items_of(node, Field::orelse).size())
        fail_syntax(node, "'else' clause for 'while' not supported in Quadrants kernels");
    next_loop_.reset();
    ir::Loop settings;
    const ir::Value loop = b_.loop({}, settings);
    const int returns = returns_so_far();
    frames_.back().loops.push_back({LoopContext::What::serial, 0});
    bool endless = false;
    body_in(fn_[loop].blocks[0], [&] {
        poll();
        const Val test = value(child(node, Field::test));
        const bool known = test.is_constant() && kind_of(test.object.get()) != Kind::matrix;
        if (known && !truth(child(node, Field::test), test.object.get())) {
            b_.break_();
            return Flow::stop;
        }
        endless = known;
        if (!known) {
            const ir::Value again = condition(child(node, Field::test), test, "while");
            break_when(false, again);
        }
        return loop_body(node);
    });
    frames_.back().loops.pop_back();
    leave_if_returned(returns);
    cover(endless ? ir::Counter::What::endless : ir::Counter::What::finished, node);
    return Flow::next;
}

/// Leaves the task if the user pressed Stop.
void Walker::poll() {
    const ir::Value stop = b_.emit(ir::Op::poll, {}, ir::Scalar::u1);
    const ir::Value branch = b_.if_(stop);
    const ir::BlockId body = b_.block;
    b_.block = fn_[branch].blocks[0];
    b_.exit();
    b_.block = fn_[branch].blocks[1];
    b_.yield();
    b_.block = body;
}

Flow Walker::break_or_continue(const Node *node, bool is_break) {
    const char *word = is_break ? "break" : "continue";
    const std::vector<LoopContext> &loops = frames_.back().loops;
    if (loops.empty()) fail_syntax(node, std::string("'") + word + "' outside loop");
    const LoopContext &loop = loops.back();
    switch (loop.what) {
    case LoopContext::What::static_:
        if (loop.branches)
            fail_syntax(node,
                        std::string("You are trying to `") + word + "` a static `for` loop, but the `" + word +
                            "` statement is inside a non-static `if`.",
                        "make the condition static, or the loop a run-time loop");
        if (is_break) cover(ir::Counter::What::broken, node);
        return is_break ? Flow::break_ : Flow::continue_;
    case LoopContext::What::parallel:
        if (is_break)
            fail_syntax(
                node, "Cannot break in the outermost loop",
                "its iterations run in parallel; use qd.loop_config(serialize=True) before the loop, or a flag");
        b_.break_(); // of the loop around the iteration: see parallel_body
        return Flow::stop;
    case LoopContext::What::serial:
        if (is_break) {
            cover(ir::Counter::What::broken, node);
            b_.break_();
        } else {
            b_.continue_();
        }
        return Flow::stop;
    }
    return Flow::next;
}

Flow Walker::return_(const Node *node) {
    Frame &frame = frames_.back();
    if (frame.real) return real_return(node);
    const Node *source = child(node, Field::value);
    if (frame.dynamic)
        fail_syntax(node, "Return inside non-static if/for is not supported",
                    "assign the result to a variable and return it at the end");
    if (!source || is_none(source)) {
        frame.result = frame.has_return_type ? frame.result : std::optional<Val>(Val{});
        return Flow::return_;
    }
    if (frame.is_kernel && !frame.has_return_type)
        fail_syntax(node, "A kernel/function with a return value must be annotated with a return type, e.g. def func() "
                          "-> qd.f32");
    frame.result = value(source);
    frame.result->is_static = false;
    frame.result_node = node;
    return Flow::return_;
}

/// The scalars of a struct, depth first.
void Walker::append_scalars(const Val &v, std::vector<ir::Value> &out) {
    if (v.tag == Tag::record)
        for (const Val &member : v.items) append_scalars(member, out);
    else if (v.tag == Tag::matrix)
        out.insert(out.end(), v.comps.begin(), v.comps.end());
    else
        out.push_back(as_is(nullptr, v));
}

std::vector<ir::Value> Walker::return_values(const Node *node, const Val &result) {
    const std::vector<ReturnType> &types = request_.returns;
    if (frames_.back().result_node) node = frames_.back().result_node;
    AtNode at(*this, node);
    std::vector<ir::Value> out;
    if (types.empty()) return out;
    std::vector<Val> items;
    if (types.size() == 1)
        items = {result};
    else
        items = sequence_items(node, result).items;
    if (items.size() != types.size())
        fail_syntax(node, "The kernel returns " + std::to_string(items.size()) + " values but is annotated with " +
                              std::to_string(types.size()));
    for (size_t i = 0; i < types.size(); ++i) {
        const ReturnType &type = types[i];
        Val v = load(items[i]);
        if (type.structure) {
            check_returned(node, type.structure, v);
            append_scalars(convert_record(node, type.structure, v, "Return"), out);
            continue;
        }
        if (type.element_dim == 0) {
            if (v.tag != Tag::scalar && !is_number(v))
                fail_type(node, "Return (type=" + type_text(v) + ") cannot be converted into required type " +
                                    ir::to_string(type.elem));
            out.push_back(as(node, v, type.elem));
            continue;
        }
        if (v.tag == Tag::scalar || is_number(v))
            fail_type(node, "Return (type=" + type_text(v) + ") cannot be converted into required type " +
                                (type.element_dim == 1 ? "vector" : "matrix"));
        v = to_matrix(node, v);
        if (v.ndim != type.element_dim)
            fail_type(node, "Return matrix ndim mismatch, expecting=" + std::to_string(type.element_dim) +
                                ", got=" + std::to_string(v.ndim));
        if (v.n != type.rows || v.m != type.cols)
            fail_type(node, "Return matrix shape mismatch, expecting=(" + std::to_string(type.rows) + ", " +
                                std::to_string(type.cols) + "), got=(" + std::to_string(v.n) + ", " +
                                std::to_string(v.m) + ")");
        for (const ir::Value c : v.comps) out.push_back(convert(c, type.elem));
    }
    return out;
}

} // namespace qd::frontend
