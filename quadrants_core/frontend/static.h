#pragma once
// What `qd.static` evaluates, and comprehensions.
#include "frontend/walk.h"

namespace qd::frontend {

[[noreturn]] void fail_static(Walk &w, const Node *node, const Val &v);
/// `cut`: in a state machine, with calls that are cut.
Val eval_comprehension(Walk &w, const Node *node, NodeKind kind, bool cut = false);
void refuse_keywords(Walk &w, const Call &call);

} // namespace qd::frontend
