#pragma once
// Python's operators: the spelling, the Python implementation and the IR of each.
#include "frontend/frontend.h"

#include <optional>
#include <string_view>

namespace qd::frontend {

struct Operator {
    NodeKind kind;
    const char *symbol;
    const char *function = nullptr;                        ///< in Python's module `operator`; null: none is exactly it
    std::optional<ir::Op> op = {};                         ///< for operands of one type
    std::optional<ir::Op> atomic = {};                     ///< for the augmented assignment
    bool negates = false;                                  ///< the augmented assignment negates the amount
    PyObject *(*unary)(PyObject *) = nullptr;              ///< Python's implementation; each operator that has a
    PyObject *(*binary)(PyObject *, PyObject *) = nullptr; ///< function has one of these
    std::optional<int> compare = {};                       ///< Py_LT etc.
};

/// The row of an operator; fails for other nodes.
const Operator &operator_of(NodeKind kind);
/// The operator that a function of the module `operator` implements; null if there is none.
const Operator *operator_named(std::string_view function);

} // namespace qd::frontend
