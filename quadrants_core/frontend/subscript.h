#pragma once
// Subscripts and slices.
#include "frontend/walk.h"

namespace qd::frontend {

Val eval_subscript(Walk &w, const Node *node, Use use);
bool contains_slice(const Node *slice);
Val subscript_field(Walk &w, const Node *node, PyObject *field, const std::vector<Val> &indices);
std::vector<ir::Value> field_indices(Walk &w, const Node *node, const FieldInfo &info, const std::vector<Val> &indices);
Val field_element(Walk &w, const FieldInfo *info, std::vector<ir::Value> indices);
Val element_place(Walk &w, const Val &array, std::vector<ir::Value> indices);
Val slice_object(Walk &w, const Node *slice);
Val slice_sequence(Walk &w, const Node *node, const Val &base, const Node *slice);
Val slice_matrix(Walk &w, const Node *node, const Val &base, const Node *slice, int n, int m, int ndim);
Val select_components(Walk &w, const Val &base, const std::vector<int> &which, int n, int m, int ndim);
std::vector<Val> indices_of(Walk &w, const Node *slice);
std::vector<ir::Value> index_values(Walk &w, const Node *node, const std::vector<Val> &indices, bool may_be_negative);

} // namespace qd::frontend
