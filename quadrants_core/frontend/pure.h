#pragma once
// Reads that pure kernels may not make.
#include "frontend/walk.h"

namespace qd::frontend {

bool in_package(Walk &w);
void check_pure_name(Walk &w, const Node *node, PyObject *name, PyObject *found);
void check_pure_attribute(Walk &w, const Node *node, const Val &base, const Val &found);

} // namespace qd::frontend
