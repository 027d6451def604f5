#pragma once
// Python functions that only rearrange their arguments: zip, enumerate, reversed, ...
#include "frontend/walk.h"

namespace qd::frontend {

std::optional<Val> arranged(Walk &w, const Node *node, PyObject *callee, const Call &call, const std::string &module,
                            const std::string &name);

} // namespace qd::frontend
