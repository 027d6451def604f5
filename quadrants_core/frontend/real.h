#pragma once
// Real funcs.
#include "frontend/walk.h"

namespace qd::frontend {

Val result_place(Walk &w, const Node *node, PyObject *annotation);
void store_result(Walk &w, const Node *node, const Val &place, const Val &v);
Flow real_return(Walk &w, const Node *node);
void leave_if_returned(Walk &w, int returns_before);
int returns_so_far(Walk &w);
Val real_body(Walk &w, FuncInfo &info);
Val loaded_result(Walk &w, Val result);

} // namespace qd::frontend
