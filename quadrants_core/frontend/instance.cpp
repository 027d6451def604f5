#include "frontend/instance.h"

#include "frontend/arithmetic.h"
#include "frontend/expr.h"
#include "frontend/foreign.h"
#include "frontend/funcs.h"
#include "frontend/objects.h"
#include "frontend/operators.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/scope.h"
#include "frontend/subscript.h"
#include "frontend/types.h"

#include <algorithm>

namespace qd::frontend {

namespace {

PyRef interned(const std::string &name) { return PyRef::steal(PyUnicode_InternFromString(name.c_str())); }

/// Calls a function of the package's module for classes.
template <class... Args> PyRef call_helper(Walk &w, const Node *node, const char *function, Args... args) {
    const PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._language.instances"));
    const PyRef name = interned(function);
    PyRef result =
        PyRef::steal(module ? PyObject_CallMethodObjArgs(module.get(), name.get(), args..., nullptr) : nullptr);
    if (!result) w.python_failed(node);
    return result;
}

/// Returns the attribute as found in the dict of the class or of a base, or of the first base after `after`; None if there is none.
PyRef in_table(Walk &w, const Node *node, PyObject *cls, PyObject *name, PyObject *after = nullptr) {
    return call_helper(w, node, "in_table", cls, name, after ? after : Py_None);
}

/// The class of a value if it may define operators; null otherwise.
PyObject *class_of(Walk &w, const Val &v) {
    if (v.is_structure()) return v.structure().type->cls.get();
    if (!v.is_constant() && !v.is_bundle()) return nullptr;
    PyObject *object = v.is_bundle() ? v.bundle().object.get() : v.object();
    const Kind kind = w.objects.kind_of(object);
    const bool is_plain = kind == Kind::foreign || kind == Kind::data_oriented;
    if (!is_plain || PyType_Check(object) || !PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE)) return nullptr;
    return reinterpret_cast<PyObject *>(Py_TYPE(object));
}

/// True for nodes that are not allowed in kernels, such as `try`.
bool is_foreign(NodeKind kind) {
#define NODE(name, fields)
#define STATEMENT(name, fields)
#define EXPRESSION(name, fields)
#define OPERATOR(name)
#define FOREIGN_STATEMENT(name, fields)                                                                                \
    if (kind == NodeKind::name) return true;
#define FOREIGN_EXPRESSION FOREIGN_STATEMENT
#include "syntax/nodes.def"
    return false;
}

bool holds_foreign(const Node *tree) {
    bool found = false;
    for (const Node *statement : items_of(tree, Field::body))
        each_node(statement, [&](const Node *node) { found |= is_foreign(node->kind); });
    return found;
}

/// True if a body assigns a member `name` more than once.
bool is_assigned_again(const Node *tree, PyObject *name) {
    int times = 0;
    const std::function<void(const Node *)> count = [&](const Node *target) {
        if (target->kind == NodeKind::Tuple)
            for (const Node *item : items_of(target, Field::elts)) count(item);
        if (target->kind == NodeKind::Attribute && word_of(target, Field::attr) == name) ++times;
    };
    for (const Node *statement : items_of(tree, Field::body))
        each_node(statement, [&](const Node *node) {
            if (node->kind == NodeKind::Assign)
                for (const Node *target : items_of(node, Field::targets)) count(target);
            if (node->kind == NodeKind::AugAssign || node->kind == NodeKind::AnnAssign)
                count(child(node, Field::target));
        });
    return times > 1;
}

} // namespace

// Making instances

