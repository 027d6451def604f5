#pragma once
// Operations on the threads of a block and the lanes of a group.
#include "frontend/walk.h"

namespace qd::frontend {

Val subscript_shared(Walk &w, const Node *node, const Val &base, const std::vector<Val> &indices);

} // namespace qd::frontend
