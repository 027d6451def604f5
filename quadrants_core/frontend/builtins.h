#pragma once
#include "frontend/call.h"

#include <string_view>

namespace qd::frontend {

/// The flags of builtins.def.
struct Flag {
    enum Bits : uint8_t { any = 0, real = 1, widen = 2, ints = 4, places = 8, raw = 16, python = 32, folds = 96 };
};

/// The functions that implement builtins; one may serve several rows.
namespace handlers {
#define BUILTIN(name, handler, ...) Val handler(Walk &w, const Call &call);
#define OPERATION(name, handler, ...) Val handler(Walk &w, const Call &call, ir::Op op);
#include "frontend/builtins.def"
} // namespace handlers

struct BuiltinRow {
    const char *name;
    Val (*handler)(Walk &, const Call &);
    uint8_t flags;
    int least, most;
    std::string_view parameters;

    /// True if all bits of a flag are set.
    bool has(Flag::Bits flag) const { return (flags & flag) == flag; }
    /// True if the builtin accepts a keyword that has no position.
    bool takes_keyword(std::string_view name) const;
};

const BuiltinRow *find_builtin(std::string_view name);
/// The row for a function of Python's own (`min`, `print`, `range`, ...) inside a kernel; null if there is none.
const BuiltinRow *python_builtin(PyObject *object);
/// The same for any object, including those of the package.
const BuiltinRow *row_of_object(PyObject *object);
Val builtin_value(const BuiltinRow &row);
void check_domain(Walk &w, const Node *node, const BuiltinRow &row, ir::Scalar type);
bool python_builtin_applies(Walk &w, const Call &call);
Val call_builtin_in_python(Walk &w, const Call &call);

} // namespace qd::frontend
