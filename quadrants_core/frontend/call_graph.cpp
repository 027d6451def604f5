// The call graph of funcs and its recursive funcs.
#include "frontend/call_graph.h"

#include "frontend/funcs.h"
#include "frontend/machine.h"
#include "frontend/objects.h"
#include "frontend/scope.h"

#include <algorithm>
#include <bit>

namespace qd::frontend {

using ir::Scalar;

/// Returns the object that a name, or a name in a module or class, denotes outside the walk; null if the func binds the name itself.
static PyRef object_outside(Walk &w, const Node *node) {
    if (node->kind == NodeKind::Name)
        return w.scopes.find_local(word_of(node, Field::id)) ? PyRef{} : w.scopes.find_global(word_of(node, Field::id));
    if (node->kind != NodeKind::Attribute) return {};
    PyRef module = object_outside(w, child(node, Field::value));
    if (!module || !(PyModule_Check(module.get()) || PyType_Check(module.get()))) return {};
    PyRef found = attribute(module.get(), word_of(node, Field::attr));
    if (found) w.dependencies.attribute(module.get(), word_of(node, Field::attr), found.get());
    return found;
}

PyObject *class_of_receiver(const Val &v) {
    const auto type = [](PyObject *object) { return reinterpret_cast<PyObject *>(Py_TYPE(object)); };
    if (v.is_constant()) return type(v.object());
    if (v.is_bundle()) return type(v.bundle().object.get());
    if (!v.is_structure()) return nullptr;
    return v.structure().type->object ? v.structure().type->object.get() : v.structure().type->cls.get();
}

void set_receiver(FuncInfo &info, PyObject *cls) {
    if (info.receiver.get() == cls) return;
    info.receiver = PyRef::borrow(cls);
    info.calls = {};
    info.recursive = info.cut = {};
}

/// The class whose method `x.f` is, where `x` is a variable, the first parameter of `within` or a global instance; null if there is none.
static PyRef class_of_owner(Walk &w, const Node *owner, const FuncInfo *within) {
    if (owner->kind != NodeKind::Name) return {};
    PyObject *name = word_of(owner, Field::id);
    if (const Binding *found = w.scopes.find_local(name)) return PyRef::borrow(class_of_receiver(found->value));
    if (within && !within->params.empty() && within->params[0].name == name) return within->receiver;
    const PyRef object = object_outside(w, owner);
    const bool is_instance = object && !PyModule_Check(object.get()) && !PyType_Check(object.get());
    return is_instance ? PyRef::borrow(reinterpret_cast<PyObject *>(Py_TYPE(object.get()))) : PyRef{};
}

/// The method `name` of a class or struct type. `is_static`: set if it takes no instance.
static PyRef method_named(Walk &w, PyObject *cls, PyObject *name, bool *is_static) {
    if (w.objects.kind_of(cls) == Kind::struct_type) {
        const PyRef methods = attribute(cls, names().methods);
        return PyRef::borrow(methods && PyDict_Check(methods.get()) ? PyDict_GetItemWithError(methods.get(), name)
                                                                    : nullptr);
    }
    if (!PyType_Check(cls)) return {};
    PyObject *found = _PyType_Lookup(reinterpret_cast<PyTypeObject *>(cls), name); // does not run properties
    *is_static = found && type_name(found) == "staticmethod";
    return *is_static ? attribute(cls, name) : PyRef::borrow(found);
}

/// The func that a call names, directly or as a method; null if it does not name one. `is_method`: the owner is its first argument.
static FuncInfo *func_called(Walk &w, const Node *node, const FuncInfo *within = nullptr, bool *is_method = nullptr) {
    if (node->kind != NodeKind::Call) return nullptr;
    const Node *callee = child(node, Field::func);
    if (const PyRef object = object_outside(w, callee))
        return w.objects.kind_of(object.get()) == Kind::func && !PyMethod_Check(object.get())
                   ? &w.funcs.func_info(node, object.get())
                   : nullptr;
    if (callee->kind != NodeKind::Attribute) return nullptr;
    const PyRef cls = class_of_owner(w, child(callee, Field::value), within);
    bool is_static = false;
    const PyRef func = cls ? method_named(w, cls.get(), word_of(callee, Field::attr), &is_static) : PyRef{};
    if (!func || w.objects.kind_of(func.get()) != Kind::func) return nullptr;
    FuncInfo &info = w.funcs.func_info(node, func.get());
    set_receiver(info, cls.get());
    if (is_method) *is_method = !is_static;
    return &info;
}

/// Calls `visit` on the nodes of a func's body, in a frame in which none of its own names is bound.
template <class Visit> static void in_body_of(Walk &w, FuncInfo &info, const Visit &visit) {
    Frame frame;
    frame.first_binding = w.scopes.size();
    frame.function = info.function.get();
    frame.source = &info.source;
    w.frames.push_back(std::move(frame));
    for (const Node *statement : items_of(info.source.tree, Field::body)) each_node(statement, visit);
    w.frames.pop_back();
}

/// The funcs that the body of a func calls.
static const std::vector<FuncInfo *> &funcs_called_in(Walk &w, FuncInfo &info) {
    if (info.calls) return *info.calls;
    std::vector<FuncInfo *> found;
    in_body_of(w, info, [&](const Node *node) {
        if (FuncInfo *callee = func_called(w, node, &info)) found.push_back(callee);
    });
    return info.calls.emplace(std::move(found));
}

/// True if calls from `info` can lead to a func that `wanted` accepts.
static bool leads_to(Walk &w, FuncInfo &info, const std::function<bool(FuncInfo &)> &wanted) {
    std::vector<FuncInfo *> seen{&info}, todo{&info};
    while (!todo.empty()) {
        FuncInfo *now = todo.back();
        todo.pop_back();
        for (FuncInfo *callee : funcs_called_in(w, *now)) {
            if (wanted(*callee)) return true;
            if (std::find(seen.begin(), seen.end(), callee) != seen.end()) continue;
            seen.push_back(callee);
            todo.push_back(callee);
        }
    }
    return false;
}

bool is_recursive(Walk &w, FuncInfo &info) {
    if (!info.recursive) info.recursive = leads_to(w, info, [&](FuncInfo &callee) { return &callee == &info; });
    return *info.recursive;
}

/// True if a call of the func is cut into states: it is a real func, or can lead to one.
static bool is_cut(Walk &w, FuncInfo &info) {
    if (!info.cut) info.cut = info.is_real || leads_to(w, info, [](FuncInfo &callee) { return callee.is_real; });
    return *info.cut;
}

/// The func of a call that is cut into states; null if the call is not.
FuncInfo *cut_callee(Walk &w, const Node *node, bool *is_method) {
    FuncInfo *info = func_called(w, node, nullptr, is_method);
    return info && is_cut(w, *info) ? info : nullptr;
}

bool calls_real(Walk &w, const Node *tree) {
    bool found = false;
    visit_tree(tree, [&](const Node *node) {
        found = found || cut_callee(w, node);
        return !found;
    });
    return found;
}

/// `x` for `x`, `x[i]`, `x.y`; null for other nodes.
static PyObject *root_name(const Node *node) {
    while (node->kind == NodeKind::Subscript || node->kind == NodeKind::Attribute) node = child(node, Field::value);
    return node->kind == NodeKind::Name ? word_of(node, Field::id) : nullptr;
}

static bool takes_place(Walk &w, PyObject *annotation) {
    const Kind kind = annotation ? w.objects.kind_of(annotation) : Kind::foreign;
    return kind == Kind::template_ || kind == Kind::ref;
}

/// True if some parameter of a func may take a place, judged by annotations that are not evaluated yet.
static bool may_take_places(Walk &w, PyObject *func) {
    const PyRef function = attribute(func, names().fn);
    const PyRef annotations = function ? attribute(function.get(), names().__annotations__) : PyRef{};
    if (!annotations || !PyDict_Check(annotations.get())) return false;
    PyObject *name, *annotation;
    for (Py_ssize_t at = 0; PyDict_Next(annotations.get(), &at, &name, &annotation);)
        if (PyUnicode_Check(annotation) || takes_place(w, annotation)) return true;
    return false;
}

using Known = std::vector<PyObject *>; ///< for each parameter its Python object, or null

static size_t parameter_named(const FuncInfo &info, PyObject *name) {
    size_t i = 0;
    while (i < info.params.size() && info.params[i].name != name) ++i;
    return i;
}

/// The func that a call in the body of `info` names: directly, as a parameter or as a method of the first parameter; null if it cannot
/// modify an argument.
static FuncInfo *changing_func(Walk &w, FuncInfo &info, const Node *call, const Known &known, bool *is_method) {
    const Node *callee = child(call, Field::func);
    const Node *owner = callee->kind == NodeKind::Attribute ? child(callee, Field::value) : callee;
    const size_t own = owner->kind == NodeKind::Name ? parameter_named(info, word_of(owner, Field::id)) : known.size();
    *is_method = owner != callee && own == 0 && !known.empty() && known[0];
    PyRef func;
    if (*is_method)
        func = attribute(reinterpret_cast<PyObject *>(Py_TYPE(known[0])), word_of(callee, Field::attr));
    else if (own < known.size())
        func = owner == callee ? PyRef::borrow(known[own]) : PyRef{};
    else
        func = object_outside(w, callee);
    if (!func || w.objects.kind_of(func.get()) != Kind::func || !may_take_places(w, func.get())) return nullptr;
    return &w.funcs.func_info(call, func.get());
}

/// Calls `visit(argument, number of the parameter)` for each argument of a call that matches a parameter of the callee.
template <class Visit>
static void each_argument(const Node *call, const FuncInfo &callee, bool is_method, const Visit &visit) {
    size_t i = is_method ? 1 : 0;
    for (const Node *arg : items_of(call, Field::args))
        if (i < callee.params.size()) visit(arg, i++);
    for (const Node *keyword : items_of(call, Field::keywords))
        if (const size_t at = parameter_named(callee, word_of(keyword, Field::arg)); at < callee.params.size())
            visit(child(keyword, Field::value), at);
}

static const std::unordered_set<PyObject *> &modified_by_callees(Walk &w, FuncInfo &info, const Known &known,
                                                                 std::vector<FuncInfo *> &under_way) {
    Known key(known.size());
    for (size_t i = 0; i < key.size(); ++i) {
        if (!known[i]) continue;
        if (w.objects.kind_of(known[i]) == Kind::func)
            key[i] = known[i];
        else if (i == 0)
            key[i] = reinterpret_cast<PyObject *>(Py_TYPE(known[i]));
    }
    if (const auto met = info.modified_by_callees.find(key); met != info.modified_by_callees.end()) return met->second;
    std::unordered_set<PyObject *> found;
    under_way.push_back(&info);
    const auto own_parameter = [&](const Node *arg) {
        PyObject *name = root_name(arg);
        return name ? parameter_named(info, name) : info.params.size();
    };
    const auto is_own = [&](const Node *arg) { return own_parameter(arg) < info.params.size(); };
    const auto passes_own = [&](const Node *call) {
        const Items args = items_of(call, Field::args), keywords = items_of(call, Field::keywords);
        return std::any_of(args.begin(), args.end(), is_own) ||
               std::any_of(keywords.begin(), keywords.end(),
                           [&](const Node *keyword) { return is_own(child(keyword, Field::value)); });
    };
    in_body_of(w, info, [&](const Node *node) {
        bool is_method = false;
        if (node->kind != NodeKind::Call || !passes_own(node)) return;
        FuncInfo *callee = changing_func(w, info, node, known, &is_method);
        if (!callee) return;
        const bool can_recurse = std::find(under_way.begin(), under_way.end(), callee) == under_way.end();
        Known its(callee->params.size());
        if (is_method) its[0] = known[0];
        each_argument(node, *callee, is_method, [&](const Node *arg, size_t i) {
            if (arg->kind == NodeKind::Name && is_own(arg)) its[i] = known[own_parameter(arg)];
        });
        each_argument(node, *callee, is_method, [&](const Node *arg, size_t i) {
            const FuncInfo::FuncParam &p = callee->params[i];
            if (!is_own(arg) || !takes_place(w, p.annotation.get())) return;
            if (callee->assigned.count(p.name) ||
                (can_recurse && modified_by_callees(w, *callee, its, under_way).count(p.name)))
                found.insert(root_name(arg));
        });
    });
    under_way.pop_back();
    for (PyObject *object : key) // their addresses are keys from now on
        if (object) w.objects.keep(PyRef::borrow(object));
    return info.modified_by_callees[std::move(key)] = std::move(found);
}

bool is_modified_by_callee(Walk &w, FuncInfo &info, PyObject *parameter, const Known &known) {
    std::vector<FuncInfo *> under_way;
    return modified_by_callees(w, info, known, under_way).count(parameter) > 0;
}

} // namespace qd::frontend
