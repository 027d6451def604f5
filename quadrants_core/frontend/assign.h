#pragma once
// Assignments.
#include "frontend/walk.h"

namespace qd::frontend {

Flow assign(Walk &w, const Node *node);
Flow annotated_assign(Walk &w, const Node *node);
Flow augmented_assign(Walk &w, const Node *node);
void assign_to(Walk &w, const Node *target, Val value);
void store_sequence(Walk &w, const Node *target, const Val &place, const Val &value);

} // namespace qd::frontend
