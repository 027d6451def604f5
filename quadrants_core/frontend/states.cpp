// Statements and expressions of real funcs that call themselves, cut into states at every call and return. The calls of a statement run
// before the rest of it, in Python's order of evaluation; their results are variables that `eval` finds. An expression that may skip a call
// (`and`, `or`, `a if c else b`) is cut like an `if`, and a comprehension that contains a call is run element by element.
#include "frontend/recursion.h"

#include "frontend/annotations.h"
#include "frontend/call_graph.h"
#include "frontend/compare.h"
#include "frontend/control.h"
#include "frontend/coverage.h"
#include "frontend/expr.h"
#include "frontend/funcs.h"
#include "frontend/loops.h"
#include "frontend/machine.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/real.h"
#include "frontend/scope.h"
#include "frontend/static.h"
#include "frontend/types.h"

namespace qd::frontend {

using ir::Scalar;

// Expressions

/// Emits the calls of a statement or expression.
void Recursion::lower_calls(const Node *tree) {
    w_.check_depth();
    if (!calls_real(w_, tree)) return;
    using Kind = ExpressionKind;
    switch (Kind(tree->kind)) {
    case Kind::BoolOp: keep_value(tree, stored(tree, eval_boolop(w_, tree, true))); return;
    case Kind::IfExp: keep_value(tree, stored(tree, w_.places.load(eval_ifexp(w_, tree, true)))); return;
    case Kind::ListComp:
    case Kind::DictComp: machine_->values[tree] = eval_comprehension(w_, tree, tree->kind, true); return;
    case Kind::Call:
        for (const Node *arg : items_of(tree, Field::args)) lower_calls(arg);
        for (const Node *keyword : items_of(tree, Field::keywords)) lower_calls(child(keyword, Field::value));
        if (bool is_method = false; FuncInfo *info = cut_callee(w_, tree, &is_method))
            info->is_real ? lower_call(tree, *info, is_method) : lower_inline(tree, *info, is_method);
        return;
    case Kind::NamedExpr:
    case Kind::BinOp:
    case Kind::UnaryOp:
    case Kind::Dict:
    case Kind::Set:
    case Kind::SetComp:
    case Kind::GeneratorExp:
    case Kind::Compare:
    case Kind::FormattedValue:
    case Kind::JoinedStr:
    case Kind::Constant:
    case Kind::Attribute:
    case Kind::Subscript:
    case Kind::Starred:
    case Kind::Name:
    case Kind::List:
    case Kind::Tuple:
    case Kind::Slice: break;
    }
    each_child(tree, [&](const Node *node) { lower_calls(node); });
}

/// Variables for the result of a choice between two sides.
Val Recursion::choice_place(const Node *node, const Val &like) {
    if (like.is_element())
        w_.fail_type(node, "A choice between elements of a mesh cannot contain a call of a recursive function",
                     "use an if statement");
    if (like.is_scalar()) return w_.places.scalar_ref(make_local(like.scalar().elem), true);
    if (const val::Matrix *m = like.if_matrix())
        return val::Place{w_.places.make_matrix_variable(m->elem, m->n, m->m, m->ndim)};
    Val out = like;
    for (Val &item : out.parts()) item = choice_place(node, item);
    return out;
}

void Recursion::store_choice(const Node *node, const Val &place, const Val &v) {
    for (size_t k = 0; k < v.parts().size(); ++k) store_choice(node, place.parts()[k], v.parts()[k]);
    if (place.is_ref()) w_.places.store(node, *place.ref(), v);
}

/// A choice between two values, each computed in states of its own.
Val Recursion::lower_choice(const Node *node, ir::Value test, const std::function<Val()> &yes,
                            const std::function<Val()> &no) {
    const int states[] = {new_state(), new_state()}, after = new_state();
    branch_to(test, states[0], states[1]);
    Arm arms[2];
    ++w_.frames.back().dynamic;
    for (int k = 0; k < 2; ++k) {
        begin_state(states[k]);
        arms[k] = walk_arm(w_, node, k == 0 ? yes : no);
    }
    --w_.frames.back().dynamic;
    const Val out = choice_place(node, chosen_type(w_, node, arms[0].value, arms[1].value));
    const std::vector<ArmName> names = names_of_arms(w_, node, arms);
    std::vector<Val> places;
    for (const ArmName &name : names) places.push_back(choice_place(node, name.like));
    for (int k = 0; k < 2; ++k) {
        b_.block = arms[k].end;
        store_choice(node, out, arms[k].value);
        for (size_t i = 0; i < names.size(); ++i)
            if (names[i].sides[k]) store_choice(node, places[i], *names[i].sides[k]);
        jump(after);
    }
    begin_state(after);
    for (size_t i = 0; i < names.size(); ++i) w_.scopes.bind_from_arm(names[i].name, places[i], names[i].maybe);
    return out;
}

/// Stores a value in a variable, so that it outlives the current state.
Val Recursion::stored(const Node *node, const Val &v) {
    return !v.is_constant() && w_.places.storable(v) ? w_.places.new_variable(node, v) : v;
}

std::vector<Val> Recursion::stored_items(const Node *node, std::vector<Val> items) {
    for (Val &item : items) item = stored(node, item);
    w_.scopes.bind(w_.objects.intern("for: items"), tuple_of(items));
    return items;
}

// Statements

/// True if a statement must be cut into states.
bool Recursion::needs_states(const Node *statement) {
    bool needs = false;
    visit_tree(statement, [&](const Node *node) {
        needs = needs || node->kind == NodeKind::Return || cut_callee(w_, node);
        return !needs;
    });
    if (needs || machine_->loops.empty()) return needs;
    visit_tree(statement, [&](const Node *node) { // true for one that leaves a loop that is cut
        const NodeKind kind = node->kind;
        needs = needs || kind == NodeKind::Break || kind == NodeKind::Continue;
        return !needs && kind != NodeKind::For && kind != NodeKind::While;
    });
    return needs;
}

/// Emits a block, cut into states; true if the code after it is reached.
bool Recursion::lower_block(Items list) {
    for (const Node *statement : Items(list)) {
        w_.coverage.cover_line(statement);
        AtNode at(w_, statement);
        if (!needs_states(statement)) {
            machine_->left = frontend::statement(w_, statement);
            if (machine_->left != Flow::next) return false;
            continue;
        }
        machine_->left = Flow::stop;
        const bool goes_on = lower_statement(statement);
        machine_->values.clear();
        if (!goes_on) return false;
    }
    return true;
}

bool Recursion::lower_statement(const Node *node) {
    using Kind = StatementKind;
    switch (Kind(node->kind)) {
    case Kind::Return:
        if (&w_.frames.back() != machine_->frame) { // return of an inlined func
            if (const Node *source = child(node, Field::value)) lower_calls(source);
            statement(w_, node);
            return false;
        }
        lower_return(child(node, Field::value));
        return false;
    case Kind::Break:
    case Kind::Continue: {
        if (node->kind == NodeKind::Break) w_.coverage.cover(ir::Counter::What::broken, node);
        const auto &[next, end] = machine_->loops.back();
        jump(node->kind == NodeKind::Break ? end : next);
        return false;
    }
    case Kind::If: return lower_if(node);
    case Kind::While: lower_while(node); return true;
    case Kind::For: return lower_for(node);
    case Kind::Assign:
    case Kind::AugAssign:
    case Kind::AnnAssign:
    case Kind::Expr:
        lower_calls(node);
        statement(w_, node);
        return true;
    case Kind::With:
    case Kind::Assert:
    case Kind::Pass: break;
    }
    w_.fail_syntax(node, "A recursive function cannot be called in this statement",
                   "assign its result to a variable first");
}

void Recursion::lower_return(const Node *source) {
    MachineFunction &f = *machine_->now;
    if (source) {
        if (source->kind == NodeKind::IfExp && calls_real(w_, source)) { // return a if c else b
            lower_calls(child(source, Field::test));
            const ir::Value test = condition(w_, source, value(w_, child(source, Field::test)), "if");
            const int yes = new_state(), no = new_state();
            branch_to(test, yes, no);
            for (const bool taken : {true, false}) {
                begin_state(taken ? yes : no);
                const Scope scope(w_);
                bind_certain(w_, child(source, Field::test), taken);
                lower_return(child(source, taken ? Field::body : Field::orelse));
            }
            return;
        }
        lower_calls(source);
        const Val v = value(w_, source);
        if (!f.info->returns)
            w_.fail_syntax(
                source, "A kernel/function with a return value must be annotated with a return type, e.g. def func() "
                        "-> qd.f32");
        store_result(w_, source, f.result, converted_result(w_, source, f.info->returns.get(), v));
        ++f.returns;
    }
    const ir::Value back = b_.load(machine_->return_state);
    b_.store(machine_->pc, back);
    b_.yield();
}

bool Recursion::lower_if(const Node *node) {
    lower_calls(child(node, Field::test));
    const Choice chosen = choice(w_, child(node, Field::test), value(w_, child(node, Field::test)));
    const Items sides[] = {items_of(node, Field::body), items_of(node, Field::orelse)};
    constexpr ir::Counter::What ways[] = {ir::Counter::What::taken, ir::Counter::What::not_taken};
    if (chosen.fixed) {
        const int side = *chosen.fixed ? 0 : 1;
        bind_certain(w_, child(node, Field::test), side == 0);
        w_.coverage.cover(ways[side], node);
        return lower_block(sides[side]);
    }
    machine_->values.clear();
    const int states[] = {new_state(), new_state()}, after = new_state();
    branch_to(chosen.taken, states[0], states[1]);
    bool goes_on = false;
    ++w_.frames.back().dynamic;
    std::vector<LoopContext> &around = w_.frames.back().loops;
    if (!around.empty()) ++around.back().branches;
    for (int k = 0; k < 2; ++k) {
        begin_state(states[k]);
        Scope scope(w_);
        bind_certain(w_, child(node, Field::test), k == 0);
        w_.coverage.cover(ways[k], node);
        if (chosen.walked[k] && !lower_block(sides[k])) continue;
        jump(after);
        goes_on = true;
    }
    if (!around.empty()) --around.back().branches;
    --w_.frames.back().dynamic;
    machine_->left = Flow::stop;
    begin_state(after);
    if (!goes_on) b_.yield(); // never reached
    return goes_on;
}

void Recursion::lower_while(const Node *node) {
    const int head = new_state(), body = new_state(), after = new_state();
    jump(head);
    begin_state(head);
    poll(w_);
    lower_calls(child(node, Field::test));
    const Val test = value(w_, child(node, Field::test));
    const bool endless = test.is_constant() && truth(w_, child(node, Field::test), test.object());
    if (test.is_constant()) {
        jump(endless ? body : after);
    } else {
        branch_to(condition(w_, child(node, Field::test), test, "while"), body, after);
    }
    machine_->values.clear();
    begin_state(body);
    machine_->loops.emplace_back(head, after);
    ++w_.frames.back().dynamic;
    {
        Scope scope(w_);
        bind_certain(w_, child(node, Field::test), true);
        w_.coverage.cover_one_line(node);
        if (lower_block(items_of(node, Field::body))) jump(head);
    }
    --w_.frames.back().dynamic;
    machine_->loops.pop_back();
    begin_state(after);
    w_.coverage.cover(endless ? ir::Counter::What::endless : ir::Counter::What::finished, node);
}

bool Recursion::lower_for(const Node *node) {
    const Node *source = child(node, Field::iter), *target = child(node, Field::target);
    lower_calls(source);
    const Val over = loop_source(w_, node);
    check_loop_target(w_, target);
    w_.loops.drop_settings();
    Scope scope(w_);
    if (over.is_static) {
        const auto loops = std::exchange(machine_->loops, {});
        const Flow flow = for_static(w_, node, stored_items(source, static_items(w_, source, over)), [&] {
            w_.coverage.cover_one_line(node);
            return lower_block(items_of(node, Field::body)) ? Flow::next : machine_->left;
        });
        machine_->loops = loops;
        if (flow == Flow::next) w_.coverage.cover(ir::Counter::What::finished, node);
        return flow == Flow::next;
    }
    if (is_of_mesh(w_, over))
        w_.fail_syntax(source, "A recursive function cannot loop over the elements of a mesh if the loop contains a "
                               "recursive call or a return");
    std::optional<uint32_t> cells;
    Nest nest = nest_of(w_, node, *over.loop().source, cells);
    if (cells)
        w_.fail_syntax(source,
                       "A recursive function cannot loop over the cells of a sparse tree if the loop contains a "
                       "recursive call or a return",
                       "loop over `qd.ndrange(...)`");
    if (nest.order.empty())
        for (size_t axis = 0; axis < nest.lower.size(); ++axis) nest.order.push_back(int(axis));
    std::vector<LoopAxis> axes(nest.lower.size());
    const auto keep = [&](ir::Value v) {
        w_.scopes.bind(w_.objects.intern("for: bound"), w_.places.new_variable(node, scalar(w_, v)));
        return w_.scopes.bindings().back().value.ref()->pointer;
    };
    for (size_t axis = 0; axis < axes.size(); ++axis) {
        axes[axis].lower = keep(nest.lower[axis]);
        axes[axis].upper = keep(nest.upper[axis]);
        axes[axis].next = keep(nest.lower[axis]);
    }
    machine_->values.clear();
    const int after = new_state();
    lower_nest(node, nest, axes, 0, after, after);
    begin_state(after);
    w_.coverage.cover(ir::Counter::What::finished, node);
    return true;
}

/// Emits the loops of a nest from `depth` inwards. `out`: the state after this loop; `after`: the state after all of them.
void Recursion::lower_nest(const Node *node, const Nest &nest, const std::vector<LoopAxis> &axes, size_t depth, int out,
                           int after) {
    const LoopAxis &axis = axes[size_t(nest.order[depth])];
    const int head = new_state(), body = new_state(), step = new_state();
    const ir::Value first = b_.load(axis.lower);
    b_.store(axis.next, first);
    jump(head);
    begin_state(head);
    poll(w_);
    const ir::Value i = b_.load(axis.next), last = b_.load(axis.upper);
    branch_to(b_.lt(i, last), body, out);
    begin_state(body);
    if (depth + 1 < axes.size()) {
        lower_nest(node, nest, axes, depth + 1, step, after);
    } else {
        machine_->loops.emplace_back(step, after);
        ++w_.frames.back().dynamic;
        Scope scope(w_);
        std::vector<ir::Value> indices;
        for (const LoopAxis &each : axes) indices.push_back(b_.load(each.next));
        const size_t bound = w_.scopes.size();
        bind_loop_targets(w_, node, indices, nest);
        for (size_t k = bound; k < w_.scopes.size(); ++k)
            if (!is_place(w_.scopes.bindings()[k].value))
                w_.scopes.bindings()[k].value = w_.places.new_variable(node, w_.scopes.bindings()[k].value);
        w_.coverage.cover_one_line(node);
        if (lower_block(items_of(node, Field::body))) jump(step);
        --w_.frames.back().dynamic;
        machine_->loops.pop_back();
    }
    begin_state(step);
    const ir::Value now = b_.load(axis.next), one = b_.i32(1);
    const ir::Value more = b_.add(now, one);
    b_.store(axis.next, more);
    jump(head);
}

} // namespace qd::frontend
