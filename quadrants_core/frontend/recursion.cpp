// Real funcs that call themselves, directly or through others: all of them become one state machine, a loop whose body
// is a row of `if pc == k: ...`. A statement that holds a call to such a func, or a return, is cut there; any other
// statement stands in its state as it would elsewhere. A call saves the caller's variables on typed stacks, and the
// state after it takes them back. Calls of a statement run before the rest of it, in the order Python evaluates them.
#include "frontend/machine.h"

#include <algorithm>

namespace qd::frontend {

using ir::Scalar;

namespace {

constexpr int deepest = 256; ///< activations
constexpr int done = -1;     ///< state after the outermost return

/// `visit` on every node of a tree, parents first; false from it keeps out of the children.
void visit_tree(PyObject *tree, const std::function<bool(PyObject *)> &visit) {
    if (PyList_Check(tree)) {
        for (PyObject *item : Items(tree)) visit_tree(item, visit);
        return;
    }
    if (node_kind(tree) == Node::unknown || !visit(tree)) return;
    PyRef fields = attribute(tree, names()._fields);
    if (!fields || !PyTuple_Check(fields.get())) return;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i)
        if (PyRef value = attribute(tree, PyTuple_GET_ITEM(fields.get(), i))) visit_tree(value.get(), visit);
}

} // namespace

/// The real func that a call names; null if it names none.
FuncInfo *Walker::real_callee(PyObject *node) {
    if (node_kind(node) != Node::Call) return nullptr;
    PyObject *callee = child(node, names().func);
    if (node_kind(callee) != Node::Name || find_local(child(callee, names().id))) return nullptr;
    PyRef object = find_global(child(callee, names().id));
    if (!object || kind_of(object.get()) != Kind::func) return nullptr;
    FuncInfo &info = func_info(node, object.get());
    return info.is_real ? &info : nullptr;
}

/// Whether calls of `info` can lead back to it.
bool Walker::is_recursive(FuncInfo &info) {
    if (info.recursive) return *info.recursive;
    info.recursive = true;
    std::vector<FuncInfo *> seen, todo{&info};
    while (!todo.empty()) {
        FuncInfo *now = todo.back();
        todo.pop_back();
        Frame frame;
        frame.first_binding = bindings_.size();
        frame.function = now->function.get();
        frame.source = &now->source;
        frames_.push_back(std::move(frame));
        std::vector<FuncInfo *> callees;
        visit_tree(child(now->source.tree, names().body), [&](PyObject *node) {
            if (FuncInfo *callee = real_callee(node)) callees.push_back(callee);
            return true;
        });
        frames_.pop_back();
        for (FuncInfo *callee : callees) {
            if (callee == &info) return true;
            if (std::find(seen.begin(), seen.end(), callee) != seen.end()) continue;
            seen.push_back(callee);
            todo.push_back(callee);
        }
    }
    info.recursive = false;
    return false;
}

/// A variable: at the start of the machine, if one is being made.
ir::Value Walker::make_local(Scalar elem) {
    if (!machine_) return b_.local(elem, 1);
    const ir::BlockId block = std::exchange(b_.block, machine_->entry);
    const size_t at = std::exchange(b_.at, machine_->locals++);
    const ir::Value v = b_.local(elem, 1);
    b_.at = at;
    b_.block = block;
    return v;
}

// States

int Walker::new_state() {
    Machine &m = *machine_;
    const ir::BlockId block = std::exchange(b_.block, m.row);
    const ir::Value pc = b_.load(m.pc);
    const ir::Value k = b_.i32(int(m.states.size()));
    const ir::Value here = b_.eq(pc, k);
    const ir::Value branch = b_.if_(here);
    b_.block = fn_[branch].blocks[1];
    b_.yield();
    b_.block = block;
    m.states.push_back(fn_[branch].blocks[0]);
    return int(m.states.size()) - 1;
}

void Walker::begin_state(int k) { b_.block = machine_->states[size_t(k)]; }

void Walker::jump(int k) {
    const ir::Value to = b_.i32(k);
    b_.store(machine_->pc, to);
    b_.yield();
}

void Walker::branch_to(ir::Value condition, int yes, int no) {
    const ir::Value a = b_.i32(yes), b = b_.i32(no);
    const ir::Value to = b_.select(condition, a, b);
    b_.store(machine_->pc, to);
    b_.yield();
}

