#pragma once
// Statements and control flow.
#include "frontend/walk.h"

namespace qd::frontend {

/// What becomes of the branches of an `if`.
struct Choice {
    std::optional<bool> fixed; ///< by qd.static; else `taken` chooses at run time
    ir::Value taken;
    bool walked[2] = {true, true}; ///< whether the branch has code
};

/// One more block around what is emitted. The IR limits how deep they nest.
struct Nested {
    Walk &w;
    explicit Nested(Walk &walk);
    ~Nested() { --w.nesting; }
};

Flow block(Walk &w, Items list, size_t from = 0, size_t to = SIZE_MAX);
Flow statement(Walk &w, const Node *node);
/// Leaves the innermost loop of the IR if `test` is `value`.
void break_when(Walk &w, bool value, ir::Value test);
Choice choice(Walk &w, const Node *node, const Val &test);
void poll(Walk &w);
std::vector<ir::Value> return_values(Walk &w, const Node *node, const Val &result);
Flow body_in(Walk &w, ir::BlockId target, const std::function<Flow()> &body); ///< its own scope; ends it with yield
Flow loop_body(Walk &w, const Node *node);

} // namespace qd::frontend
