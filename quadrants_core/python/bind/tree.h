#pragma once
// The syntax tree of a function as an object of Python's: the package keeps one with every source that was compiled.
#include "syntax/tree.h"

namespace qd::bind {

/// Null if `object` is none.
const syntax::Tree *tree_of(PyObject *object);

/// Adds the class `Tree`, and what makes one: `parse_function(lines, start)` of text, `convert_tree(node, shift)` of a
/// node of the module `ast`.
bool add_tree_type(PyObject *module);

} // namespace qd::bind
