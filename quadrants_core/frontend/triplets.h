#pragma once
// Builders of sparse matrices.
#include "frontend/walk.h"

namespace qd::frontend {

bool is_builder(Walk &w, const Val &v);
Val triplet(Walk &w, const Node *node, const Val &builder, const Node *slice, Use use);
void append_triplet(Walk &w, const Node *node, NodeKind op, const Val &place, const Val &amount);
void check_builder_argument(Walk &w, const Node *node, const Val &arg, const std::string &name);

} // namespace qd::frontend
