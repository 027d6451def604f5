#pragma once
// Hints of errors and warnings.
#include "frontend/walk.h"

namespace qd::frontend {

[[noreturn]] void fail_unknown_name(Walk &w, const Node *node, PyObject *name);
[[noreturn]] void fail_attribute(Walk &w, const Node *node, PyObject *object, PyObject *name);
/// Returns where a variable got its type, for a value stored into it and loses its fraction; empty if that is no variable.
std::string why_narrow(Walk &w, const Node *node, ir::Scalar to, ir::Scalar from);
/// Fails with the user error for a node that no kernel may hold.
[[noreturn]] void fail_unsupported_node(Walk &w, const Node *node);
/// "did you mean `x`?", if a word is near to `name`.
std::string near_word(const std::string &name, std::span<const std::string_view> words);
/// Returns the values that a failed assertion shows: the indices of the loops around it, the operands of a comparison, of other conditions
/// the variables.
std::vector<const Node *> worth_showing(Walk &w, const Node *assertion);

} // namespace qd::frontend
