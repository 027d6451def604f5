#pragma once
// Plain Python functions.
#include "frontend/walk.h"

namespace qd::frontend {

/// The callable that a call of `callee` reaches, if `callee` only forwards its arguments: a partial, a cached function, an instance with
/// `__call__`.
std::optional<Val> inner_callable(Walk &w, const Node *node, const Val &callee);
Val partial_of(Val callee, std::vector<Val> first, std::vector<std::pair<PyRef, Val>> by_name);
/// `functools.partial(callee, *args, **keywords)` with a Python tuple and dict.
Val partial_with(Walk &w, Val callee, PyObject *args, PyObject *keywords);
/// Returns the result of a Python function that calls another one, such as map, filter, reduce or methodcaller; nothing for other
/// functions.
std::optional<Val> call_each(Walk &w, const Node *node, PyObject *callee, const Call &call, const std::string &name);
std::optional<Val> call_foreign(Walk &w, const Node *node, PyObject *callee, Call call, const std::string &module,
                                const std::string &name);
void warn_foreign(Walk &w, const Node *node, const std::string &name);

} // namespace qd::frontend
