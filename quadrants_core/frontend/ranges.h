#pragma once
// Ranges and their hints.
#include "frontend/walk.h"

namespace qd::frontend {

std::vector<int> ndrange_axes(Walk &w, const Node *node, const Val &axes, size_t rank);

} // namespace qd::frontend
