#include "frontend/graph.h"

#include "frontend/builtins.h"
#include "frontend/coverage.h"
#include "frontend/expr.h"
#include "frontend/loops.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/scope.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace qd::frontend {
namespace {

constexpr const char *outside_loops =
    "must be at the kernel top level or directly nested inside another qd.graph.do_while(); it cannot appear inside a "
    "for-loop or a run-time `if`";

/// Returns `f` for `f(...)` and `x.f(...)`; empty for other nodes.
std::string_view called(const Node *node) {
    if (!node || node->kind != NodeKind::Call) return {};
    const Node *callee = child(node, Field::func);
    PyObject *name = callee->kind == NodeKind::Attribute ? word_of(callee, Field::attr)
                     : callee->kind == NodeKind::Name    ? word_of(callee, Field::id)
                                                         : nullptr;
    Py_ssize_t size = 0;
    const char *data = name ? PyUnicode_AsUTF8AndSize(name, &size) : nullptr;
    return data ? std::string_view(data, size_t(size)) : std::string_view();
}

/// True if a call is spelled like one of qd.graph.<name>, with any prefix, or like the deprecated graph_<name>.
bool calls(const Node *node, std::string_view name) {
    std::string_view word = called(node);
    if (word.starts_with("graph_")) word.remove_prefix(6);
    return word == name;
}

bool is_level_by_spelling(const Node *statement) {
    return statement->kind == NodeKind::While && calls(child(statement, Field::test), "do_while");
}

bool is_with(const Node *statement, std::string_view name) {
    if (statement->kind != NodeKind::With) return false;
    const Items items = items_of(statement, Field::items);
    return std::any_of(items.begin(), items.end(),
                       [&](const Node *item) { return calls(child(item, Field::context_expr), name); });
}

bool is_docstring(const Node *statement) {
    if (statement->kind != NodeKind::Expr) return false;
    const Node *inner = child(statement, Field::value);
    return inner->kind == NodeKind::Constant && PyUnicode_Check(constant_of(inner));
}

/// Returns the text of a name or an attribute path, such as "a.b"; empty for other expressions.
std::string dotted(const Node *node) {
    if (node->kind == NodeKind::Name) return text(word_of(node, Field::id));
    if (node->kind != NodeKind::Attribute) return {};
    const std::string base = dotted(child(node, Field::value));
    return base.empty() ? base : base + "." + text(word_of(node, Field::attr));
}

const Node *root_of(const Node *node) {
    while (node->kind == NodeKind::Attribute) node = child(node, Field::value);
    return node;
}

} // namespace

void Graphs::begin(const Node *tree) {
    if (!w_.request.options.graph) return;
    const Items body = items_of(tree, Field::body);
    bool has_level = false;
    syntax::each_node(tree, [&](const Node *node) { has_level |= is_level_by_spelling(node); });
    if (has_level) check_statements(body, "When a kernel uses qd.graph.do_while(), the kernel body may not contain a ");
    if (w_.request.options.checkpoints && w_.request.mode == autodiff::Mode::none) find_loops(body);
}

/// Collects the `for` loops at the top level of the kernel and of its do_whiles.
void Graphs::find_loops(Items statements) {
    for (const Node *statement : statements) {
        if (statement->kind == NodeKind::For) loops_.insert(statement);
        if (is_level_by_spelling(statement)) find_loops(items_of(statement, Field::body));
    }
}

/// Returns the suggested replacement for a statement that a kernel with do_whiles may not contain.
static std::string instead_of(NodeKind kind) {
    if (kind == NodeKind::While || kind == NodeKind::Assert)
        return "put it into a loop of one iteration, `for _ in range(1):`";
    if (kind == NodeKind::Return) return "write the result into an array or a field";
    if (kind == NodeKind::Pass) return "leave it out";
    const bool leaves = kind == NodeKind::Break || kind == NodeKind::Continue;
    return leaves ? "set the flag to 0: the loop ends after that iteration" : "";
}