// Calls

namespace {

/// Addresses of all scalars of a variable.
void collect_pointers(const Val &v, std::vector<ir::Value> &out) {
    if (v.is_sequence() || v.tag == Tag::record || v.tag == Tag::dict) {
        for (const Val &item : v.items) collect_pointers(item, out);
    } else if (v.tag == Tag::ref && v.ref->local && v.ref->pointer) {
        out.push_back(v.ref->pointer);
    } else if (v.tag == Tag::ref && v.ref->local && v.ref->variable) {
        out.insert(out.end(), v.ref->variable->parts.begin(), v.ref->variable->parts.end());
    }
}

} // namespace

/// Where the `slot`-th scalar of a type lies on the stack of the current activation.
ir::Value Walker::stack_place(Scalar elem, int slot) {
    Machine &m = *machine_;
    Machine::Stack &stack = m.stacks[elem];
    if (!stack.array) {
        const ir::BlockId block = std::exchange(b_.block, m.entry);
        const size_t at = std::exchange(b_.at, m.locals++);
        stack.array = b_.local(elem, deepest);
        b_.at = at;
        b_.block = block;
    }
    if (slot >= stack.slots) {
        stack.slots = slot + 1;
        fn_[stack.array].imm = uint64_t(stack.slots) * deepest;
    }
    const ir::Value depth = b_.load(m.depth);
    const ir::Value first = b_.i32(slot * deepest);
    const ir::Value index = b_.add(depth, first);
    const ir::Value wide = b_.cast(index, Scalar::i64);
    const ir::Value size = b_.i64(ir::size_of(elem));
    const ir::Value bytes = b_.mul(wide, size);
    return b_.offset(stack.array, bytes, elem);
}

