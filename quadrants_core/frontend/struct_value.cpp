// Structs: values with named members, each a scalar, a matrix or a struct. A struct variable, or an element of a field of structs, is a
// struct value whose members are places; a copy loads every member.
#include "frontend/struct_value.h"

#include "frontend/annotations.h"
#include "frontend/assign.h"
#include "frontend/bounds.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/cells.h"
#include "frontend/dict.h"
#include "frontend/expr.h"
#include "frontend/instance.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/subscript.h"
#include "frontend/types.h"

#include <algorithm>

namespace qd::frontend {

using ir::Scalar;

namespace {

size_t member_index(const StructLayout &type, PyObject *name) {
    size_t i = 0;
    while (i < type.names.size() && type.names[i].get() != name && PyUnicode_Compare(type.names[i].get(), name) != 0)
        ++i;
    return i;
}

std::string member_names(const StructLayout &type) {
    std::string out = "[";
    for (size_t i = 0; i < type.names.size(); ++i) out += (i ? ", " : "") + repr(type.names[i].get());
    return out + "]";
}

PyRef interned(PyObject *name) {
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    return PyRef::steal(name);
}

} // namespace

// Types

const StructLayout *Structs::layout_of(const Node *node, PyObject *struct_type) {
    const StructLayout *&known = struct_types_[struct_type];
    if (known) return known;
    PyRef members = attribute(struct_type, names().members);
    if (!members || !PyDict_Check(members.get()))
        w_.fail_type(node, "A struct type is needed here, not " + repr(struct_type));
    StructLayout &type = layouts_.emplace_back();
    type.object = PyRef::borrow(struct_type);
    type.methods = attribute(struct_type, names().methods);
    if (type.methods && (!PyDict_Check(type.methods.get()) || PyDict_GET_SIZE(type.methods.get()) == 0))
        type.methods = {};
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(members.get(), &at, &key, &value)) {
        type.names.push_back(interned(key));
        type.types.push_back(PyRef::borrow(value));
    }
    return known = &type;
}

Val make_struct(const StructLayout *type, std::vector<Val> members) {
    return val::StructValue{type, std::move(members)};
}

/// A struct without a declared type: its members have the types of their values.
Val Structs::anonymous_struct(const Node *node, const std::vector<std::pair<PyRef, Val>> &members) {
    StructLayout &type = layouts_.emplace_back();
    std::vector<Val> items;
    for (const auto &[name, v] : members) {
        if (!PyUnicode_Check(name.get())) w_.fail_type(node, "Names of struct members must be strings");
        type.names.push_back(interned(name.get()));
        Val item = w_.places.load(v);
        if (item.is_sequence()) item = to_matrix(w_, node, item);
        items.push_back(typed(w_, node, item));
        if (!w_.places.storable(items.back()))
            w_.fail_type(node, "A member of a struct is a number, a vector, a matrix or a struct, not " +
                                   type_text(w_, item));
    }
    return make_struct(&type, std::move(items));
}

// Values

Val Structs::zero_member(const Node *node, PyObject *type) {
    if (w_.objects.kind_of(type) == Kind::struct_type) {
        const StructLayout *structure = layout_of(node, type);
        std::vector<Val> items;
        for (const PyRef &member : structure->types) items.push_back(zero_member(node, member.get()));
        return make_struct(structure, std::move(items));
    }
    return member_value(node, type, integer(0), "");
}

/// Converts `v` to the type of a member. A number fills a vector or matrix; in a struct it becomes the first member.
Val Structs::member_value(const Node *node, PyObject *type, const Val &given, const std::string &what) {
    const Val v = w_.places.load(given);
    const Kind kind = w_.objects.kind_of(type);
    if (kind == Kind::struct_type && (v.is_scalar() || is_number(v))) {
        const StructLayout *structure = layout_of(node, type);
        std::vector<std::pair<PyObject *, Val>> first;
        if (!structure->names.empty()) first.emplace_back(structure->names[0].get(), v);
        return struct_from(node, structure, first);
    }
    if (kind == Kind::struct_type) return convert_struct(node, type, v, what);
    if (kind == Kind::matrix_type && (v.is_scalar() || is_number(v))) {
        const Names &n = names();
        PyRef dtype = attribute(type, n.dtype);
        const ir::Value one = as(w_, node, v, dtype_scalar(w_, node, dtype.get()));
        const int rows = int(attribute_int(type, n.n, 1)), cols = int(attribute_int(type, n.m, 1));
        return make_matrix(w_, std::vector<ir::Value>(size_t(rows * cols), one), rows, cols,
                           int(attribute_int(type, n.ndim, 1)));
    }
    if (kind != Kind::matrix_type && !is_dtype(w_, type))
        w_.fail_type(node, what + " has a type that a value in a kernel cannot have: " + repr(type));
    return convert_to_annotation(w_, node, type, v, what);
}