/// Adds the members of a dataclass or named tuple, from arguments and defaults.
static void bind_fields(Walk &w, const StructLayout *type, PyObject *fields, const Call &call) {
    const Node *node = call.node;
    // Python matches stand-ins for the arguments with names; the values then replace them.
    std::vector<Val> values = call.args;
    const PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size()))), keywords = PyRef::steal(PyDict_New());
    const auto stand_in = [](size_t i) { return PyCapsule_New(reinterpret_cast<void *>(i + 1), nullptr, nullptr); };
    for (size_t i = 0; i < call.args.size(); ++i) PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), stand_in(i));
    for (const auto &[key, v] : call.kwargs) {
        PyDict_SetItem(keywords.get(), key, PyRef::steal(stand_in(values.size())).get());
        values.push_back(v);
    }
    const PyRef bound = call_helper(w, node, "bind", type->cls.get(), fields, args.get(), keywords.get());
    PyObject *key, *item;
    for (Py_ssize_t at = 0; PyDict_Next(bound.get(), &at, &key, &item);) {
        void *place = PyCapsule_CheckExact(item) ? PyCapsule_GetPointer(item, nullptr) : nullptr;
        Val v = place ? values[reinterpret_cast<size_t>(place) - 1] : wrap(w, PyRef::borrow(item));
        w.structs.add_member(type, key, std::move(v));
    }
}

std::optional<Val> new_instance(Walk &w, PyObject *cls, Call call, bool all_known) {
    const Node *node = call.node;
    const PyRef how = call_helper(w, node, "makes", cls);
    if (how.get() == Py_None) return std::nullopt;
    PyObject *init = PyTuple_GET_ITEM(how.get(), 0), *fields = PyTuple_GET_ITEM(how.get(), 1);
    const PyRef func = init == Py_None ? PyRef{} : w.funcs.func_of(node, init);
    if (init != Py_None && !func) return std::nullopt;
    if (func && all_known) { // Python makes instances that the language cannot
        try {
            if (holds_foreign(w.funcs.func_info(node, func.get()).source.tree)) return std::nullopt;
        } catch (const PythonError &) { // its source is unknown
            return std::nullopt;
        }
    }
    w.dependencies.give_up(); // classes are not fingerprinted
    AtNode at(w, node);
    const UnderConstruction constructing(w, cls);
    const Val self = make_struct(constructing.type, {});
    if (fields != Py_None) {
        bind_fields(w, constructing.type, fields, call);
        if (func) w.funcs.inline_method(node, func, self, Call{.node = node});
    } else if (func) {
        w.funcs.inline_method(node, func, self, std::move(call));
    } else if (!call.args.empty() || !call.kwargs.empty()) {
        w.fail_type(node, type_text(w, self) + "() takes no arguments");
    }
    return w.structs.made(constructing.type);
}

std::optional<Val> bare_super(Walk &w, const Node *node) {
    const Frame &frame = w.frames.back();
    const PyRef cls = frame.function ? find_name(frame.function, interned("__class__").get()) : PyRef{};
    if (!cls || !PyType_Check(cls.get())) return std::nullopt;
    const Node *args = child(frame.source->tree, Field::args);
    const Items first = items_of(args, items_of(args, Field::posonlyargs).size() ? Field::posonlyargs : Field::args);
    const Binding *self = first.size() ? w.scopes.find_local(word_of(first[0], Field::arg)) : nullptr;
    if (!self || !self->value.is_structure()) return std::nullopt;
    return super_of(w, cls.get(), self->value);
}

Val super_of(Walk &w, PyObject *cls, const Val &self) {
    w.dependencies.give_up(); // the order of the bases is not fingerprinted
    auto bound = std::make_shared<BoundMethod>();
    bound->self = self;
    bound->after = PyRef::borrow(cls);
    return val::Method{std::move(bound)};
}

bool is_tuple_instance(const Val &structure) {
    PyObject *cls = structure.structure().type->cls.get();
    return cls && PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(cls), &PyTuple_Type);
}

// Attributes