/// Checks the top-level statements of a do_while or of a kernel that has one. `message` is the beginning of the error, to which the name of
/// the refused statement is appended.
void Graphs::check_statements(Items statements, const std::string &message) {
    using Kind = StatementKind;
    for (const Node *statement : statements) {
        const auto refuse = [&] {
            w_.fail_syntax(statement, message + kind_name(statement->kind) + " statement", instead_of(statement->kind));
        };
        if (!is_statement(statement->kind)) refuse();
        switch (Kind(statement->kind)) {
        case Kind::For:
        case Kind::Assign:
        case Kind::AugAssign:
        case Kind::AnnAssign:
        case Kind::Expr: break;
        case Kind::If:
            check_statements(items_of(statement, Field::body), message);
            check_statements(items_of(statement, Field::orelse), message);
            break;
        case Kind::While:
            if (!is_level_by_spelling(statement)) refuse();
            check_statements(items_of(statement, Field::body), "a qd.graph.do_while() body may not contain a ");
            break;
        case Kind::With:
            if (is_with(statement, "parallel_context")) break; // checked when it is walked
            check_statements(items_of(statement, Field::body), message);
            break;
        case Kind::Pass:
        case Kind::Break:
        case Kind::Continue:
        case Kind::Return:
        case Kind::Assert: refuse();
        }
    }
}

void Graphs::finish(const Node *tree) {
    const bool has_labels = std::ranges::any_of(names_.checkpoints, [](const auto &own) { return bool(own.label); });
    if (!has_labels || fn_.returns.empty()) return;
    const Node *found = w_.frames.back().result_node;
    w_.fail_syntax(
        found ? found : tree,
        "When a kernel uses qd.checkpoint(), the kernel body may not contain a Return statement with a value: "
        "its calls return a GraphStatus",
        instead_of(NodeKind::Return));
}

bool Graphs::is_level(const Node *loop) {
    const Node *test = child(loop, Field::test);
    if (!calls(test, "do_while")) return false;
    const Val callee = eval(w_, child(test, Field::func), Use::forwarded);
    const BuiltinRow *row = callee.is_constant() ? w_.objects.builtin_of(callee.object()) : nullptr;
    return row && row->handler == &handlers::do_while;
}

Flow Graphs::level(const Node *loop) {
    const Node *call = child(loop, Field::test);
    const Node *callee = child(call, Field::func);
    w_.dependencies.use(eval(w_, callee, Use::forwarded).object());
    warn_if_deprecated(callee);
    if (!w_.request.options.graph) w_.fail_syntax(call, "qd.graph.do_while() requires @qd.kernel(graph=True)");
    if (in_region_) w_.fail_syntax(loop, "qd.graph.do_while() cannot appear inside a qd.graph.parallel() section");
    if (!is_top_level(w_) || inside_loop(w_)) w_.fail_syntax(loop, std::string("qd.graph.do_while() ") + outside_loops);
    if (items_of(loop, Field::orelse).size())
        w_.fail_syntax(loop, "'else' clause for qd.graph.do_while() not supported in Quadrants kernels");
    const Items args = items_of(call, Field::args);
    if (args.size() != 1 || items_of(call, Field::keywords).size())
        w_.fail_syntax(call, "qd.graph.do_while() takes one argument: `while qd.graph.do_while(flag):`");
    const std::string shown = dotted(args[0]);
    const Flag own =
        flag(args[0], "qd.graph.do_while(...) got '" + (shown.empty() ? "an expression" : shown) +
                          "' which does not resolve to an ndarray kernel parameter of '" + kernel_name() + "'");
    check_statements(items_of(loop, Field::body), "a qd.graph.do_while() body may not contain a ");
    w_.loops.drop_settings();
    names_.levels.push_back(own.name);
    const Flow flow = inside(Kind::do_while, own.parameter, [&] {
        Scope scope(w_);
        return loop_body(w_, loop);
    });
    if (flow == Flow::next) w_.coverage.cover(ir::Counter::What::finished, loop);
    return flow;
}

