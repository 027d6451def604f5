#pragma once
// The syntax tree of a function as a Python object: the package keeps one for every source that was compiled.
#include "syntax/tree.h"

namespace qd::bind {

/// Returns null if `object` is not one.
const syntax::Tree *tree_of(PyObject *object);

/// Adds the class `Tree` and the functions that create one: `parse_function(lines, start)` from text, `convert_tree(node, shift)` from a
/// node of the module `ast`.
bool add_tree_type(PyObject *module);

} // namespace qd::bind
