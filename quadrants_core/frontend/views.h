#pragma once
// Buffer views.
#include "frontend/walk.h"

namespace qd::frontend {

struct Call;

bool is_view(Walk &w, const Val &v);
ir::Value view_size(Walk &w, const Val &view);
bool checks_bounds(Walk &w);
Val slice_view(Walk &w, const Node *node, const Val &view, const Node *slice);
Val view_method(Walk &w, const Val &bound, Call call);
Val subscript_view(Walk &w, const Node *node, const Val &view, const std::vector<Val> &indices);
Val view_attribute(Walk &w, const Node *node, const Val &view, const std::string &what);

} // namespace qd::frontend
