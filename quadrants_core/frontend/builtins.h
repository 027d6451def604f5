#pragma once
#include "frontend/walker.h"

#include <string_view>

namespace qd::frontend {

enum class Flag : uint8_t { any, real, widen, ints, places, negate, raw };

struct BuiltinRow {
    const char *name;
    Val (Walker::*handler)(const Call &);
    ir::Op op;
    Flag flag;
    int least, most;
};

bool takes_keyword(const BuiltinRow &row, std::string_view name);
const BuiltinRow *find_builtin(std::string_view name);
/// Names of a row's parameters, separated by spaces; empty if they go by position.
std::string_view parameter_names(std::string_view builtin);
/// The row that stands for a function of Python's own (`min`, `print`, `range`, ...) inside a kernel; null if none.
const BuiltinRow *python_builtin(PyObject *object);
/// The same for any object, those of the package included.
const BuiltinRow *row_of_object(PyObject *object);

} // namespace qd::frontend
