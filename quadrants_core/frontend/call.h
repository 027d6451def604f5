#pragma once
// Calls and their arguments.
#include "frontend/walk.h"

namespace qd::frontend {

struct BuiltinRow;

struct Call {
    const Node *node = nullptr;
    const BuiltinRow *row = nullptr;
    PyObject *callee = nullptr; ///< the object called; null for members of builtins
    std::vector<Val> args;
    std::vector<std::pair<PyObject *, Val>> kwargs;
    const Node *arg_node(size_t i) const;
    const Val *keyword(const char *name) const;
};

Val eval_call(Walk &w, const Node *node);
Val call_python(Walk &w, const Node *node, PyObject *callee, const Call &call);
Call arguments(Walk &w, const Node *node, bool as_places, bool handed_on = false);

} // namespace qd::frontend