Val Structs::struct_from(const Node *node, const StructLayout *type,
                         const std::vector<std::pair<PyObject *, Val>> &given) {
    std::vector<const Val *> found(type->names.size());
    for (const auto &[name, v] : given) {
        const size_t i = member_index(*type, name);
        if (i == found.size())
            w_.fail(node, UserErrorKind::compilation, repr(type->object.get()) + " has no member '" + text(name) + "'",
                    "it has " + member_names(*type));
        if (found[i]) w_.fail_type(node, "Member '" + text(name) + "' is given twice");
        found[i] = &v;
    }
    std::vector<Val> items;
    for (size_t i = 0; i < found.size(); ++i)
        items.push_back(found[i] ? member_value(node, type->types[i].get(), *found[i],
                                                "Member '" + text(type->names[i].get()) + "'")
                                 : zero_member(node, type->types[i].get()));
    return make_struct(type, std::move(items));
}

/// Sphere(center, radius), Sphere(radius=1.0), Sphere({"radius": 1.0}), Sphere(other)
Val Structs::call_struct_type(const Call &call, PyObject *struct_type) {
    const Node *node = call.node;
    AtNode at(w_, node);
    const StructLayout *type = layout_of(node, struct_type);
    if (call.args.size() == 1 && call.kwargs.empty()) {
        const Val only = typed(w_, node, call.args[0]);
        const bool is_dict = only.is_dict() || (only.is_constant() && PyDict_Check(only.object()));
        const bool first_is_struct =
            !type->types.empty() && w_.objects.kind_of(type->types[0].get()) == Kind::struct_type;
        if (is_dict || (only.is_structure() && !first_is_struct))
            return convert_struct(node, struct_type, only, "Argument");
    }
    if (call.args.size() > type->names.size())
        w_.fail_type(node, repr(struct_type) + " has " + std::to_string(type->names.size()) + " members, " +
                               std::to_string(call.args.size()) + " are given");
    std::vector<std::pair<PyObject *, Val>> given;
    for (size_t i = 0; i < call.args.size(); ++i) given.emplace_back(type->names[i].get(), call.args[i]);
    for (const auto &[name, v] : call.kwargs) given.emplace_back(name, v);
    return struct_from(node, type, given);
}

/// qd.Struct(a=1, b=v) or qd.Struct({"a": 1, "b": v})
Val handlers::new_struct(Walk &w, const Call &call) {
    std::vector<std::pair<PyRef, Val>> members;
    for (const Val &arg : call.args) {
        Val v = typed(w, call.node, arg);
        if (v.is_structure()) return v;
        if (v.is_constant() && PyDict_Check(v.object())) {
            PyObject *key = nullptr, *item = nullptr;
            Py_ssize_t at = 0;
            while (PyDict_Next(v.object(), &at, &key, &item))
                members.emplace_back(PyRef::borrow(key), unpacked(w, call.node, wrap(w, PyRef::borrow(item))));
            continue;
        }
        if (!v.is_dict()) w.fail_type(call.node, "`Struct` takes a dict, or members by name");
        const std::vector<Val> &values = v.dict().values;
        for (size_t i = 0; i < values.size(); ++i) members.emplace_back(known_key(w, call.node, v, i), values[i]);
    }
    for (const auto &[name, v] : call.kwargs) members.emplace_back(PyRef::borrow(name), v);
    return w.structs.anonymous_struct(call.node, members);
}

