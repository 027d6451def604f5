#pragma once
// Statements and control flow.
#include "frontend/walk.h"

namespace qd::frontend {

/// The way in which the branches of an `if` are walked.
struct Choice {
    std::optional<bool> fixed; ///< decided by qd.static; otherwise `taken` decides at run time
    ir::Value taken;
    bool walked[2] = {true, true}; ///< true if the branch is walked
};

/// Counts one more block around the emitted code. The IR limits their nesting depth.
struct Nested {
    Walk &w;
    explicit Nested(Walk &walk);
    ~Nested() { --w.nesting; }
};

Flow block(Walk &w, Items list, size_t from = 0, size_t to = SIZE_MAX);
Flow statement(Walk &w, const Node *node);
/// Leaves the innermost IR loop if `test` equals `value`.
void break_when(Walk &w, bool value, ir::Value test);
Choice choice(Walk &w, const Node *node, const Val &test);
void poll(Walk &w);
std::vector<ir::Value> return_values(Walk &w, const Node *node, const Val &result);
Flow body_in(Walk &w, ir::BlockId target, const std::function<Flow()> &body); ///< in its own scope; ends with yield
Flow loop_body(Walk &w, const Node *node);

} // namespace qd::frontend
