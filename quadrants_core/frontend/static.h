#pragma once
// What `qd.static` evaluates, and comprehensions.
#include "frontend/walk.h"

namespace qd::frontend {

/// What has a part of a program run at compile time.
enum class Unrolled { qd_static, comprehension };

[[noreturn]] void fail_static(Walk &w, const Node *node, const Val &v, Unrolled by = Unrolled::qd_static);
/// `cut`: in a state machine, with calls that are cut.
Val eval_comprehension(Walk &w, const Node *node, NodeKind kind, bool cut = false);
void refuse_keywords(Walk &w, const Call &call);

} // namespace qd::frontend
