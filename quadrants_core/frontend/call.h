#pragma once
// Calls and their arguments.
#include "frontend/walk.h"

namespace qd::frontend {

struct BuiltinRow;

struct Call {
    const Node *node = nullptr;
    const BuiltinRow *row = nullptr;
    PyObject *callee = nullptr;       ///< the object called; null for members of builtins
    std::shared_ptr<const Val> owner; ///< methods: the argument with members in which the method was found; may be null
    std::vector<Val> args;
    std::vector<std::pair<PyObject *, Val>> kwargs;
    const Node *arg_node(size_t i) const;
    const Val *keyword(const char *name) const;
};

Val eval_call(Walk &w, const Node *node);
/// Calls `callee` with evaluated arguments; `call.node` is the call in the source.
Val apply(Walk &w, const Val &callee, Call call);
/// True if the pending Python error says that Python called a func, which must be inlined instead.
bool calls_func();
/// Returns the result of `inlined` if Python failed because it called a func. Otherwise, or if `inlined` returns nothing, returns nothing
/// and leaves Python's error set.
template <class Inlined> std::optional<Val> instead_of_python(const Inlined &inlined) {
    if (!calls_func()) return std::nullopt;
    HeldError error;
    std::optional<Val> made = inlined();
    if (!made) error.restore();
    return made;
}
Val call_python(Walk &w, const Node *node, PyObject *callee, const Call &call);
Call arguments(Walk &w, const Node *node, bool as_places, bool forwarded = false);

} // namespace qd::frontend
