#pragma once
// Linear algebra.
#include "frontend/walk.h"

namespace qd::frontend {

Val library_call(Walk &w, const Node *node, const char *name, std::vector<Val> args);
PyRef dtype_object(ir::Scalar type);

} // namespace qd::frontend
