#pragma once
// The state machine that recursive real funcs become: see recursion.cpp.
#include "frontend/walk.h"

#include <map>
#include <unordered_map>

namespace qd::frontend {

/// One func of the machine.
struct MachineFunction {
    FuncInfo *info = nullptr;
    int entry = 0; ///< its first state
    SpanId call = no_span;
    std::vector<Val> params; ///< variables; arrays and compile-time values as they were passed
    Val result;
    int returns = 0;
};

struct Machine {
    /// A stack for values of one type that calls save: each slot has an entry per activation.
    struct Stack {
        ir::Value array;
        int slots = 0;
    };
    ir::BlockId entry;                 ///< block before the loop, in which variables are made
    ir::BlockId loop_body;             ///< body of the loop
    size_t locals = 0;                 ///< position of the next variable in `entry`
    ir::Value pc, depth, return_state; ///< i32 variables: state to run, activations below this one, state to return to
    std::deque<MachineFunction> functions;
    MachineFunction *now = nullptr;
    const Frame *frame = nullptr; ///< frame of its body; frames above it belong to inlined funcs
    size_t first_binding = 0;     ///< first binding of its body
    std::vector<ir::BlockId> states;
    std::vector<std::pair<int, int>> loops; ///< that are cut: states of the next iteration and after the loop
    Flow left = Flow::stop;                 ///< how the last block that does not fall through was left
    std::map<ir::Scalar, Stack> stacks;
    /// Values of calls, and of choices that contain calls, in the statement being walked; the outer ones belong to the enclosing
    /// statements.
    std::unordered_map<const Node *, Val> values;
    std::vector<std::unordered_map<const Node *, Val>> outer_values;
};

/// Variables of one loop of a nest that is cut into states.
struct LoopAxis {
    ir::Value lower, upper, next;
};

/// Calls `visit` on every node of a tree, parents first; if it returns false the children are skipped.
void visit_tree(const Node *tree, const std::function<bool(const Node *)> &visit);

} // namespace qd::frontend
