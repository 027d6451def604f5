#pragma once
// Questions about statements that are answered before they are walked.
#include "frontend/frontend.h"

#include <optional>
#include <unordered_set>

namespace qd::frontend {

/// Names that statements assign, update, or store into (`x = `, `x += `, `x[i] = `, `x.y = `), interned. Loop targets
/// do not count.
void scan_assigned(Items list, std::unordered_set<PyObject *> &out);

/// The same of a whole function, with the names that its expressions change: `qd.atomic_add(x, 1)`, `x.fill(0)`, `x :=
/// 1`.
void scan_changed(const Source &source, std::unordered_set<PyObject *> &out);

/// Names that a method is called on (`x.f()`, `x.y.f()`, `x[i].f()`), anywhere in the statements; interned.
void scan_receivers(Items list, std::unordered_set<PyObject *> &out);

/// Names that `:=` has bound once an expression is known to be true, or false.
void scan_certain(const Node *expression, std::optional<bool> truth, std::unordered_set<PyObject *> &out);

/// An expression in the list binds a name by `:=`.
bool binds_names(Items expressions);

/// A `break` that belongs to the loop whose body this is.
bool has_break(Items list);

enum class Continues : uint8_t { none, guards, general };
/// `continue`s that belong to the loop whose body this is; `guards`: each ends an `if` without `else` at the body's own
/// level.
Continues scan_continues(Items list);
bool is_guard(const Node *statement);

} // namespace qd::frontend
