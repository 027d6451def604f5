#pragma once
// Operations on the threads of a block and the lanes of a group.
#include "frontend/walk.h"

namespace qd::frontend {

/// The part of an array that a tile is loaded from or stored to, `a[r0:r1, c0:c1]`, or of a column, `a[r0:r1, c]`; either may have an index
/// before it. It is an instance of a class of quadrants._lanes.tiles. Nothing for other forms of
/// slices, outside of threads, and on architectures without subgroups.
std::optional<Val> tile_part(Walk &w, const Node *node, const Val &base, const Node *slice);
Val shared_attribute(Walk &w, const Node *node, const Val &base, PyObject *name);
Val subscript_shared(Walk &w, const Node *node, const Val &base, const std::vector<Val> &indices);

} // namespace qd::frontend
