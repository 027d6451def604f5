#pragma once
// Checks of indices against bounds.
#include "frontend/walk.h"

namespace qd::frontend {

void check_matrix_bounds(Walk &w, const Ref &ref, std::span<const ir::Value> indices, std::span<const int> extents);
int check_static_index(Walk &w, const Node *node, long k, int extent);
ir::Value clamped(Walk &w, ir::Value index, ir::Value size);
ir::Value inside(Walk &w, std::span<const ir::Value> indices, std::span<const ir::Value> lower,
                 std::span<const ir::Value> upper);
std::vector<ir::Value> shown_indices(Walk &w, std::span<const ir::Value> indices);
void append_values(ir::Message &message, size_t count, const char *open, const char *close);
void check_array_bounds(Walk &w, const Val &array, const ArrayInfo &info, const std::vector<ir::Value> &indices);
void check_field_bounds(Walk &w, const Node *node, const FieldInfo &info, const std::vector<ir::Value> &indices);

} // namespace qd::frontend