/// Returns an entry of a class dict as an attribute of an instance.
static Val bound_to(Walk &w, const Node *node, const Val &self, PyObject *cls, PyObject *name, const PyRef &found) {
    const auto part = [&](const char *of) {
        PyRef value = PyRef::steal(PyObject_GetAttrString(found.get(), of));
        if (!value) w.python_failed(node);
        w.objects.keep(value);
        return value;
    };
    const std::string type = type_name(found.get());
    if (PyRef func = w.funcs.func_of(node, found.get())) return bound_method(self, name, std::move(func));
    if (type == "property" || type == "cached_property") {
        const PyRef func = w.funcs.func_of(node, part(type == "property" ? "fget" : "func").get());
        if (func) return w.funcs.inline_method(node, func, self, Call{.node = node});
    }
    if (type == "staticmethod") return wrap(w, part("__func__"));
    if (type == "classmethod") return partial_of(wrap(w, part("__func__")), {constant(PyRef::borrow(cls))}, {});
    if (type == "partialmethod") {
        const Val inner = bound_to(w, node, self, cls, name, part("func"));
        return partial_with(w, inner, part("args").get(), part("keywords").get());
    }
    PyRef value = PyRef::steal(PyObject_GetAttr(cls, name));
    if (!value) w.python_failed(node);
    return wrap(w, std::move(value));
}

Val instance_attribute(Walk &w, const Node *node, const Val &instance, PyObject *name) {
    PyObject *cls = instance.structure().type->cls.get();
    const PyRef found = in_table(w, node, cls, name);
    const bool is_property = found && type_name(found.get()) == "property";
    if (const Val *member = is_property ? nullptr : w.structs.member(node, instance, name)) {
        Val v = *member;
        v.is_static = false;
        return v;
    }
    if (found.get() != Py_None) return bound_to(w, node, instance, cls, name, found);
    if (name == names().__class__) return constant(PyRef::borrow(cls));
    w.fail(node, UserErrorKind::compilation,
           "'" + type_text(w, instance) + "' object has no attribute '" + text(name) + "'",
           "an instance created in a kernel has the members that its `__init__` assigned");
}

Val super_attribute(Walk &w, const Node *node, const BoundMethod &super, PyObject *name) {
    PyObject *cls = super.self.structure().type->cls.get();
    const PyRef found = in_table(w, node, cls, name, super.after.get());
    if (found.get() != Py_None && (name != names().__init__ || w.funcs.func_of(node, found.get())))
        return bound_to(w, node, super.self, cls, name, found);
    if (name == names().__init__) return partial_of(constant(PyRef::borrow(Py_None)), {}, {}); // `__init__` of `object`
    w.fail(node, UserErrorKind::compilation, "'super' object has no attribute '" + text(name) + "'");
}

bool assign_in_instance(Walk &w, const Node *target, const Val &v) {
    const Node *of = child(target, Field::value);
    const Node *root = of;
    while (root->kind == NodeKind::Attribute) root = child(root, Field::value);
    if (root->kind != NodeKind::Name) return false;
    const Binding *bound = w.scopes.find_local(word_of(root, Field::id));
    if (!bound || !bound->value.is_structure()) return false;
    const Val base = of == root ? bound->value : eval(w, of);
    if (!base.is_structure() || !base.structure().type->cls) return false;
    if (target->kind == NodeKind::Subscript) {
        const Node *slice = child(target, Field::slice);
        const Val key = slice->kind == NodeKind::Slice ? slice_object(w, slice) : value(w, slice);
        return class_method(w, target, base, "setitem", {key, v}).has_value();
    }
    PyObject *name = word_of(target, Field::attr), *cls = base.structure().type->cls.get();
    const PyRef found = in_table(w, target, cls, name);
    if (type_name(found.get()) == "property") {
        const PyRef setter = PyRef::steal(PyObject_GetAttrString(found.get(), "fset"));
        const PyRef func = setter ? w.funcs.func_of(target, setter.get()) : PyRef{};
        if (!func)
            w.fail(target, UserErrorKind::compilation,
                   "property '" + text(name) + "' of '" + type_text(w, base) + "' object has no setter");
        Call call{.node = target};
        call.args.push_back(v);
        w.funcs.inline_method(target, func, base, std::move(call));
        return true;
    }
    if (w.structs.member(target, base, name)) return false;
    if (!w.structs.is_under_construction(base.structure().type))
        w.fail(target, UserErrorKind::compilation,
               "'" + type_text(w, base) + "' object has no attribute '" + text(name) + "'",
               "assign it in `__init__`: an instance created in a kernel cannot get new members later");
    if (w.nesting > base.structure().type->nesting)
        w.fail(target, UserErrorKind::compilation,
               "Member '" + text(name) + "' is first assigned inside a run-time if, for or while",
               "assign it before: an instance must have the same members on every path");
    const bool changes = is_assigned_again(w.frames.back().source->tree, name);
    Val member = w.places.load(v);
    if (changes && !v.is_static && w.places.storable(member)) member = w.places.new_variable(target, member);
    w.structs.add_member(base.structure().type, name, std::move(member));
    return true;
}