/// A struct made in Python, whose values are compiled into the kernel.
Val Structs::host_struct(const Node *node, PyObject *object) {
    PyRef type = attribute(object, names()._type), entries = attribute(object, names()._entries);
    if (!entries || !PyDict_Check(entries.get())) w_.fail_type(node, "'" + type_name(object) + "' has no members");
    std::vector<std::pair<PyRef, Val>> members;
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(entries.get(), &at, &key, &value))
        members.emplace_back(PyRef::borrow(key), wrap(w_, PyRef::borrow(value)));
    if (!type || type.get() == Py_None) return anonymous_struct(node, members);
    std::vector<std::pair<PyObject *, Val>> given;
    for (auto &[name, v] : members) given.emplace_back(name.get(), v);
    return struct_from(node, layout_of(node, type.get()), given);
}

/// Converts a struct or dict to `struct_type`, each member to its type.
Val Structs::convert_struct(const Node *node, PyObject *struct_type, const Val &given, const std::string &what) {
    const StructLayout *type = layout_of(node, struct_type);
    Val v = typed(w_, node, w_.places.load(given));
    if (v.is_dict() || (v.is_constant() && PyDict_Check(v.object()))) {
        std::vector<std::pair<PyObject *, Val>> members;
        for (size_t i = 0; v.is_dict() && i < v.dict().values.size(); ++i)
            members.emplace_back(known_key(w_, node, v, i).get(), v.dict().values[i]);
        if (v.is_constant()) { // a copy, since reading an item may run Python code that changes the dict
            const PyRef items = PyRef::steal(PyDict_Copy(v.object()));
            if (!items) w_.python_failed(node);
            w_.objects.keep(items);
            PyObject *key = nullptr, *item = nullptr;
            for (Py_ssize_t at = 0; PyDict_Next(items.get(), &at, &key, &item);)
                members.emplace_back(key, unpacked(w_, node, wrap(w_, PyRef::borrow(item))));
        }
        return struct_from(node, type, members);
    }
    if (!v.is_structure())
        w_.fail_type(node, what + " (type=" + type_text(w_, v) + ") cannot be converted into required type " +
                               repr(struct_type));
    const val::StructValue &structure = v.structure();
    if (structure.type == type) return v;
    const auto same = [](const PyRef &a, const PyRef &b) { return PyUnicode_Compare(a.get(), b.get()) == 0; };
    if (structure.members.size() != type->names.size() ||
        !std::is_permutation(type->names.begin(), type->names.end(), structure.type->names.begin(), same))
        w_.fail_type(node,
                     "Member mismatch between structs " + member_names(*type) + ", " + member_names(*structure.type));
    std::vector<std::pair<PyObject *, Val>> members;
    for (size_t i = 0; i < structure.members.size(); ++i)
        members.emplace_back(structure.type->names[i].get(), structure.members[i]);
    return struct_from(node, type, members);
}

/// True if a struct has these members, with these types.
bool Structs::has_members(const Node *node, const StructLayout &type, const Val &v) {
    const val::StructValue *structure = v.if_structure();
    if (!structure || structure->members.size() != type.names.size()) return false;
    for (size_t i = 0; i < type.names.size(); ++i) {
        const size_t k = member_index(*structure->type, type.names[i].get());
        if (k == structure->members.size()) return false;
        const Val member = w_.places.load(structure->members[k]);
        PyObject *wanted = type.types[i].get();
        const Kind kind = w_.objects.kind_of(wanted);
        if (kind == Kind::struct_type) {
            if (!has_members(node, *layout_of(node, wanted), member)) return false;
            continue;
        }
        const bool is_matrix = kind == Kind::matrix_type;
        const PyRef dtype = is_matrix ? attribute(wanted, names().dtype) : PyRef::borrow(wanted);
        if (is_matrix ? !member.is_matrix() : !member.is_scalar()) return false;
        if (scalar_type(w_, node, member) != dtype_scalar(w_, node, dtype.get())) return false;
        const auto [n, m, ndim] = shape_of(member);
        if (is_matrix && (n != attribute_int(wanted, names().n, 1) || m != attribute_int(wanted, names().m, 1) ||
                          ndim != attribute_int(wanted, names().ndim, 1)))
            return false;
    }
    return true;
}

