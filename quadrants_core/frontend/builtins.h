#pragma once
#include "frontend/call.h"

#include <string_view>

namespace qd::frontend {

enum class Flag : uint8_t { any, real, widen, ints, places, negate, raw };

struct BuiltinRow {
    const char *name;
    Val (*handler)(Walk &, const Call &);
    ir::Op op;
    Flag flag;
    int least, most;
};

/// Functions over the walk, one for each row or for several.
namespace handlers {
#define HANDLER(name) Val name(Walk &w, const Call &call);
#include "frontend/builtins.def"
} // namespace handlers

bool takes_keyword(const BuiltinRow &row, std::string_view name);
const BuiltinRow *find_builtin(std::string_view name);
/// Names of a row's parameters, separated by spaces; empty if they go by position.
std::string_view parameter_names(std::string_view builtin);
/// The row that stands for a function of Python's own (`min`, `print`, `range`, ...) inside a kernel; null if none.
const BuiltinRow *python_builtin(PyObject *object);
/// The same for any object, those of the package included.
const BuiltinRow *row_of_object(PyObject *object);
Val builtin_value(const BuiltinRow &row);
void check_domain(Walk &w, const Node *node, const BuiltinRow &row, ir::Scalar type);
bool python_builtin_applies(Walk &w, const Call &call);
Val call_builtin_in_python(Walk &w, const Call &call);
std::vector<int> ndrange_axes(Walk &w, const Node *node, const Val &axes, size_t rank);

} // namespace qd::frontend
