// Recursive real funcs, whether they call themselves directly or through others. All of them become one state machine: a loop whose body is
// a sequence of `if pc == k: ...`. A statement that contains a return or a call of such a func is split into states (states.cpp); any other
// statement is emitted into the current state as usual. A call saves the caller's variables on one stack per scalar type, and the state
// after the call restores them. A parameter by reference is passed by copy-in, copy-out: it is a variable of the callee, and the caller
// stores its final value to the place after the call. Inlined funcs that call a recursive one are split into states too, separately at each
// call.
#include "frontend/recursion.h"

#include "frontend/annotations.h"
#include "frontend/call.h"
#include "frontend/control.h"
#include "frontend/coverage.h"
#include "frontend/expr.h"
#include "frontend/format.h"
#include "frontend/funcs.h"
#include "frontend/machine.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/real.h"
#include "frontend/struct_value.h"
#include "frontend/scope.h"

#include <algorithm>
#include <bit>

namespace qd::frontend {

using ir::Scalar;

static bool is_local(const Val &v);

namespace {

constexpr int max_depth = 256;     ///< limit on activations
constexpr int max_instances = 100; ///< limit on instances of one func
constexpr int done = -1;           ///< state after the outermost return

} // namespace

void visit_tree(const Node *tree, const std::function<bool(const Node *)> &visit) {
    check_stack();
    if (!visit(tree)) return;
    each_child(tree, [&](const Node *node) { visit_tree(node, visit); });
}

/// Makes a local; while a machine is being built, at the beginning of its entry block.
ir::Value Recursion::make_local(Scalar elem) {
    if (!machine_) return b_.local(elem, 1);
    const ir::BlockId block = std::exchange(b_.block, machine_->entry);
    const size_t at = std::exchange(b_.at, machine_->locals++);
    const ir::Value v = b_.local(elem, 1);
    b_.at = at;
    b_.block = block;
    return v;
}

// States

int Recursion::new_state() {
    Machine &m = *machine_;
    const ir::BlockId block = std::exchange(b_.block, m.loop_body);
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

void Recursion::begin_state(int k) { b_.block = machine_->states[size_t(k)]; }

void Recursion::jump(int k) {
    const ir::Value to = b_.i32(k);
    b_.store(machine_->pc, to);
    b_.yield();
}

void Recursion::branch_to(ir::Value condition, int yes, int no) {
    const ir::Value a = b_.i32(yes), b = b_.i32(no);
    const ir::Value to = b_.select(condition, a, b);
    b_.store(machine_->pc, to);
    b_.yield();
}

// Calls

namespace {

/// Collects the addresses of all scalars of a variable.
void collect_pointers(const Val &v, std::vector<ir::Value> &out) {
    if (v.is_sequence() || v.is_structure() || v.is_dict()) {
        for (const Val &item : v.parts()) collect_pointers(item, out);
    } else if (v.is_ref() && v.ref()->local && v.ref()->pointer) {
        out.push_back(v.ref()->pointer);
    } else if (v.is_ref() && v.ref()->local && v.ref()->variable) {
        out.insert(out.end(), v.ref()->variable->parts.begin(), v.ref()->variable->parts.end());
    }
}

} // namespace

/// Returns the address of the `slot`-th scalar of a type in the stack frame of the current activation.
ir::Value Recursion::stack_place(Scalar elem, int slot) {
    Machine &m = *machine_;
    Machine::Stack &stack = m.stacks[elem];
    if (!stack.array) {
        const ir::BlockId block = std::exchange(b_.block, m.entry);
        const size_t at = std::exchange(b_.at, m.locals++);
        stack.array = b_.local(elem, max_depth);
        b_.at = at;
        b_.block = block;
    }
    if (slot >= stack.slots) {
        stack.slots = slot + 1;
        fn_[stack.array].imm = uint64_t(stack.slots) * max_depth;
    }
    const ir::Value depth = b_.load(m.depth);
    const ir::Value first = b_.i32(slot * max_depth);
    const ir::Value index = b_.add(depth, first);
    const ir::Value wide = b_.cast(index, Scalar::i64);
    const ir::Value size = b_.i64(ir::size_of(elem));
    const ir::Value bytes = b_.mul(wide, size);
    return b_.offset(stack.array, bytes, elem);
}

/// Returns the addresses of all variables of the calling activation, each once.
std::vector<ir::Value> Recursion::live_variables() {
    std::vector<ir::Value> all{machine_->return_state};
    for (size_t i = machine_->first_binding; i < w_.scopes.size(); ++i)
        collect_pointers(w_.scopes.bindings()[i].value, all);
    for (const auto &[node, v] : machine_->values) collect_pointers(v, all);
    for (const auto &values : machine_->outer_values)
        for (const auto &[node, v] : values) collect_pointers(v, all);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

bool Recursion::is_template(const FuncInfo &info, size_t i) {
    PyObject *annotation = info.params[i].annotation.get();
    return annotation && w_.objects.kind_of(annotation) == Kind::template_;
}

namespace {

/// True if a value is known at compile time and does not refer to a variable of the caller.
bool is_fixed(const Val &v) {
    switch (v.tag()) {
    case Tag::none:
    case Tag::constant:
    case Tag::bundle:
    case Tag::array: return true;
    case Tag::sequence: return std::all_of(v.sequence().items.begin(), v.sequence().items.end(), is_fixed);
    case Tag::scalar:
    case Tag::matrix:
    case Tag::dict:
    case Tag::structure:
    case Tag::loop:
    case Tag::method:
    case Tag::ref:
    case Tag::container:
    case Tag::element:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: return false;
    }
    return false;
}

bool is_same_object(PyObject *x, PyObject *y) {
    if (x == y) return true;
    if (!x || !y || Py_TYPE(x) != Py_TYPE(y)) return false;
    if (PyFloat_CheckExact(x))
        return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(x)) == std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(y));
    if (!PyLong_CheckExact(x) && !PyUnicode_CheckExact(x)) return false;
    return PyObject_RichCompareBool(x, y, Py_EQ) == 1;
}

/// True if two values are the same; neither may be a place.
bool is_same(const Val &a, const Val &b) {
    if (a.tag() != b.tag() || !std::ranges::equal(a.parts(), b.parts(), is_same)) return false;
    switch (a.tag()) {
    case Tag::constant: return a.constant().node == b.constant().node && is_same_object(a.object(), b.object());
    case Tag::bundle:
        return a.bundle().node == b.bundle().node && is_same_object(a.bundle().object.get(), b.bundle().object.get());
    case Tag::array: {
        const val::Array &x = a.array(), &y = b.array();
        return x.parameter == y.parameter && x.node == y.node && x.begin == y.begin && x.size == y.size;
    }
    case Tag::scalar: return a.scalar().v == b.scalar().v;
    case Tag::matrix: return a.matrix().comps == b.matrix().comps;
    case Tag::sequence: return is_same_object(a.sequence().member.get(), b.sequence().member.get());
    case Tag::element:
        return a.element().number == b.element().number &&
               is_same_object(a.element().elements.get(), b.element().elements.get());
    case Tag::relation:
        return a.relation().number == b.relation().number &&
               is_same_object(a.relation().object.get(), b.relation().object.get());
    case Tag::container:
        return a.container().indices == b.container().indices &&
               is_same_object(a.container().field.get(), b.container().field.get());
    case Tag::shared: return a.shared().pointer == b.shared().pointer;
    case Tag::triplet:
        return a.triplet().row == b.triplet().row && a.triplet().column == b.triplet().column &&
               is_same(*a.triplet().builder, *b.triplet().builder);
    case Tag::none:
    case Tag::dict:
    case Tag::structure:
    case Tag::loop:
    case Tag::method:
    case Tag::ref: return true;
    }
    return true;
}

} // namespace

/// True if a recursive func can become part of a state machine, which requires its template arguments to be compile-time values.
bool Recursion::can_recur(const FuncInfo &info, const std::vector<Val> &args) {
    for (size_t i = 0; i < args.size(); ++i)
        if (is_template(info, i) && !is_fixed(args[i]) && !is_own_struct(info, i, args[i])) return false;
    return true;
}

/// True if an argument is the struct of which the func is a method, and the func does not modify it: it is passed by value.
bool Recursion::is_own_struct(const FuncInfo &info, size_t i, const Val &arg) {
    return i == 0 && arg.is_structure() && arg.structure().type->object && !info.assigned.count(info.params[0].name);
}

/// True if the template arguments equal those of an instance.
bool Recursion::same_instance(const MachineFunction &f, const std::vector<Val> &args) {
    for (size_t i = 0; i < args.size(); ++i)
        if (is_template(*f.info, i) && !is_own_struct(*f.info, i, args[i]) && !is_same(f.params[i], args[i]))
            return false;
    return true;
}

MachineFunction &Recursion::machine_function(const Node *node, FuncInfo &info, const std::vector<Val> &args) {
    Machine &m = *machine_;
    int instances = 0;
    for (MachineFunction &f : m.functions) {
        if (f.info != &info) continue;
        ++instances;
        if (!same_instance(f, args)) continue;
        for (size_t i = 0; i < args.size(); ++i) {
            const Val &was = f.params[i], &is = args[i];
            if (!is_place(was) && !is_same(was, is))
                w_.fail_type(
                    node,
                    "Argument " + text(info.params[i].name) + " of '" + info.source.name +
                        "', which calls itself, must be passed on unchanged: it is not a number, vector or struct");
        }
        return f;
    }
    if (instances >= max_instances) w_.funcs.fail_endless(info);
    MachineFunction &f = m.functions.emplace_back();
    f.info = &info;
    f.entry = new_state();
    f.call = b_.span;
    for (size_t i = 0; i < args.size(); ++i) {
        PyRef annotation = info.params[i].annotation;
        if (is_reference(info, i)) annotation = attribute(annotation.get(), names().dtype);
        if (is_template(info, i) && is_own_struct(info, i, args[i])) annotation = args[i].structure().type->object;
        const Kind kind = w_.objects.kind_of(annotation.get());
        const bool by_value = is_dtype(w_, annotation.get()) || kind == Kind::matrix_type || kind == Kind::struct_type;
        f.params.push_back(by_value ? w_.places.new_variable(node, w_.structs.zero_member(node, annotation.get()))
                                    : args[i]);
    }
    if (info.returns) f.result = result_place(w_, node, info.returns.get());
    w_.funcs.note_inlined(info);
    return f;
}

bool Recursion::is_reference(const FuncInfo &info, size_t i) {
    PyObject *annotation = info.params[i].annotation.get();
    return annotation && w_.objects.kind_of(annotation) == Kind::ref;
}

/// Returns the expression that a call passes for a parameter by reference. `is_method`: the first parameter is `self`.
const Node *Recursion::reference_node(const Node *node, const FuncInfo &info, size_t i, bool is_method) {
    const Items args = items_of(node, Field::args);
    const Node *found = nullptr;
    bool starred = false;
    for (const Node *arg : args) starred |= arg->kind == NodeKind::Starred;
    if (!starred && i - is_method < args.size()) found = args[i - is_method];
    for (const Node *keyword : items_of(node, Field::keywords))
        if (word_of(keyword, Field::arg) == info.params[i].name) found = child(keyword, Field::value);
    bool computed = !found;
    if (found)
        visit_tree(found, [&](const Node *part) {
            const NodeKind kind = part->kind;
            computed |= kind == NodeKind::NamedExpr || (kind == NodeKind::Call && !machine_->values.count(part));
            return !computed;
        });
    if (computed)
        w_.fail_syntax(node,
                       "Argument " + text(info.params[i].name) + " of '" + info.source.name +
                           "', which calls itself, is passed by reference: it must not contain a call",
                       "assign the index to a variable first");
    return found;
}

/// Stores the final values of the callee's parameters by reference to their places.
void Recursion::copy_back(const Node *node, const FuncInfo &info, const std::vector<Val> &finals, bool is_method) {
    std::vector<Val> places;
    for (size_t i = 0; i < finals.size(); ++i)
        if (!finals[i].is_none())
            places.push_back(reference(w_, node, info.params[i].annotation.get(),
                                       eval(w_, reference_node(node, info, i, is_method)), text(info.params[i].name)));
    size_t at = 0;
    for (const Val &last : finals)
        if (!last.is_none()) store_result(w_, node, places[at++], last);
}

/// Returns the values of the parameters by reference at the end of a call; none for other parameters.
std::vector<Val> Recursion::final_references(const MachineFunction &f) {
    std::vector<Val> out(f.params.size());
    for (size_t i = 0; i < out.size(); ++i)
        if (is_reference(*f.info, i)) out[i] = w_.places.load(f.params[i]);
    return out;
}

/// Evaluates the instance on which a method is called, without the access to the attribute that is the method.
Val Recursion::owner_of_method(const Node *node) {
    w_.dependencies.give_up(); // the attribute access is not recorded, so the kernel gets no cache entry
    return eval(w_, child(child(node, Field::func), Field::value));
}

void Recursion::lower_call(const Node *node, FuncInfo &info, bool is_method) {
    Machine &m = *machine_;
    Call call = arguments(w_, node, true);
    if (is_method) call.args.insert(call.args.begin(), owner_of_method(node));
    AtNode at(w_, node);
    std::vector<Val> args = w_.funcs.matched_arguments(node, info, std::move(call));
    for (Val &arg : args) arg = w_.places.load(std::move(arg));
    for (size_t i = 0; i < args.size(); ++i)
        if (is_reference(info, i)) reference_node(node, info, i, is_method);
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
    const ir::Value depth = b_.load(m.depth), one = b_.i32(1), most = b_.i32(max_depth);
    const ir::Value deeper = b_.add(depth, one);
    const ir::Value fits = b_.lt(deeper, most);
    ir::Message message;
    message.pieces.push_back(
        {"'" + info.source.name + "' calls itself more than " + std::to_string(max_depth) + " levels deep", -1});
    emit_assert(w_, fits, std::move(message), {});
    b_.store(m.depth, deeper);
    for (size_t i = 0; i < args.size(); ++i)
        if (is_place(f.params[i]) && is_local(f.params[i])) store_result(w_, node, f.params[i], args[i]);
    const int after = new_state();
    const ir::Value back = b_.i32(after);
    b_.store(m.return_state, back);
    jump(f.entry);

    begin_state(after);
    const ir::Value inner = b_.load(m.depth), step = b_.i32(1);
    const ir::Value outer = b_.sub(inner, step);
    b_.store(m.depth, outer);
    const std::vector<Val> finals = final_references(f);
    for (const auto &[pointer, slot] : saved) {
        const ir::Value place = stack_place(fn_.type(pointer).elem, slot);
        const ir::Value v = b_.load(place);
        b_.store(pointer, v);
    }
    copy_back(node, info, finals, is_method);
    m.values[node] = info.returns ? w_.places.new_variable(node, loaded_result(w_, f.result)) : Val{};
}

/// Inlines a func that calls a recursive real func; its body is split into states.
void Recursion::lower_inline(const Node *node, FuncInfo &info, bool is_method) {
    Machine &m = *machine_;
    Call call = arguments(w_, node, true, true);
    if (is_method) call.args.insert(call.args.begin(), owner_of_method(node));
    AtNode at(w_, node);
    std::vector<Val> args = w_.funcs.matched_arguments(node, info, std::move(call));
    for (size_t i = 0; i < args.size(); ++i) {
        if (is_place(args[i]) && !outlives_state(args[i]))
            w_.fail_type(node,
                         "Argument " + text(info.params[i].name) + " of '" + info.source.name +
                             "', which is part of a recursion, cannot be an element",
                         "pass the field or array and the index");
        if (!is_place(args[i]) && w_.places.storable(args[i])) args[i] = w_.places.new_variable(node, args[i]);
    }
    m.outer_values.push_back(std::exchange(m.values, {}));
    const auto loops = std::exchange(m.loops, {});
    std::optional<Val> result = w_.funcs.inlined(info, std::move(args), [&] {
        lower_block(items_of(info.source.tree, Field::body));
        return std::move(w_.frames.back().result);
    });
    m.loops = loops;
    m.values = std::move(m.outer_values.back());
    m.outer_values.pop_back();
    const Val v = result ? converted_result(w_, node, info.returns.get(), *result) : Val{};
    m.values[node] = stored(node, v);
}

/// True if a place is a whole variable, so that its address is available in every state.
bool Recursion::outlives_state(const Val &v) const {
    if (!v.is_ref()) return std::ranges::all_of(v.parts(), [&](const Val &item) { return outlives_state(item); });
    const Ref &ref = *v.ref();
    return ref.local && (ref.pointer ? fn_[ref.pointer].op == ir::Op::local : ref.variable && !ref.shift);
}

static bool is_local(const Val &v) {
    if (v.is_ref()) return v.ref()->local;
    return std::ranges::all_of(v.parts(), is_local);
}

// The machine

void Recursion::machine_body(MachineFunction &f) {
    FuncInfo &info = *f.info;
    w_.funcs.enter(info, f.call);
    w_.frames.back().dynamic = 1;
    machine_->now = &f;
    machine_->frame = &w_.frames.back();
    machine_->first_binding = w_.scopes.size();
    ++info.depth;
    {
        Scope scope(w_);
        for (size_t i = 0; i < f.params.size(); ++i) w_.scopes.bind(info.params[i].name, f.params[i]);
        begin_state(f.entry);
        w_.coverage.set_line(0);
        const Node *tree = info.source.tree;
        if (lower_block(items_of(tree, Field::body))) lower_return(nullptr);
        if (info.returns && !f.returns)
            w_.fail(tree, UserErrorKind::compilation,
                    "Function has a return type but does not have a return statement");
    }
    --info.depth;
    w_.frames.pop_back();
}

Val Recursion::recursive_call(const Node *node, FuncInfo &info, const std::vector<Val> &args) {
    if (machine_)
        w_.fail_here(UserErrorKind::compilation,
                     "Function '" + info.source.name + "' calls itself in a way that does not use its name",
                     "call it, and the functions that lead to it, by their names or as `module.name(...)`");
    Machine machine;
    machine.entry = b_.block;
    machine.locals = fn_[b_.block].insts.size();
    Machine *const outer = std::exchange(machine_, &machine);
    const int outer_static = std::exchange(w_.static_depth, 0), outer_grouped = std::exchange(w_.grouped_depth, 0);
    const long outer_line = w_.coverage.set_line(0);
    machine.pc = make_local(Scalar::i32);
    machine.depth = make_local(Scalar::i32);
    machine.return_state = make_local(Scalar::i32);
    const ir::Value end = b_.i32(done);
    b_.store(machine.return_state, end);
    const ir::Value loop = b_.loop({}, ir::Loop{});
    const ir::BlockId after = b_.block;
    machine.loop_body = fn_[loop].blocks[0];
    b_.block = machine.loop_body;
    poll(w_);
    const ir::Value pc = b_.load(machine.pc);
    const ir::Value last = b_.i32(done);
    const ir::Value finished = b_.eq(pc, last);
    break_when(w_, true, finished);
    b_.block = after;
    MachineFunction &first = start_machine(node, info, args, loop);
    for (size_t i = 0; i < machine.functions.size(); ++i) machine_body(machine.functions[i]);
    b_.block = machine.loop_body;
    b_.yield();
    b_.block = after;
    w_.static_depth = outer_static;
    w_.grouped_depth = outer_grouped;
    w_.coverage.set_line(outer_line);
    machine_ = outer;
    const std::vector<Val> finals = final_references(first);
    for (size_t i = 0; i < finals.size(); ++i)
        if (!finals[i].is_none()) store_result(w_, node, args[i], finals[i]);
    return info.returns ? loaded_result(w_, first.result) : Val{};
}

/// Emits the outermost call in front of the loop: stores the arguments to the parameters, and makes the func's entry the first state.
MachineFunction &Recursion::start_machine(const Node *node, FuncInfo &info, const std::vector<Val> &args,
                                          ir::Value loop) {
    const ir::BlockId block = b_.block;
    std::vector<ir::Value> &insts = fn_[block].insts;
    insts.pop_back(); // the loop: the following code goes before it
    MachineFunction &f = machine_function(node, info, args);
    for (size_t i = 0; i < args.size(); ++i)
        if (is_place(f.params[i]) && is_local(f.params[i])) store_result(w_, node, f.params[i], args[i]);
    const ir::Value entry = b_.i32(f.entry);
    b_.store(machine_->pc, entry);
    fn_[block].insts.push_back(loop);
    return f;
}

} // namespace qd::frontend