bool Graphs::opens_checkpoint(const Node *statement) const {
    return loops_.contains(statement) || (w_.request.options.checkpoints && is_with(statement, "checkpoint"));
}

bool Graphs::is_block(const BuiltinRow *row) {
    return row && (row->handler == &handlers::checkpoint || row->handler == &handlers::parallel_context ||
                   row->handler == &handlers::parallel);
}

Flow Graphs::block_of(const Node *node, const BuiltinRow *row) {
    const Node *call = child(items_of(node, Field::items)[0], Field::context_expr);
    warn_if_deprecated(child(call, Field::func));
    if (row->handler == &handlers::checkpoint) return checkpoint(node, call);
    return row->handler == &handlers::parallel ? section(node, call) : context(node, call);
}

/// Performs the checks that all blocks share. `name`: the construct as users write it, without `qd.`.
void Graphs::check_block(const Node *node, const char *name) {
    const std::string shown = std::string("qd.") + name + "()";
    if (!w_.frames.back().is_kernel) w_.fail_syntax(node, shown + " can only be used inside @qd.kernel, not @qd.func");
    if (!w_.request.options.graph)
        w_.fail_syntax(node, shown + " requires @qd.kernel(graph=True)" +
                                 (std::string_view(name) == "checkpoint" ? " with checkpoints=True" : ""));
}

Flow Graphs::body_of(const Node *node) {
    Scope scope(w_);
    return block(w_, items_of(node, Field::body));
}

/// Wraps `body` in a subgraph. In kernels for derivatives only do_whiles are wrapped, so that differentiation rejects them.
Flow Graphs::inside(Kind kind, uint32_t flag, const std::function<Flow()> &body) {
    if (w_.request.mode != autodiff::Mode::none && kind != Kind::do_while) return body();
    const uint64_t number = fn_.subgraphs.size();
    fn_.subgraphs.push_back({kind, flag});
    b_.emit(ir::Op::graph_begin, {}, {}, number);
    const Flow flow = body();
    b_.emit(ir::Op::graph_end, {}, {}, number);
    return flow;
}

Flow Graphs::loop(const Node *node, const std::function<Flow()> &walk_loop) {
    if (!loops_.contains(node)) return walk_loop();
    names_.checkpoints.push_back({});
    in_loop_ = true;
    const Flow flow = inside(Kind::checkpoint, ir::Subgraph::no_flag, [&] {
        w_.coverage.cover_line(node);
        return walk_loop();
    });
    in_loop_ = false;
    return flow;
}

// Checkpoints

/// True for an expression without effect: a docstring, or `...`.
static bool is_constant(const Node *statement) {
    return statement->kind == NodeKind::Expr && child(statement, Field::value)->kind == NodeKind::Constant;
}

static std::string parameter_names(const Walk &w) {
    std::string names;
    for (const Param &parameter : w.request.params)
        if (parameter.name != "self") names += (names.empty() ? "" : ", ") + parameter.name;
    return names;
}

/// A line of the current function, without its indentation.
static std::string text_at(const Walk &w, int line) {
    std::istringstream text(w.frames.back().source->text);
    std::string found;
    while (line-- > 0) std::getline(text, found);
    return found.substr(std::min(found.find_first_not_of(" \t"), found.size()));
}

