// Statements and expressions of real funcs that call themselves, cut into states at every call and return. The calls of
// a statement run before the rest of it, in the order Python evaluates them; their results are variables that eval_call
// finds. An expression that may skip a call (`and`, `or`, `a if c else b`) is cut as an `if` is, and a comprehension
// that holds one is run element by element.
#include "frontend/machine.h"

namespace qd::frontend {

using ir::Scalar;

// Expressions

/// Runs the calls of a statement or expression.
void Walker::flat_calls(const Node *tree) {
    check_depth();
    if (!calls_real(tree)) return;
    const NodeKind kind = tree->kind;
    switch (kind) {
    case NodeKind::BoolOp: machine_->values[tree] = flat_boolop(tree, items_of(tree, Field::values), 0); return;
    case NodeKind::IfExp: machine_->values[tree] = flat_ifexp(tree); return;
    case NodeKind::ListComp:
    case NodeKind::DictComp: machine_->values[tree] = eval_comprehension(tree, kind, true); return;
    case NodeKind::Call:
        for (const Node *arg : items_of(tree, Field::args)) flat_calls(arg);
        for (const Node *keyword : items_of(tree, Field::keywords)) flat_calls(child(keyword, Field::value));
        if (FuncInfo *info = cut_callee(tree)) info->is_real ? flat_call(tree, *info) : flat_inline(tree, *info);
        return;
    default: break;
    }
    each_child(tree, [&](const Node *node) { flat_calls(node); });
}

/// Variables for what one of two sides gives.
Val Walker::choice_place(const Node *node, const Val &like) {
    if (like.tag == Tag::element)
        fail_type(node, "A choice between elements of a mesh cannot hold a call of a function that calls itself",
                  "use an if statement");
    if (like.tag == Tag::scalar) return scalar_ref(make_local(like.elem), true);
    Val out = like;
    for (Val &item : out.items) item = choice_place(node, item);
    if (like.tag != Tag::matrix) return out;
    out.tag = Tag::ref;
    out.ref = make_matrix_variable(like.elem, like.n, like.m, like.ndim);
    return out;
}

void Walker::store_choice(const Node *node, const Val &place, const Val &v) {
    for (size_t k = 0; k < v.items.size(); ++k) store_choice(node, place.items[k], v.items[k]);
    if (place.tag == Tag::ref) store(node, *place.ref, v);
}

/// A choice between two values, each computed in states of its own.
Val Walker::flat_choose(const Node *node, ir::Value test, const std::function<Val()> &yes,
                        const std::function<Val()> &no) {
    const int states[] = {new_state(), new_state()}, after = new_state();
    branch_to(test, states[0], states[1]);
    Val sides[2];
    ir::BlockId ends[2];
    ++frames_.back().dynamic;
    for (int k = 0; k < 2; ++k) {
        begin_state(states[k]);
        sides[k] = chosen_value(node, (k == 0 ? yes : no)());
        ends[k] = b_.block;
    }
    --frames_.back().dynamic;
    const Val out = choice_place(node, chosen_type(node, sides[0], sides[1]));
    for (int k = 0; k < 2; ++k) {
        b_.block = ends[k];
        store_choice(node, out, sides[k]);
        jump(after);
    }
    begin_state(after);
    return out;
}

/// values[i] and/or (values[i + 1] and/or ...)
Val Walker::flat_boolop(const Node *node, const Items &values, size_t i) {
    const bool is_and = child(node, Field::op)->kind == NodeKind::And;
    flat_calls(values[i]);
    const Val first = value(values[i]);
    if (i + 1 == values.size()) return first;
    if (first.is_constant() && kind_of(first.object.get()) != Kind::matrix) {
        if (truth(node, first.object.get()) != is_and) return first;
        const Val rest = flat_boolop(node, values, i + 1);
        return decides_type(first) ? with_type_of(node, is_and ? "and" : "or", first, load(rest)) : rest;
    }
    if (first.tag != Tag::scalar || !request_.options.short_circuit) {
        for (size_t k = i + 1; k < values.size(); ++k) flat_calls(values[k]);
        return new_variable(node, boolop_from(node, is_and, values, i));
    }
    const char *word = is_and ? "and" : "or";
    check_integral(node, word, first);
    const Val kept = new_variable(node, first);
    const auto keep = [&] { return load(kept); };
    const auto more = [&] {
        const Val rest = load(flat_boolop(node, values, i + 1));
        if (rest.tag == Tag::scalar || is_number(rest)) check_integral(node, word, rest);
        return rest;
    };
    const ir::Value test = as(node, first, Scalar::u1);
    return is_and ? flat_choose(node, test, more, keep) : flat_choose(node, test, keep, more);
}

Val Walker::flat_ifexp(const Node *node) {
    const auto side = [&](Field field) {
        flat_calls(child(node, field));
        return value(child(node, field));
    };
    const Val test = side(Field::test);
    if (test.is_constant() && kind_of(test.object.get()) != Kind::matrix && !decides_type(test)) {
        const Val v = side(truth(child(node, Field::test), test.object.get()) ? Field::body : Field::orelse);
        return storable(v) ? new_variable(node, v) : v;
    }
    return flat_choose(
        node, condition(node, test, "if"), [&] { return side(Field::body); }, [&] { return side(Field::orelse); });
}

/// Values that outlive the state at hand.
std::vector<Val> Walker::kept_items(const Node *node, std::vector<Val> items) {
    for (Val &item : items)
        if (!item.is_constant() && storable(item)) item = new_variable(node, item);
    Val all;
    all.tag = Tag::tuple;
    all.items = items;
    bind(intern("for: items"), all);
    return items;
}

// Statements

/// Whether a statement must be cut into states.
bool Walker::needs_states(const Node *statement) {
    bool needs = false;
    visit_tree(statement, [&](const Node *node) {
        needs = needs || node->kind == NodeKind::Return || cut_callee(node);
        return !needs;
    });
    if (needs || machine_->loops.empty()) return needs;
    visit_tree(statement, [&](const Node *node) { // leaves a loop that is cut
        const NodeKind kind = node->kind;
        needs = needs || kind == NodeKind::Break || kind == NodeKind::Continue;
        return !needs && kind != NodeKind::For && kind != NodeKind::While;
    });
    return needs;
}

/// Whether the code after it is reached.
bool Walker::flat_block(Items list) {
    for (const Node *statement : Items(list)) {
        cover_line(statement);
        AtNode at(*this, statement);
        if (!needs_states(statement)) {
            machine_->left = this->statement(statement);
            if (machine_->left != Flow::next) return false;
            continue;
        }
        machine_->left = Flow::stop;
        const bool goes_on = flat_statement(statement);
        machine_->values.clear();
        if (!goes_on) return false;
    }
    return true;
}

bool Walker::flat_statement(const Node *node) {
    switch (node->kind) {
    case NodeKind::Return:
        if (&frames_.back() != machine_->frame) { // of a func that is inlined
            if (const Node *source = child(node, Field::value)) flat_calls(source);
            statement(node);
            return false;
        }
        flat_return(child(node, Field::value));
        return false;
    case NodeKind::Break:
    case NodeKind::Continue: {
        if (node->kind == NodeKind::Break) cover(ir::Counter::What::broken, node);
        const auto &[next, end] = machine_->loops.back();
        jump(node->kind == NodeKind::Break ? end : next);
        return false;
    }
    case NodeKind::If: return flat_if(node);
    case NodeKind::While: flat_while(node); return true;
    case NodeKind::For: flat_for(node); return true;
    case NodeKind::Assign:
    case NodeKind::AugAssign:
    case NodeKind::AnnAssign:
    case NodeKind::Expr:
        flat_calls(node);
        statement(node);
        return true;
    default:
        fail_syntax(node, "A call of a function that calls itself cannot stand in this statement",
                    "assign its result to a variable first");
    }
}

void Walker::flat_return(const Node *source) {
    MachineFunction &f = *machine_->now;
    if (source) {
        if (source->kind == NodeKind::IfExp && calls_real(source)) { // return a if c else b
            flat_calls(child(source, Field::test));
            const ir::Value test = condition(source, value(child(source, Field::test)), "if");
            const int yes = new_state(), no = new_state();
            branch_to(test, yes, no);
            begin_state(yes);
            flat_return(child(source, Field::body));
            begin_state(no);
            flat_return(child(source, Field::orelse));
            return;
        }
        flat_calls(source);
        const Val v = value(source);
        if (!f.info->returns)
            fail_syntax(source,
                        "A kernel/function with a return value must be annotated with a return type, e.g. def func() "
                        "-> qd.f32");
        store_result(source, f.result, converted_result(source, f.info->returns.get(), v));
        ++f.returns;
    }
    const ir::Value back = b_.load(machine_->back);
    b_.store(machine_->pc, back);
    b_.yield();
}

bool Walker::flat_if(const Node *node) {
    flat_calls(child(node, Field::test));
    const Choice chosen = choice(child(node, Field::test), value(child(node, Field::test)));
    const Items sides[] = {items_of(node, Field::body), items_of(node, Field::orelse)};
    constexpr ir::Counter::What ways[] = {ir::Counter::What::taken, ir::Counter::What::not_taken};
    if (chosen.fixed) {
        const int side = *chosen.fixed ? 0 : 1;
        cover(ways[side], node);
        return flat_block(sides[side]);
    }
    machine_->values.clear();
    const int states[] = {new_state(), new_state()}, after = new_state();
    branch_to(chosen.taken, states[0], states[1]);
    bool goes_on = false;
    ++frames_.back().dynamic;
    std::vector<LoopContext> &around = frames_.back().loops;
    if (!around.empty()) ++around.back().branches;
    for (int k = 0; k < 2; ++k) {
        begin_state(states[k]);
        Scope scope(*this);
        cover(ways[k], node);
        if (chosen.walked[k] && !flat_block(sides[k])) continue;
        jump(after);
        goes_on = true;
    }
    if (!around.empty()) --around.back().branches;
    --frames_.back().dynamic;
    machine_->left = Flow::stop;
    begin_state(after);
    if (!goes_on) b_.yield(); // never reached
    return goes_on;
}

void Walker::flat_while(const Node *node) {
    const int head = new_state(), body = new_state(), after = new_state();
    jump(head);
    begin_state(head);
    poll();
    flat_calls(child(node, Field::test));
    const Val test = value(child(node, Field::test));
    const bool endless = test.is_constant() && truth(child(node, Field::test), test.object.get());
    if (test.is_constant()) {
        jump(endless ? body : after);
    } else {
        branch_to(condition(child(node, Field::test), test, "while"), body, after);
    }
    machine_->values.clear();
    begin_state(body);
    machine_->loops.emplace_back(head, after);
    ++frames_.back().dynamic;
    {
        Scope scope(*this);
        cover_one_line(node);
        if (flat_block(items_of(node, Field::body))) jump(head);
    }
    --frames_.back().dynamic;
    machine_->loops.pop_back();
    begin_state(after);
    cover(endless ? ir::Counter::What::endless : ir::Counter::What::finished, node);
}

void Walker::flat_for(const Node *node) {
    const Node *source = child(node, Field::iter), *target = child(node, Field::target);
    flat_calls(source);
    const Val over = loop_source(node);
    check_loop_target(target);
    next_loop_.reset();
    Scope scope(*this);
    if (over.is_static) {
        const auto loops = std::exchange(machine_->loops, {});
        frames_.back().loops.push_back({LoopContext::What::static_, 0});
        for (const Val &item : kept_items(source, static_items(source, over))) {
            Scope inner(*this);
            bind_static(target, item);
            covered_line_ = node->at.line;
            cover_one_line(node);
            if (flat_block(items_of(node, Field::body)) || machine_->left == Flow::continue_) continue;
            if (machine_->left == Flow::break_) break;
            begin_state(new_state()); // what follows is never reached
        }
        frames_.back().loops.pop_back();
        machine_->loops = loops;
        cover(ir::Counter::What::finished, node);
        return;
    }
    if (is_of_mesh(over))
        fail_syntax(source, "A function that calls itself cannot loop over elements of a mesh, where the loop holds a "
                            "call or a return");
    std::optional<uint32_t> cells;
    Nest nest = nest_of(node, *over.extra, cells);
    if (cells)
        fail_syntax(source,
                    "A function that calls itself cannot loop over the cells of a sparse tree, where the loop holds a "
                    "call or a return",
                    "loop over `qd.ndrange(...)`");
    if (nest.order.empty())
        for (size_t axis = 0; axis < nest.lower.size(); ++axis) nest.order.push_back(int(axis));
    std::vector<FlatAxis> axes(nest.lower.size());
    const auto keep = [&](ir::Value v) {
        bind(intern("for: bound"), new_variable(node, scalar(v)));
        return bindings_.back().value.ref->pointer;
    };
    for (size_t axis = 0; axis < axes.size(); ++axis) {
        axes[axis].lower = keep(nest.lower[axis]);
        axes[axis].upper = keep(nest.upper[axis]);
        axes[axis].next = keep(nest.lower[axis]);
    }
    machine_->values.clear();
    const int after = new_state();
    flat_nest(node, nest, axes, 0, after, after);
    begin_state(after);
    cover(ir::Counter::What::finished, node);
}

/// The loops of a nest from `depth` inwards. `out`: state when this one is over; `after`: when all are.
void Walker::flat_nest(const Node *node, const Nest &nest, const std::vector<FlatAxis> &axes, size_t depth, int out,
                       int after) {
    const FlatAxis &axis = axes[size_t(nest.order[depth])];
    const int head = new_state(), body = new_state(), step = new_state();
    const ir::Value first = b_.load(axis.lower);
    b_.store(axis.next, first);
    jump(head);
    begin_state(head);
    poll();
    const ir::Value i = b_.load(axis.next), last = b_.load(axis.upper);
    branch_to(b_.lt(i, last), body, out);
    begin_state(body);
    if (depth + 1 < axes.size()) {
        flat_nest(node, nest, axes, depth + 1, step, after);
    } else {
        machine_->loops.emplace_back(step, after);
        ++frames_.back().dynamic;
        Scope scope(*this);
        std::vector<ir::Value> indices;
        for (const FlatAxis &each : axes) indices.push_back(b_.load(each.next));
        const size_t bound = bindings_.size();
        bind_loop_targets(node, indices, nest);
        for (size_t k = bound; k < bindings_.size(); ++k)
            if (!is_place(bindings_[k].value)) bindings_[k].value = new_variable(node, bindings_[k].value);
        cover_one_line(node);
        if (flat_block(items_of(node, Field::body))) jump(step);
        --frames_.back().dynamic;
        machine_->loops.pop_back();
    }
    begin_state(step);
    const ir::Value now = b_.load(axis.next), one = b_.i32(1);
    const ir::Value more = b_.add(now, one);
    b_.store(axis.next, more);
    jump(head);
}

} // namespace qd::frontend
