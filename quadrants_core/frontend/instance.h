#pragma once
// Instances of classes of Python that a kernel makes: structs (record.h) with a class, whose members are what `__init__`
// assigned and whose methods are inlined. Operators that such classes define, also for instances that Python made.
#include "frontend/call.h"
#include "frontend/walk.h"

namespace qd::frontend {

/// An instance of a class, made by walking its `__init__`; nothing if Python is to call the class.
std::optional<Val> new_instance(Walk &w, PyObject *cls, Call call, bool all_known);
/// `super()` in a method; nothing elsewhere.
std::optional<Val> bare_super(Walk &w, const Node *node);
/// `super(cls, self)` of an instance that a kernel made.
Val super_of(Walk &w, PyObject *cls, const Val &self);
/// An attribute of an instance; fails if it has none.
Val instance_attribute(Walk &w, const Node *node, const Val &instance, PyObject *name);
/// The same, looked for behind the class of `super()`.
Val super_attribute(Walk &w, const Node *node, const BoundMethod &super, PyObject *name);
/// `target = v` where the target is a member of an instance that is being made, a property, or an item of an instance; false
/// if it is none of these.
bool assign_in_instance(Walk &w, const Node *target, const Val &v);

/// True if a record is an instance of a named tuple.
bool is_tuple_instance(const Val &record);
/// True if the class of a value defines a method such as `__neg__`, that can be inlined.
bool has_method(Walk &w, const Node *node, const Val &self, const std::string &name);
/// Returns the result of a method such as `__neg__` of the class of `self`; nothing if the class has none that can be inlined.
std::optional<Val> class_method(Walk &w, const Node *node, const Val &self, const std::string &name,
                                std::vector<Val> args = {});
/// The operator as methods of classes call it: "and" of `&`.
std::string method_name(NodeKind kind);
/// a `kind` b, if the class of one of them defines the operator.
std::optional<Val> class_binary(Walk &w, const Node *node, NodeKind kind, const Val &a, const Val &b);
std::optional<Val> class_unary(Walk &w, const Node *node, NodeKind kind, const Val &a);
/// The result of `__bool__`, or of `__len__`, of an instance that a kernel made; nothing if its class has neither.
std::optional<Val> class_truth(Walk &w, const Node *node, const Val &v);
std::optional<Val> class_compare(Walk &w, const Node *node, NodeKind kind, const Val &a, const Val &b);

} // namespace qd::frontend