Flow Graphs::checkpoint(const Node *node, const Node *call) {
    check_block(node, "checkpoint");
    if (!w_.request.options.checkpoints)
        w_.fail_syntax(node,
                       "qd.checkpoint() is used in kernel '" + kernel_name() +
                           "', which is not decorated with `checkpoints=True`",
                       "write @qd.kernel(graph=True, checkpoints=True)");
    if (in_checkpoint_)
        w_.fail_syntax(node,
                       "qd.checkpoint() cannot be nested inside another qd.checkpoint(); checkpoints of a kernel are "
                       "flat siblings");
    if (in_loop_)
        w_.fail_syntax(
            node,
            "qd.checkpoint() cannot be nested inside another qd.checkpoint(); a loop of the kernel, also one "
            "over qd.static(...), is a checkpoint by itself",
            "put the loop into the checkpoint");
    if (in_region_) w_.fail_syntax(node, "qd.checkpoint() cannot appear inside a qd.graph.parallel() section");
    if (!is_top_level(w_) || inside_loop(w_)) w_.fail_syntax(node, std::string("qd.checkpoint() ") + outside_loops);

    const std::string usage = "qd.checkpoint() takes two arguments: `qd.checkpoint(cp_id, yield_on=flag)`.";
    const Items args = items_of(call, Field::args);
    constexpr std::string_view names[] = {"cp_id", "yield_on"};
    const Node *given[2] = {nullptr, nullptr};
    if (args.size() > 2)
        w_.fail_syntax(call, "qd.checkpoint() takes at most 2 positional arguments, got " +
                                 std::to_string(args.size()) + ". " + usage);
    std::copy(args.begin(), args.end(), given);
    for (const Node *keyword : items_of(call, Field::keywords)) {
        PyObject *word = word_of(keyword, Field::arg);
        const std::string name = word ? text(word) : "**";
        const auto at = std::find(std::begin(names), std::end(names), name) - std::begin(names);
        if (at == 2)
            w_.fail_syntax(call, "qd.checkpoint() got an unexpected keyword argument `" + name + "`. " + usage);
        if (given[at])
            w_.fail_syntax(call, "qd.checkpoint() got `" + name + "` both positionally and as a keyword. " + usage);
        given[at] = child(keyword, Field::value);
    }
    for (int k = 0; k < 2; ++k)
        if (!given[k])
            w_.fail_syntax(call,
                           "qd.checkpoint() is missing required argument `" + std::string(names[k]) + "`. " + usage);

    PyRef own = label(given[0]);
    for (const GraphNames::Checkpoint &other : names_.checkpoints)
        if (other.label && PyObject_RichCompareBool(other.label.get(), own.get(), Py_EQ) == 1)
            w_.fail_syntax(node, "qd.checkpoint(" + repr(own.get()) +
                                     ") declares a cp_id that is already used by another checkpoint in kernel '" +
                                     kernel_name() + "'. Each cp_id of a kernel is used once.");
    const std::string shown = dotted(given[1]);
    const Flag yields =
        flag(given[1], shown.empty() ? "qd.checkpoint(yield_on=...) must reference a kernel ndarray argument"
                                     : "qd.checkpoint(yield_on=...) got '" + shown +
                                           "' which does not resolve to an ndarray kernel parameter of '" +
                                           kernel_name() + "'. Available parameters: [" + parameter_names(w_) + "].");
    for (const Node *statement : items_of(node, Field::body)) {
        using Kind = StatementKind;
        if (!is_statement(statement->kind) || is_constant(statement)) continue;
        switch (Kind(statement->kind)) {
        case Kind::Assign:
        case Kind::AugAssign:
        case Kind::AnnAssign:
        case Kind::Expr:
        case Kind::Assert:
        case Kind::Return:
            w_.fail_syntax(statement, std::string("qd.checkpoint() body cannot contain a bare top-level ") +
                                          kind_name(statement->kind) + " statement (line " +
                                          std::to_string(statement->at.line + w_.frames.back().source->first_line - 1) +
                                          "). Put it into a loop of one iteration:\n    for _ in range(1):\n        " +
                                          text_at(w_, statement->at.line));
        case Kind::For:
        case Kind::While:
        case Kind::If:
        case Kind::With:
        case Kind::Pass:
        case Kind::Break:
        case Kind::Continue: break;
        }
    }
    names_.checkpoints.push_back({std::move(own), yields.name});
    in_checkpoint_ = true;
    const Flow flow = inside(Kind::checkpoint, yields.parameter, [&] {
        w_.coverage.cover_line(node);
        return body_of(node);
    });
    in_checkpoint_ = false;
    return flow;
}