/// Checks a returned struct. It is not converted: it must already have the members of the annotation, whatever its class.
void Structs::check_returned(const Node *node, PyObject *struct_type, const Val &given) {
    const Val v = typed(w_, node, w_.places.load(given));
    if (!v.is_structure() || has_members(node, *layout_of(node, struct_type), v)) return;
    const val::StructValue &structure = v.structure();
    std::string members;
    for (size_t i = 0; i < structure.members.size(); ++i)
        members += (i ? ", " : "") + text(structure.type->names[i].get()) + "=" +
                   type_text(w_, w_.places.load(structure.members[i]));
    w_.fail(node, UserErrorKind::compilation,
            "Return (type=<qd.Struct " + members + ">) cannot be converted into required type " + repr(struct_type),
            "the members must have the names, shapes and data types that the annotation says");
}

// Members and methods

std::optional<Val> struct_method(const StructLayout *type, const Val &self, PyObject *name) {
    PyObject *found = type->methods ? PyDict_GetItemWithError(type->methods.get(), name) : nullptr;
    if (!found) return std::nullopt;
    return bound_method(self, name, PyRef::borrow(found));
}

/// A vector declared with unpacked=True, whose components are members of their own.
static std::optional<Val> unpacked_vector(const val::StructValue &structure, PyObject *name) {
    const StructLayout &type = *structure.type;
    PyRef groups = type.object ? attribute(type.object.get(), names().unpacked) : PyRef{};
    PyObject *first = groups && PyDict_Check(groups.get()) ? PyDict_GetItemWithError(groups.get(), name) : nullptr;
    if (!first || !PyList_Check(first)) return std::nullopt;
    val::Sequence out{{}, val::Sequence::Type::list, Flavour::unpacked, PyRef::borrow(name)};
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(first); ++i)
        out.items.push_back(structure.members[member_index(type, PyList_GET_ITEM(first, i))]);
    return out;
}

UnderConstruction::UnderConstruction(Walk &walk, PyObject *cls) : structs(walk.structs) {
    StructLayout &made = structs.layouts_.emplace_back();
    made.cls = PyRef::borrow(cls);
    made.nesting = walk.nesting;
    structs.unfinished_.push_back({&made, {}});
    type = &made;
}

const Val *Structs::member(const Node *node, const Val &structure, PyObject *name) {
    const StructLayout *type = structure.structure().type;
    const size_t i = member_index(*type, name);
    if (i == type->names.size()) return nullptr;
    if (const Unfinished *made = find_made(type)) return &made->members[i];
    if (i < structure.structure().members.size()) return &structure.structure().members[i];
    w_.fail_type(node, "An instance of '" + type_text(w_, structure) + "' was stored while it was being constructed",
                 "store or return it after `__init__` has finished");
}

void Structs::add_member(const StructLayout *type, PyObject *name, Val v) {
    for (Unfinished &made : unfinished_) {
        if (made.type != type) continue;
        made.type->names.push_back(interned(name));
        made.members.push_back(std::move(v));
    }
}

Val Structs::made(const StructLayout *type) { return make_struct(type, find_made(type)->members); }

Val Structs::struct_attribute(const Node *node, const Val &self, PyObject *name) {
    if (self.structure().type->cls) return instance_attribute(w_, node, self, name);
    const val::StructValue &structure = self.structure();
    const StructLayout &type = *structure.type;
    if (const size_t i = member_index(type, name); i < type.names.size()) return structure.members[i];
    if (std::optional<Val> method = struct_method(&type, self, name)) return *method;
    if (std::optional<Val> vector = unpacked_vector(structure, name)) return *vector;
    const std::string what = text(name);
    if (what == "keys" || what == "items") {
        std::vector<Val> out;
        for (size_t i = 0; i < type.names.size(); ++i) {
            const Val key = constant(type.names[i]);
            out.push_back(what == "keys" ? key : tuple_of({key, structure.members[i]}));
        }
        return tuple_of(std::move(out));
    }
    if (what == "entries") {
        auto keys = std::make_shared<DictKeys>();
        keys->known = type.names;
        return val::Dict{structure.members, std::move(keys)};
    }
    w_.fail(node, UserErrorKind::compilation, "'" + type_text(w_, self) + "' has no attribute '" + what + "'",
            "its members are " + member_names(type));
}