/// Variables of the activation that is leaving; every one once.
std::vector<ir::Value> Walker::live_variables() {
    std::vector<ir::Value> all{machine_->back};
    for (size_t i = frames_.back().first_binding; i < bindings_.size(); ++i) collect_pointers(bindings_[i].value, all);
    for (const auto &[node, v] : machine_->values) collect_pointers(v, all);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

MachineFunction &Walker::machine_function(PyObject *node, FuncInfo &info, const std::vector<Val> &args) {
    Machine &m = *machine_;
    for (MachineFunction &f : m.functions) {
        if (f.info != &info) continue;
        for (size_t i = 0; i < args.size(); ++i) {
            const Val &was = f.params[i], &is = args[i];
            const bool same = is_place(was) || (was.tag == is.tag && was.v == is.v && was.node == is.node &&
                                                was.object.get() == is.object.get());
            if (!same)
                fail_type(node,
                          "Argument " + text(info.params[i].name) + " of '" + info.source.name +
                              "', which calls itself, must be passed on unchanged: it is no number, vector or struct");
        }
        return f;
    }
    MachineFunction &f = m.functions.emplace_back();
    f.info = &info;
    f.entry = new_state();
    f.call = b_.span;
    for (size_t i = 0; i < args.size(); ++i) {
        PyObject *annotation = info.params[i].annotation.get();
        const Kind kind = kind_of(annotation);
        if (kind == Kind::ref)
            fail_type(node, "'" + info.source.name + "' calls itself: its parameters cannot be references",
                      "return the new value instead");
        const bool by_value = is_dtype(annotation) || kind == Kind::matrix_type || kind == Kind::struct_type;
        f.params.push_back(by_value ? new_variable(node, zero_member(node, annotation)) : args[i]);
    }
    if (info.returns) f.result = result_place(node, info.returns.get());
    if (std::find(inlined_.begin(), inlined_.end(), info.object) == inlined_.end()) inlined_.push_back(info.object);
    return f;
}

void Walker::flat_call(PyObject *node, FuncInfo &info) {
    Machine &m = *machine_;
    Call call = arguments(node, true);
    AtNode at(*this, node);
    std::vector<Val> args = matched_arguments(node, info, std::move(call));
    for (Val &arg : args) arg = load(std::move(arg));
    MachineFunction &f = machine_function(node, info, args);
    const std::vector<ir::Value> live = live_variables();
    std::map<Scalar, int> used;
    std::vector<std::pair<ir::Value, int>> saved;
    for (const ir::Value pointer : live) {
        const Scalar elem = fn_.type(pointer).elem;
        saved.emplace_back(pointer, used[elem]++);
        const ir::Value v = b_.load(pointer);
        const ir::Value place = stack_place(elem, saved.back().second);
        b_.store(place, v);
    }
    const ir::Value depth = b_.load(m.depth), one = b_.i32(1), most = b_.i32(deepest);
    const ir::Value deeper = b_.add(depth, one);
    const ir::Value fits = b_.lt(deeper, most);
    ir::Message message;
    message.pieces.push_back(
        {"'" + info.source.name + "' calls itself more than " + std::to_string(deepest) + " deep", -1});
    emit_assert(fits, std::move(message), {});
    b_.store(m.depth, deeper);
    for (size_t i = 0; i < args.size(); ++i)
        if (is_place(f.params[i]) && is_local(f.params[i])) store_result(node, f.params[i], args[i]);
    const int after = new_state();
    const ir::Value back = b_.i32(after);
    b_.store(m.back, back);
    jump(f.entry);

    begin_state(after);
    const ir::Value inner = b_.load(m.depth), step = b_.i32(1);
    const ir::Value outer = b_.sub(inner, step);
    b_.store(m.depth, outer);
    for (const auto &[pointer, slot] : saved) {
        const ir::Value place = stack_place(fn_.type(pointer).elem, slot);
        const ir::Value v = b_.load(place);
        b_.store(pointer, v);
    }
    m.values[node] = info.returns ? new_variable(node, loaded_result(f.result)) : Val{};
}

bool Walker::is_local(const Val &v) {
    if (v.tag == Tag::ref) return v.ref->local;
    return std::all_of(v.items.begin(), v.items.end(), is_local);
}

/// Runs the calls of a statement or expression, in the order of evaluation; eval_call then finds their results.
void Walker::flat_calls(PyObject *tree) {
    const Names &n = names();
    if (PyList_Check(tree)) {
        for (PyObject *item : Items(tree)) flat_calls(item);
        return;
    }
    const Node kind = node_kind(tree);
    if (kind == Node::unknown || !calls_real(tree)) return;
    if (kind == Node::IfExp || kind == Node::BoolOp || kind == Node::ListComp || kind == Node::DictComp)
        fail_syntax(tree, "A call of a function that calls itself cannot stand in an expression that may skip it",
                    "use an if statement");
    if (kind == Node::Call) {
        for (PyObject *name : {n.args, n.keywords}) flat_calls(child(tree, name));
        if (FuncInfo *info = real_callee(tree)) flat_call(tree, *info);
        return;
    }
    PyRef fields = attribute(tree, n._fields);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i)
        if (PyRef value = attribute(tree, PyTuple_GET_ITEM(fields.get(), i))) flat_calls(value.get());
}

bool Walker::calls_real(PyObject *tree) {
    bool found = false;
    visit_tree(tree, [&](PyObject *node) {
        found = found || real_callee(node);
        return !found;
    });
    return found;
}

// Statements

/// Whether a statement must be cut into states.
bool Walker::needs_states(PyObject *statement) {
    bool needs = false;
    visit_tree(statement, [&](PyObject *node) {
        needs = needs || node_kind(node) == Node::Return || real_callee(node);
        return !needs;
    });
    if (needs || machine_->loops.empty()) return needs;
    visit_tree(statement, [&](PyObject *node) { // leaves a loop that is cut
        const Node kind = node_kind(node);
        needs = needs || kind == Node::Break || kind == Node::Continue;
        return !needs && kind != Node::For && kind != Node::While;
    });
    return needs;
}

/// Whether the code after it is reached.
bool Walker::flat_block(PyObject *list) {
    for (PyObject *statement : Items(list)) {
        cover_line(statement);
        AtNode at(*this, statement);
        if (!needs_states(statement)) {
            if (this->statement(statement) == Flow::stop) return false;
            continue;
        }
        const bool goes_on = flat_statement(statement);
        machine_->values.clear();
        if (!goes_on) return false;
    }
    return true;
}