// Operators

static PyRef method_of(Walk &w, const Node *node, const Val &self, const std::string &name) {
    PyObject *cls = class_of(w, self);
    if (!cls) return {};
    return w.funcs.func_of(node, in_table(w, node, cls, interned("__" + name + "__").get()).get());
}

bool has_method(Walk &w, const Node *node, const Val &self, const std::string &name) {
    return bool(method_of(w, node, self, name));
}

std::optional<Val> class_method(Walk &w, const Node *node, const Val &self, const std::string &name,
                                std::vector<Val> args) {
    const PyRef func = method_of(w, node, self, name);
    if (!func) return std::nullopt;
    w.dependencies.give_up(); // attributes of the class are not recorded
    Call call{.node = node};
    call.args = std::move(args);
    return w.funcs.inline_method(node, func, self, std::move(call));
}

static bool is_implemented(const std::optional<Val> &v) {
    return v && !(v->is_constant() && v->object() == Py_NotImplemented);
}

static std::optional<Val> one_of(Walk &w, const Node *node, const std::string &name, const std::string &reflected,
                                 const Val &a, const Val &b) {
    if (std::optional<Val> made = class_method(w, node, a, name, {b}); is_implemented(made)) return made;
    if (std::optional<Val> made = class_method(w, node, b, reflected, {a}); is_implemented(made)) return made;
    return std::nullopt;
}

std::string method_name(NodeKind kind) {
    std::string name = operator_of(kind).function ? operator_of(kind).function : "";
    if (name.ends_with('_')) name.pop_back();
    return name;
}

std::optional<Val> class_binary(Walk &w, const Node *node, NodeKind kind, const Val &a, const Val &b) {
    if (!class_of(w, a) && !class_of(w, b)) return std::nullopt;
    return one_of(w, node, method_name(kind), "r" + method_name(kind), a, b);
}

std::optional<Val> class_unary(Walk &w, const Node *node, NodeKind kind, const Val &a) {
    if (kind == NodeKind::Not)
        if (const std::optional<Val> truth = class_truth(w, node, a)) return unary(w, node, kind, *truth);
    return class_of(w, a) ? class_method(w, node, a, method_name(kind)) : std::nullopt;
}

std::optional<Val> class_truth(Walk &w, const Node *node, const Val &v) {
    if (!v.is_structure() || !v.structure().type->cls) return std::nullopt;
    std::optional<Val> truth = class_method(w, node, v, "bool");
    return truth ? truth : class_method(w, node, v, "len");
}

std::optional<Val> class_compare(Walk &w, const Node *node, NodeKind kind, const Val &a, const Val &b) {
    if (!class_of(w, a) && !class_of(w, b)) return std::nullopt;
    NodeKind mirrored = kind;
    for (const auto &[less, more] : {std::pair(NodeKind::Lt, NodeKind::Gt), std::pair(NodeKind::LtE, NodeKind::GtE)})
        if (kind == less || kind == more) mirrored = kind == less ? more : less;
    if (std::optional<Val> made = one_of(w, node, method_name(kind), method_name(mirrored), a, b)) return made;
    if (kind != NodeKind::NotEq) return std::nullopt;
    const std::optional<Val> equal = one_of(w, node, "eq", "eq", a, b);
    return equal ? std::optional(unary(w, node, NodeKind::Not, *equal)) : std::nullopt;
}

} // namespace qd::frontend