/// True if two members that are not run-time values are one object, or equal plain values.
static bool is_same_object(const Val &a, const Val &b) {
    const PyRef x = to_python(a), y = to_python(b);
    if (!x || !y) return false;
    return x.get() == y.get() || (is_plain(x.get()) && PyObject_RichCompareBool(x.get(), y.get(), Py_EQ) == 1);
}

void Structs::store_struct(const Node *node, const Val &place, const Val &given) {
    const StructLayout &type = *place.structure().type;
    const std::vector<Val> &places = place.structure().members;
    const Val v = typed(w_, node, w_.places.load(given));
    const bool is_dict = v.is_dict() || (v.is_constant() && PyDict_Check(v.object()));
    const Val from = is_dict && type.object ? convert_struct(node, type.object.get(), v, "") : v;
    if (!from.is_structure())
        w_.fail_type(node, "cannot assign '" + type_text(w_, v) + "' to '" + type_text(w_, place) + "'");
    const val::StructValue &source = from.structure();
    if (type.cls && source.type->cls && type.cls.get() != source.type->cls.get())
        w_.fail_type(node, "cannot assign '" + type_text(w_, v) + "' to '" + type_text(w_, place) + "'",
                     "use another name");
    for (size_t i = 0; i < places.size(); ++i) {
        const size_t k = member_index(*source.type, type.names[i].get());
        if (k == source.members.size() || places.size() != source.members.size())
            w_.fail_type(node,
                         "Member mismatch between structs " + member_names(type) + ", " + member_names(*source.type));
        if (places[i].is_structure())
            store_struct(node, places[i], source.members[k]);
        else if (places[i].is_sequence() && source.members[k].is_sequence())
            store_sequence(w_, node, places[i], source.members[k]);
        else if (type.cls && is_same_object(places[i], source.members[k]))
            continue;
        else if (type.cls && !places[i].is_ref())
            w_.fail_type(node,
                         "Member '" + text(type.names[i].get()) + "' of '" + type_text(w_, place) +
                             "' is not a number, vector or struct, and cannot change",
                         "give it the same value everywhere");
        else if (places[i].is_ref())
            w_.places.store(node, *places[i].ref(), source.members[k]);
        else
            w_.fail_type(node, "Cannot assign to non-lvalue: this struct is a value");
    }
}

// Fields of structs

/// The first member that is not a struct; its shape is that of the field.
PyRef Structs::leaf_field(PyObject *struct_field) {
    PyRef field = PyRef::borrow(struct_field);
    while (field && w_.objects.kind_of(field.get()) == Kind::struct_field) {
        PyRef keys = attribute(field.get(), names().keys);
        PyRef first = PyRef::steal(keys ? PySequence_GetItem(keys.get(), 0) : nullptr);
        field = PyRef::steal(first ? PyObject_CallMethodOneArg(field.get(), names().get_member_field, first.get())
                                   : nullptr);
    }
    if (!field) throw PythonError{};
    w_.objects.keep(field);
    return field;
}

Val Structs::struct_field_element(const Node *node, PyObject *field, const std::vector<Val> &indices) {
    const FieldInfo *first = w_.places.field_info(node, leaf_field(field).get());
    if (int(indices.size()) + 1 == first->dims() && last_level(w_, first->places[0]) == ir::LevelKind::dynamic)
        return dynamic_container(field, index_values(w_, node, indices, true));
    const std::vector<ir::Value> values = field_indices(w_, node, *first, indices);
    const std::function<Val(PyObject *)> element = [&](PyObject *of) {
        PyRef struct_type = attribute(of, names().dtype);
        const StructLayout *type = layout_of(node, struct_type.get());
        std::vector<Val> items;
        for (const PyRef &name : type->names) {
            PyRef member = PyRef::steal(PyObject_CallMethodOneArg(of, names().get_member_field, name.get()));
            if (!member) w_.python_failed(node);
            w_.objects.keep(member);
            items.push_back(w_.objects.kind_of(member.get()) == Kind::struct_field
                                ? element(member.get())
                                : field_ref(w_.places.field_info(node, member.get()), values));
        }
        return make_struct(type, std::move(items));
    };
    return element(field);
}

} // namespace qd::frontend
