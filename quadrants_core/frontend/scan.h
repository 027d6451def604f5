#pragma once
// Queries about statements before they are walked.
#include "frontend/frontend.h"

#include <optional>
#include <unordered_set>

namespace qd::frontend {

/// Collects the names that statements assign, update, or store into (`x = `, `x += `, `x[i] = `, `x.y = `), interned. Loop targets are
/// excluded.
void scan_assigned(Items list, std::unordered_set<PyObject *> &out);

/// The same for a whole function, plus the names that its expressions change: `qd.atomic_add(x, 1)`, `x.fill(0)`, `x := 1`.
void scan_changed(const Source &source, std::unordered_set<PyObject *> &out);

/// Collects the names that a method is called on (`x.f()`, `x.y.f()`, `x[i].f()`) anywhere in the statements, interned.
void scan_receivers(Items list, std::unordered_set<PyObject *> &out);

/// Collects the names that `:=` has certainly bound once an expression is known to be true, or false.
void scan_certain(const Node *expression, std::optional<bool> truth, std::unordered_set<PyObject *> &out);

/// True if an expression in the list binds a name by `:=`.
bool binds_names(Items expressions);

/// True if the list, the body of a loop, has a `break` of that loop.
bool has_break(Items list);

enum class Continues : uint8_t { none, guards, general };
/// Classifies the `continue`s of the loop with this body; `guards`: each ends an `if` without `else` at the body's own level.
Continues scan_continues(Items list);
bool is_guard(const Node *statement);

} // namespace qd::frontend
