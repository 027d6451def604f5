#pragma once
// Instances of Python classes that a kernel makes: structs (struct_value.h) with a class, whose members are the attributes that `__init__`
// assigned and whose methods are inlined. Also the operators that such classes define, for instances made by Python too.
#include "frontend/call.h"
#include "frontend/walk.h"

namespace qd::frontend {

/// Makes an instance of a class by walking its `__init__`; nothing if Python must call the class.
std::optional<Val> new_instance(Walk &w, PyObject *cls, Call call, bool all_known);
/// `super()` in a method; nothing elsewhere.
std::optional<Val> bare_super(Walk &w, const Node *node);
/// Evaluates `super(cls, self)` of an instance that a kernel made.
Val super_of(Walk &w, PyObject *cls, const Val &self);
/// An attribute of an instance; fails if it has none.
Val instance_attribute(Walk &w, const Node *node, const Val &instance, PyObject *name);
/// The same, looked up after the class of `super()`.
Val super_attribute(Walk &w, const Node *node, const BoundMethod &super, PyObject *name);
/// Assigns to the target if it is a member of an instance under construction, a property, or an item of an instance; otherwise returns
/// false.
bool assign_in_instance(Walk &w, const Node *target, const Val &v);

/// True if a struct value is an instance of a named tuple.
bool is_tuple_instance(const Val &structure);
/// True if the class of a value defines a method such as `__neg__` that can be inlined.
bool has_method(Walk &w, const Node *node, const Val &self, const std::string &name);
/// Returns the result of a method such as `__neg__` of the class of `self`; nothing if the class has none that can be inlined.
std::optional<Val> class_method(Walk &w, const Node *node, const Val &self, const std::string &name,
                                std::vector<Val> args = {});
/// The name of an operator in method names: "and" for `&`.
std::string method_name(NodeKind kind);
/// Computes `a kind b` if the class of either operand defines the operator.
std::optional<Val> class_binary(Walk &w, const Node *node, NodeKind kind, const Val &a, const Val &b);
std::optional<Val> class_unary(Walk &w, const Node *node, NodeKind kind, const Val &a);
/// Returns the result of `__bool__` or `__len__` of an instance that a kernel made; nothing if its class has neither.
std::optional<Val> class_truth(Walk &w, const Node *node, const Val &v);
std::optional<Val> class_compare(Walk &w, const Node *node, NodeKind kind, const Val &a, const Val &b);

} // namespace qd::frontend
