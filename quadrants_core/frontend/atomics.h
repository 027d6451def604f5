#pragma once
// Atomic updates.
#include "frontend/walk.h"

namespace qd::frontend {

Val update_atomic(Walk &w, const Node *node, ir::Op op, bool negate, const Ref &ref, const Val &value);
inline bool is_private(Walk &w, const Ref &ref) { return ref.local && ref.region == w.region; }

} // namespace qd::frontend
