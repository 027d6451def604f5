#pragma once
// Which funcs a func calls, and which of them are recursive.
#include "frontend/walk.h"

namespace qd::frontend {

bool is_recursive(Walk &w, FuncInfo &info);
FuncInfo *cut_callee(Walk &w, const Node *node);
bool calls_real(Walk &w, const Node *tree);

} // namespace qd::frontend
