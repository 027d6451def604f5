#pragma once
// Python's operators, each once: how it is written, what Python does and what it is in IR.
#include "frontend/frontend.h"

#include <optional>
#include <string_view>

namespace qd::frontend {

struct Operator {
    NodeKind kind;
    const char *symbol;
    const char *function = nullptr;                        ///< of Python's module `operator`; null: none is it alone
    std::optional<ir::Op> op = {};                         ///< on numbers of one type
    std::optional<ir::Op> atomic = {};                     ///< of the augmented assignment
    bool negates = false;                                  ///< the same, with the amount negated
    PyObject *(*unary)(PyObject *) = nullptr;              ///< what Python does; one of these for each operator that
    PyObject *(*binary)(PyObject *, PyObject *) = nullptr; ///< has a function
    std::optional<int> compare = {};                       ///< Py_LT ...
};

/// The row of an operator; fails for other nodes.
const Operator &operator_of(NodeKind kind);
/// The operator that a function of the module `operator` is; null if none.
const Operator *operator_named(std::string_view function);

} // namespace qd::frontend
