#include "frontend/operators.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace qd::frontend {

using ir::Op;

namespace {

PyObject *power(PyObject *a, PyObject *b) { return PyNumber_Power(a, b, Py_None); }

PyObject *negation(PyObject *a) {
    const int truth = PyObject_IsTrue(a);
    return truth < 0 ? nullptr : PyBool_FromLong(!truth);
}

constexpr Operator binary(NodeKind kind, const char *symbol, const char *function,
                          PyObject *(*python)(PyObject *, PyObject *), std::optional<Op> op = {},
                          std::optional<Op> atomic = {}, bool negates = false) {
    return {kind, symbol, function, op, atomic, negates, nullptr, python, {}};
}

constexpr Operator unary(NodeKind kind, const char *symbol, const char *function, PyObject *(*python)(PyObject *),
                         std::optional<Op> op = {}) {
    return {kind, symbol, function, op, {}, false, python, nullptr, {}};
}

constexpr Operator comparison(NodeKind kind, const char *symbol, const char *function, int python, Op op) {
    return {kind, symbol, function, op, {}, false, nullptr, nullptr, python};
}

/// An operator that is evaluated at compile time or by branches.
constexpr Operator word(NodeKind kind, const char *symbol) { return {kind, symbol}; }

constexpr Operator rows[] = {
    binary(NodeKind::Add, "+", "add", PyNumber_Add, Op::add, Op::atomic_add),
    binary(NodeKind::Sub, "-", "sub", PyNumber_Subtract, Op::sub, Op::atomic_add, true),
    binary(NodeKind::Mult, "*", "mul", PyNumber_Multiply, Op::mul, Op::atomic_mul),
    binary(NodeKind::Div, "/", "truediv", PyNumber_TrueDivide, Op::div),
    binary(NodeKind::FloorDiv, "//", "floordiv", PyNumber_FloorDivide, Op::floordiv),
    binary(NodeKind::Mod, "%", "mod", PyNumber_Remainder, Op::mod),
    binary(NodeKind::Pow, "**", "pow", power),
    binary(NodeKind::LShift, "<<", "lshift", PyNumber_Lshift, Op::shl),
    binary(NodeKind::RShift, ">>", "rshift", PyNumber_Rshift, Op::shr),
    binary(NodeKind::BitOr, "|", "or_", PyNumber_Or, Op::bor, Op::atomic_or),
    binary(NodeKind::BitXor, "^", "xor", PyNumber_Xor, Op::bxor, Op::atomic_xor),
    binary(NodeKind::BitAnd, "&", "and_", PyNumber_And, Op::band, Op::atomic_and),
    binary(NodeKind::MatMult, "@", "matmul", PyNumber_MatrixMultiply),
    unary(NodeKind::USub, "-", "neg", PyNumber_Negative, Op::neg),
    unary(NodeKind::UAdd, "+", "pos", PyNumber_Positive),
    unary(NodeKind::Invert, "~", "invert", PyNumber_Invert, Op::bnot),
    unary(NodeKind::Not, "not", "not_", negation),
    comparison(NodeKind::Eq, "==", "eq", Py_EQ, Op::eq),
    comparison(NodeKind::NotEq, "!=", "ne", Py_NE, Op::ne),
    comparison(NodeKind::Lt, "<", "lt", Py_LT, Op::lt),
    comparison(NodeKind::LtE, "<=", "le", Py_LE, Op::le),
    comparison(NodeKind::Gt, ">", "gt", Py_GT, Op::gt),
    comparison(NodeKind::GtE, ">=", "ge", Py_GE, Op::ge),
    word(NodeKind::Is, "is"),
    word(NodeKind::IsNot, "is not"),
    word(NodeKind::In, "in"),
    word(NodeKind::NotIn, "not in"),
    word(NodeKind::And, "and"),
    word(NodeKind::Or, "or"),
};

constexpr size_t no_row = std::size(rows);

constexpr auto places = [] {
    std::array<size_t, syntax::kind_count> of{};
    of.fill(no_row);
    for (size_t i = 0; i < std::size(rows); ++i) of[size_t(rows[i].kind)] = i;
    return of;
}();

constexpr bool has_row(NodeKind kind) { return places[size_t(kind)] != no_row; }
#define NODE(name, fields)
#define OPERATOR(name) static_assert(has_row(NodeKind::name));
#include "syntax/nodes.def"

} // namespace

const Operator &operator_of(NodeKind kind) {
    if (!has_row(kind)) fail_internal(std::string("no operator: ") + kind_name(kind));
    return rows[places[size_t(kind)]];
}

const Operator *operator_named(std::string_view function) {
    if (function == "inv") function = "invert"; // an alias
    const auto is_it = [&](const Operator &row) { return row.function && row.function == function; };
    const Operator *found = std::find_if(std::begin(rows), std::end(rows), is_it);
    return found == std::end(rows) ? nullptr : found;
}

} // namespace qd::frontend
