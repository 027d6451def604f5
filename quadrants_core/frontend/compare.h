#pragma once
// Comparisons, `and`, `or`, and what is chosen by a condition.
#include "frontend/walk.h"

namespace qd::frontend {

Val eval_compare(Walk &w, const Node *node);
Val eval_boolop(Walk &w, const Node *node);
Val eval_ifexp(Walk &w, const Node *node);
Val compare(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b);
Val boolop_from(Walk &w, const Node *node, bool is_and, const Items &values, size_t i);
bool decides_type(Walk &w, const Val &v);
Val with_type_of(Walk &w, const Node *node, const char *word, const Val &first, const Val &rest);
void check_integral(Walk &w, const Node *node, const char *word, const Val &v);
Val chosen_value(Walk &w, const Node *node, const Val &side);
Val chosen_type(Walk &w, const Node *node, const Val &a, const Val &b);

} // namespace qd::frontend
