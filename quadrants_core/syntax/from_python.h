#pragma once
// Converts a tree of Python's own `ast` module to a Tree.
#include "syntax/tree.h"

namespace qd::syntax {

/// Converts an ast.FunctionDef or any other node; it becomes the root. Lines are lowered by `shift`. Null with a Python error set if
/// `function` is not an ast node.
std::unique_ptr<Tree> from_python(PyObject *function, int shift = 0);

/// Converts a node into an existing tree, whose root does not change.
const Node *from_python(Tree &tree, PyObject *node, int shift);

} // namespace qd::syntax
