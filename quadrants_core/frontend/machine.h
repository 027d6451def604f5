#pragma once
// The state machine that real funcs become when they call themselves: see recursion.cpp.
#include "frontend/walk.h"

#include <map>
#include <unordered_map>

namespace qd::frontend {

/// One of the funcs.
struct MachineFunction {
    FuncInfo *info = nullptr;
    int entry = 0; ///< its first state
    SpanId call = no_span;
    std::vector<Val> params; ///< variables; arrays and compile-time values as they were passed
    Val result;
    int returns = 0;
};

struct Machine {
    /// Scalars of one type that calls save, `deepest` of each.
    struct Stack {
        ir::Value array;
        int slots = 0;
    };
    ir::BlockId entry;         ///< block before the loop: variables are made there
    ir::BlockId row;           ///< body of the loop
    size_t locals = 0;         ///< where in `entry` the next variable is made
    ir::Value pc, depth, back; ///< i32 variables: state to run, activations below this one, state to return to
    std::deque<MachineFunction> functions;
    MachineFunction *now = nullptr;
    const Frame *frame = nullptr; ///< of its body; others on top of it are of funcs that are inlined
    size_t first_binding = 0;     ///< of its body
    std::vector<ir::BlockId> states;
    std::vector<std::pair<int, int>> loops; ///< that are cut: states of the next iteration and after the loop
    Flow left = Flow::stop;                 ///< how the last block that does not go on was left
    std::map<ir::Scalar, Stack> stacks;
    /// What calls of the statement being walked, and choices that hold some, gave; those of the statements around it.
    std::unordered_map<const Node *, Val> values;
    std::vector<std::unordered_map<const Node *, Val>> outer_values;
};

/// Variables of one loop of a nest that is cut.
struct FlatAxis {
    ir::Value lower, upper, next;
};

/// `visit` on every node of a tree, parents first; false from it keeps out of the children.
void visit_tree(const Node *tree, const std::function<bool(const Node *)> &visit);

} // namespace qd::frontend
