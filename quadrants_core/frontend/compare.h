#pragma once
// Comparisons, `and`, `or` and conditional expressions.
#include "frontend/walk.h"

namespace qd::frontend {

Val eval_compare(Walk &w, const Node *node);
/// `cut`: the calls in it run in states of their own (states.cpp).
Val eval_boolop(Walk &w, const Node *node, bool cut = false);
Val eval_ifexp(Walk &w, const Node *node, bool cut = false);
Val compare(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b);
void check_integral(Walk &w, const Node *node, const char *word, const Val &v);
Val chosen_value(Walk &w, const Node *node, const Val &side);
Val chosen_type(Walk &w, const Node *node, const Val &a, const Val &b);

void bind_certain(Walk &w, const Node *test, bool truth);

/// A name that `:=` binds in an arm; `maybe`: bound in a nested arm that may not have run.
struct BoundInArm {
    PyObject *name;
    Val value;
    bool maybe;
};
/// One side of a conditional and the block in which it ends.
struct Arm {
    Val value;
    std::vector<BoundInArm> names;
    ir::BlockId end;
};
Arm walk_arm(Walk &w, const Node *node, const std::function<Val()> &walk);

struct ArmName {
    PyObject *name;
    Val like;            ///< has the type that holds both sides
    const Val *sides[2]; ///< null if the arm does not bind the name
    bool maybe;          ///< unbound after one of the arms
};
std::vector<ArmName> names_of_arms(Walk &w, const Node *node, const Arm (&arms)[2]);

} // namespace qd::frontend
