#pragma once
// `qd.static` and comprehensions.
#include "frontend/walk.h"

namespace qd::frontend {

/// The construct that makes part of a program run at compile time.
enum class Unrolled { qd_static, comprehension };

[[noreturn]] void fail_static(Walk &w, const Node *node, const Val &v, Unrolled by = Unrolled::qd_static);
/// `cut`: the comprehension is in a state machine and its calls are cut into states.
Val eval_comprehension(Walk &w, const Node *node, NodeKind kind, bool cut = false);
void refuse_keywords(Walk &w, const Call &call);

} // namespace qd::frontend
