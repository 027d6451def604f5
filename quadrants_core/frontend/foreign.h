#pragma once
// Plain functions of Python.
#include "frontend/walk.h"

namespace qd::frontend {

std::optional<Val> call_foreign(Walk &w, const Node *node, PyObject *callee, Call call, const std::string &module,
                                const std::string &name);
void warn_foreign(Walk &w, const Node *node, const std::string &name);

} // namespace qd::frontend