/// Returns the object denoted by a global name or an attribute path of one; null if there is none.
PyRef Graphs::constant_named(const Node *node) {
    if (node->kind == NodeKind::Name) {
        PyObject *name = word_of(node, Field::id);
        return w_.scopes.find_local(name) ? PyRef() : w_.scopes.find_global(name);
    }
    if (node->kind != NodeKind::Attribute) return {};
    const PyRef base = constant_named(child(node, Field::value));
    if (!base) return {};
    PyObject *name = word_of(node, Field::attr);
    PyRef found = attribute(base.get(), name);
    if (found) w_.dependencies.attribute(base.get(), name, found.get());
    return found;
}

PyRef Graphs::label(const Node *node) {
    PyRef found = node->kind == NodeKind::Constant ? PyRef::borrow(constant_of(node)) : constant_named(node);
    PyErr_Clear();
    if (!found || !PyLong_Check(found.get()) || PyBool_Check(found.get()))
        w_.fail_syntax(node, "qd.checkpoint() first argument must be an int literal or an IntEnum value",
                       node->kind == NodeKind::UnaryOp
                           ? "give a negative number a name outside the kernel, `LAST = -1`, or a member of an IntEnum"
                           : "name checkpoints with numbers, ints outside of the kernel, or members of an IntEnum");
    return found;
}

/// Returns the parameter that an expression names as a flag; `refusal` is the error message for all other expressions.
Graphs::Flag Graphs::flag(const Node *node, const std::string &refusal) {
    const Node *root = root_of(node);
    Val found;
    if (root->kind == NodeKind::Name && w_.scopes.find_local(word_of(root, Field::id))) {
        try {
            found = eval(w_, node, Use::forwarded);
        } catch (const LoweringError &) { // there is no such attribute
        }
    }
    if (!found.is_array() || w_.parameters.array(found.array().parameter).is_view)
        w_.fail_syntax(node, refusal,
                       "a flag is a parameter with one element: `flag: qd.types.ndarray(qd.i32, ndim=0)`, given "
                       "qd.ndarray(qd.i32, ())");
    const val::Array &array = found.array();
    if (array.elem != ir::Scalar::i32 || array.n * array.m != 1)
        w_.fail_syntax(node, refusal + ": a flag has one element of type i32", "create it with qd.ndarray(qd.i32, ())");
    const auto at = std::ranges::find(fn_.params, array.parameter);
    QD_CHECK(at != fn_.params.end(), "a flag that is no parameter");

    std::string name = w_.parameters.array(array.parameter).name;
    const std::string owner = name.substr(0, name.find('.'));
    const bool in_dataclass =
        owner.size() < name.size() &&
        std::ranges::any_of(
            w_.request.params, [&](const Param &p) { return p.name == owner && p.kind == ParamKind::bundle; });
    if (in_dataclass) { // the name that programs see for a member of a dataclass
        name = "__qd_" + name;
        for (size_t dot; (dot = name.find('.')) != std::string::npos;) name.replace(dot, 1, "__qd_");
    }
    return {uint32_t(at - fn_.params.begin()), std::move(name)};
}

// Regions

Flow Graphs::context(const Node *node, const Node *call) {
    check_block(node, "graph.parallel_context");
    if (items_of(call, Field::args).size() || items_of(call, Field::keywords).size())
        w_.fail_syntax(call, "qd.graph.parallel_context() takes no arguments");
    if (w_.request.options.checkpoints)
        w_.fail_syntax(node, "qd.graph.parallel_context() is not supported in a kernel with checkpoints=True");
    if (in_region_) w_.fail_syntax(node, "qd.graph.parallel_context() regions cannot be nested");
    if (!is_top_level(w_) || inside_loop(w_))
        w_.fail_syntax(node, std::string("qd.graph.parallel_context() ") + outside_loops);
    check_region(items_of(node, Field::body));
    region_at_ = fn_[b_.block].insts.size();
    in_region_ = true;
    const Flow flow = inside(Kind::region, ir::Subgraph::no_flag, [&] { return body_of(node); });
    in_region_ = false;
    return flow;
}

