#pragma once
// Hints in errors and warnings.
#include "frontend/walk.h"

namespace qd::frontend {

[[noreturn]] void fail_unknown_name(Walk &w, const Node *node, PyObject *name);
[[noreturn]] void fail_attribute(Walk &w, const Node *node, PyObject *object, PyObject *name);
/// Returns where a variable got its type, for a value that loses its fraction when stored into it; empty if the target is not a variable.
std::string why_narrow(Walk &w, const Node *node, ir::Scalar to, ir::Scalar from);
/// Fails with the user error for a node that is not allowed in kernels.
[[noreturn]] void fail_unsupported_node(Walk &w, const Node *node);
/// Returns "did you mean `x`?" if a word is close to `name`.
std::string near_word(const std::string &name, std::span<const std::string_view> words);
/// Returns the values that a failed assertion shows: the indices of the loops around it, and the operands of a comparison or the variables
/// in another condition.
std::vector<const Node *> values_to_show(Walk &w, const Node *assertion);

} // namespace qd::frontend
