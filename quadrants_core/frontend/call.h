#pragma once
// Calls and their arguments.
#include "frontend/walk.h"

namespace qd::frontend {

struct BuiltinRow;

struct Call {
    const Node *node = nullptr;
    const BuiltinRow *row = nullptr;
    PyObject *callee = nullptr;       ///< the object called; null for members of builtins
    std::shared_ptr<const Val> owner; ///< of a method: the argument with members that it was found in; may be none
    std::vector<Val> args;
    std::vector<std::pair<PyObject *, Val>> kwargs;
    const Node *arg_node(size_t i) const;
    const Val *keyword(const char *name) const;
};

Val eval_call(Walk &w, const Node *node);
/// A call with arguments that were evaluated already; `call.node` is where it stands.
Val apply(Walk &w, const Val &callee, Call call);
/// True if Python's error is that a func was called there, so that the callee is to be inlined.
bool calls_func();
/// Returns the result of `inlined` where Python failed because it met a func; nothing, and Python's error, elsewhere.
template <class Inlined> std::optional<Val> instead_of_python(const Inlined &inlined) {
    if (!calls_func()) return std::nullopt;
    HeldError error;
    std::optional<Val> made = inlined();
    if (!made) error.restore();
    return made;
}
Val call_python(Walk &w, const Node *node, PyObject *callee, const Call &call);
Call arguments(Walk &w, const Node *node, bool as_places, bool handed_on = false);

} // namespace qd::frontend