void Graphs::check_region(Items statements) {
    for (const Node *statement : statements) {
        const NodeKind kind = statement->kind;
        if (kind == NodeKind::Pass || is_docstring(statement)) continue;
        if (is_with(statement, "parallel_context"))
            w_.fail_syntax(statement, "qd.graph.parallel_context() regions cannot be nested");
        if (is_with(statement, "parallel")) {
            for (const Node *inner : items_of(statement, Field::body)) check_section(inner);
            continue;
        }
        if (kind == NodeKind::If && called(child(statement, Field::test)) == "static") {
            check_region(items_of(statement, Field::body));
            check_region(items_of(statement, Field::orelse));
            continue;
        }
        if (kind == NodeKind::For && called(child(statement, Field::iter)) == "static") {
            check_region(items_of(statement, Field::body));
            continue;
        }
        w_.fail_syntax(statement,
                       "A qd.graph.parallel_context() region may contain only 'with qd.graph.parallel():' blocks");
    }
}

void Graphs::check_section(const Node *node) {
    syntax::each_node(node, [&](const Node *below) {
        if (below->kind == NodeKind::While && is_level_by_spelling(below))
            w_.fail_syntax(below, "qd.graph.do_while() cannot appear inside a qd.graph.parallel() section");
        if (below->kind != NodeKind::With) return;
        if (is_with(below, "checkpoint"))
            w_.fail_syntax(below, "qd.checkpoint() cannot appear inside a qd.graph.parallel() section");
        if (is_with(below, "parallel_context"))
            w_.fail_syntax(below, "qd.graph.parallel_context() regions cannot be nested");
        if (is_with(below, "parallel"))
            w_.fail_syntax(below, "qd.graph.parallel() sections cannot be nested inside one another");
    });
}

Flow Graphs::section(const Node *node, const Node *call) {
    check_block(node, "graph.parallel");
    if (items_of(call, Field::args).size() || items_of(call, Field::keywords).size())
        w_.fail_syntax(call, "qd.graph.parallel() takes no arguments");
    if (in_section_) w_.fail_syntax(node, "qd.graph.parallel() sections cannot be nested inside one another");
    if (!in_region_)
        w_.fail_syntax(node, "qd.graph.parallel() can only be used directly inside a qd.graph.parallel_context()");
    in_section_ = true;
    const Flow flow = inside(Kind::section, ir::Subgraph::no_flag, [&] { return body_of(node); });
    in_section_ = false;
    return flow;
}

void Graphs::warn_if_deprecated(const Node *callee) {
    const NodeKind kind = callee->kind;
    const std::string word = kind == NodeKind::Attribute ? text(word_of(callee, Field::attr))
                             : kind == NodeKind::Name    ? text(word_of(callee, Field::id))
                                                         : std::string();
    if (!word.starts_with("graph_")) return;
    w_.warn(callee, "DeprecationWarning",
            "qd." + word + "() is deprecated and will be removed in a future release; use qd.graph." + word.substr(6) +
                "() instead.");
}

std::string Graphs::kernel_name() const {
    const std::string &name = w_.request.source.name;
    return name.substr(name.rfind('.') + 1);
}

// These names are statements: as plain function calls they are errors.

Val handlers::do_while(Walk &w, const Call &call) {
    w.fail_syntax(call.node, "qd.graph.do_while() is written `while qd.graph.do_while(flag):`");
}
Val handlers::checkpoint(Walk &w, const Call &call) {
    w.fail_syntax(call.node, "qd.checkpoint() is written `with qd.checkpoint(cp_id, yield_on=flag):`");
}
Val handlers::parallel_context(Walk &w, const Call &call) {
    w.fail_syntax(call.node, "qd.graph.parallel_context() is written `with qd.graph.parallel_context():`");
}
Val handlers::parallel(Walk &w, const Call &call) {
    w.fail_syntax(call.node, "qd.graph.parallel() is written `with qd.graph.parallel():`");
}

} // namespace qd::frontend
