#pragma once
// Ranges and their hints.
#include "frontend/walk.h"

namespace qd::frontend {

/// The iteration space of a loop over a field, an ndarray or the cells of a level.
Val loop_over(const Val &target, bool grouped);
std::vector<int> ndrange_axes(Walk &w, const Node *node, const Val &axes, size_t rank);

} // namespace qd::frontend
