#pragma once
// Errors about unknown names.
#include "frontend/walk.h"

namespace qd::frontend {

[[noreturn]] void fail_unknown_name(Walk &w, const Node *node, PyObject *name);
[[noreturn]] void fail_attribute(Walk &w, const Node *node, PyObject *object, PyObject *name);

} // namespace qd::frontend