bool Walker::flat_statement(PyObject *node) {
    const Names &n = names();
    switch (node_kind(node)) {
    case Node::Return: flat_return(child(node, n.value)); return false;
    case Node::Break:
    case Node::Continue: {
        if (node_kind(node) == Node::Break) cover(ir::Counter::What::broken, node);
        const auto &[next, end] = machine_->loops.back();
        jump(node_kind(node) == Node::Break ? end : next);
        return false;
    }
    case Node::If: return flat_if(node);
    case Node::While: flat_while(node); return true;
    case Node::For: flat_for(node); return true;
    case Node::Assign:
    case Node::AugAssign:
    case Node::AnnAssign:
    case Node::Expr:
        flat_calls(node);
        statement(node);
        return true;
    default:
        fail_syntax(node, "A call of a function that calls itself cannot stand in this statement",
                    "assign its result to a variable first");
    }
}

void Walker::flat_return(PyObject *source) {
    MachineFunction &f = *machine_->now;
    if (source && source != Py_None) {
        if (node_kind(source) == Node::IfExp && calls_real(source)) { // return a if c else b
            const Names &n = names();
            flat_calls(child(source, n.test));
            const ir::Value test = condition(source, value(child(source, n.test)), "if");
            const int yes = new_state(), no = new_state();
            branch_to(test, yes, no);
            begin_state(yes);
            flat_return(child(source, n.body));
            begin_state(no);
            flat_return(child(source, n.orelse));
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

bool Walker::flat_if(PyObject *node) {
    const Names &n = names();
    flat_calls(child(node, n.test));
    const Val test = value(child(node, n.test));
    PyObject *sides[] = {child(node, n.body), child(node, n.orelse)};
    constexpr ir::Counter::What ways[] = {ir::Counter::What::taken, ir::Counter::What::not_taken};
    if (test.is_constant() && kind_of(test.object.get()) != Kind::matrix) {
        const int side = truth(test.object.get()) ? 0 : 1;
        cover(ways[side], node);
        return flat_block(sides[side]);
    }
    const ir::Value taken = condition(child(node, n.test), test, "if");
    machine_->values.clear();
    const int states[] = {new_state(), new_state()}, after = new_state();
    branch_to(taken, states[0], states[1]);
    bool goes_on = false;
    for (int k = 0; k < 2; ++k) {
        begin_state(states[k]);
        Scope scope(*this);
        cover(ways[k], node);
        if (!flat_block(sides[k])) continue;
        jump(after);
        goes_on = true;
    }
    begin_state(after);
    if (!goes_on) b_.yield(); // never reached
    return goes_on;
}

void Walker::flat_while(PyObject *node) {
    const Names &n = names();
    const int head = new_state(), body = new_state(), after = new_state();
    jump(head);
    begin_state(head);
    poll();
    flat_calls(child(node, n.test));
    const Val test = value(child(node, n.test));
    if (test.is_constant()) {
        jump(truth(test.object.get()) ? body : after);
    } else {
        branch_to(condition(child(node, n.test), test, "while"), body, after);
    }
    machine_->values.clear();
    begin_state(body);
    machine_->loops.emplace_back(head, after);
    {
        Scope scope(*this);
        cover_one_line(node);
        if (flat_block(child(node, n.body))) jump(head);
    }
    machine_->loops.pop_back();
    begin_state(after);
    cover(ir::Counter::What::finished, node);
}

void Walker::flat_for(PyObject *node) {
    const Names &n = names();
    PyObject *source = child(node, n.iter), *target = child(node, n.target);
    if (Items(child(node, n.orelse)).size())
        fail_syntax(node, "'else' clause for 'for' not supported in Quadrants kernels");
    flat_calls(source);
    const Val over = eval(source);
    check_loop_target(target);
    if (over.is_static || (over.is_constant() && PyRange_Check(over.object.get()))) {
        for (const Val &item : static_items(source, over)) {
            Scope scope(*this);
            bind_static(target, item);
            const auto loops = std::exchange(machine_->loops, {});
            covered_line_ = child_int(node, n.lineno);
            cover_one_line(node);
            const bool goes_on = flat_block(child(node, n.body));
            machine_->loops = loops;
            if (!goes_on) begin_state(new_state()); // what follows is never reached
        }
        cover(ir::Counter::What::finished, node);
        return;
    }
    if (over.tag != Tag::loop || over.extra->over != Extra::Over::range)
        fail_syntax(
            source,
            "A function that calls itself loops over `range(...)` alone, where the loop holds a call or a return",
            "loop over range(n)");
    Scope scope(*this);
    const ir::Value lower = range_bound(source, over.extra->lower[0]),
                    upper = range_bound(source, over.extra->upper[0]);
    bind(intern("for: next"), new_variable(node, scalar(lower)));
    const Val next = bindings_.back().value;
    bind(intern("for: end"), new_variable(node, scalar(upper)));
    const Val end = bindings_.back().value;
    machine_->values.clear();
    const int head = new_state(), body = new_state(), step = new_state(), after = new_state();
    jump(head);
    begin_state(head);
    poll();
    const ir::Value i = b_.load(next.ref->pointer), last = b_.load(end.ref->pointer);
    branch_to(b_.lt(i, last), body, after);
    begin_state(body);
    machine_->loops.emplace_back(step, after);
    {
        Scope inner(*this);
        const ir::Value index = b_.load(next.ref->pointer);
        bind(child(target, n.id), new_variable(target, scalar(index)));
        cover_one_line(node);
        if (flat_block(child(node, n.body))) jump(step);
    }
    machine_->loops.pop_back();
    begin_state(step);
    const ir::Value now = b_.load(next.ref->pointer), one = b_.i32(1);
    const ir::Value more = b_.add(now, one);
    b_.store(next.ref->pointer, more);
    jump(head);
    begin_state(after);
    cover(ir::Counter::What::finished, node);
}

// The machine

void Walker::machine_body(MachineFunction &f) {
    FuncInfo &info = *f.info;
    enter(info, f.call);
    frames_.back().dynamic = 1;
    machine_->now = &f;
    ++info.depth;
    {
        Scope scope(*this);
        for (size_t i = 0; i < f.params.size(); ++i) bind(info.params[i].name, f.params[i]);
        begin_state(f.entry);
        covered_line_ = 0;
        PyObject *tree = info.source.tree;
        if (flat_block(child(tree, names().body))) flat_return(nullptr);
        if (info.returns && !f.returns)
            fail(tree, UserErrorKind::compilation, "Function has a return type but does not have a return statement");
    }
    --info.depth;
    frames_.pop_back();
}

Val Walker::recursive_call(PyObject *node, FuncInfo &info, const std::vector<Val> &args) {
    if (machine_)
        fail_here(UserErrorKind::compilation,
                  "Function '" + info.source.name + "' calls itself through a function that is inlined",
                  "make that function a @qd.real_func too");
    Machine machine;
    machine.entry = b_.block;
    machine.locals = fn_[b_.block].insts.size();
    Machine *const outer = std::exchange(machine_, &machine);
    const int outer_static = std::exchange(static_depth_, 0), outer_grouped = std::exchange(grouped_depth_, 0);
    const long outer_line = std::exchange(covered_line_, 0);
    machine.pc = make_local(Scalar::i32);
    machine.depth = make_local(Scalar::i32);
    machine.back = make_local(Scalar::i32);
    const ir::Value end = b_.i32(done);
    b_.store(machine.back, end);
    const ir::Value loop = b_.loop({}, ir::Loop{});
    const ir::BlockId after = b_.block;
    machine.row = fn_[loop].blocks[0];
    b_.block = machine.row;
    poll();
    const ir::Value pc = b_.load(machine.pc);
    const ir::Value last = b_.i32(done);
    const ir::Value finished = b_.eq(pc, last);
    break_when(true, finished);
    b_.block = after;
    MachineFunction &first = start_machine(node, info, args, loop);
    for (size_t i = 0; i < machine.functions.size(); ++i) machine_body(machine.functions[i]);
    b_.block = machine.row;
    b_.yield();
    b_.block = after;
    static_depth_ = outer_static;
    grouped_depth_ = outer_grouped;
    covered_line_ = outer_line;
    machine_ = outer;
    return info.returns ? loaded_result(first.result) : Val{};
}

/// The outermost call: its arguments become the parameters before the loop starts.
MachineFunction &Walker::start_machine(PyObject *node, FuncInfo &info, const std::vector<Val> &args, ir::Value loop) {
    const ir::BlockId block = b_.block;
    std::vector<ir::Value> &insts = fn_[block].insts;
    insts.pop_back(); // the loop: what follows stands before it
    MachineFunction &f = machine_function(node, info, args);
    for (size_t i = 0; i < args.size(); ++i)
        if (is_place(f.params[i]) && is_local(f.params[i])) store_result(node, f.params[i], args[i]);
    const ir::Value entry = b_.i32(f.entry);
    b_.store(machine_->pc, entry);
    fn_[block].insts.push_back(loop);
    return f;
}

} // namespace qd::frontend
