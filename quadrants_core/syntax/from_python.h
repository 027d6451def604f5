#pragma once
// A tree of Python's own module `ast` as a Tree.
#include "syntax/tree.h"

namespace qd::syntax {

/// `function`: an ast.FunctionDef or any other node; it becomes the root. Lines are `shift` lower than in `function`.
/// Null with Python's error set if it is no such node.
std::unique_ptr<Tree> from_python(PyObject *function, int shift = 0);

/// The same within a tree that there is already; its root stays what it was.
const Node *from_python(Tree &tree, PyObject *node, int shift);

} // namespace qd::syntax
