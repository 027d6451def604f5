// Operators. Python combines two Python objects; operands with a run-time value become instructions, one per element for matrices.
#include "frontend/arithmetic.h"

#include "frontend/expr.h"
#include "frontend/instance.h"
#include "frontend/format.h"
#include "frontend/objects.h"
#include "frontend/operators.h"
#include "frontend/overflow.h"
#include "frontend/place.h"
#include "frontend/types.h"
#include "ir/eval.h"

#include <cmath>
#include <limits>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

static Val scalar_power(Walk &w, const Node *node, const Val &a, const Val &b);
static ir::Value real_to_integer_power(Walk &w, ir::Value x, ir::Value y);

const char *symbol_of(NodeKind op) { return operator_of(op).symbol; }

namespace {

/// A plain tuple or list: `+` appends and `*` repeats, as in Python.
bool is_written_sequence(const Val &v) { return v.is(Flavour::plain); }

bool is_python_int(const Val &v) { return v.is_constant() && PyLong_Check(v.object()); }

constexpr double max_bits = 1 << 20; ///< limit for an integer that Python computes; more would take minutes

/// The value of a Python integer; infinite beyond the range of doubles.
double real_of(PyObject *integer) {
    const double value = PyLong_AsDouble(integer);
    if (!PyErr_Occurred()) return value;
    PyErr_Clear();
    return std::numeric_limits<double>::infinity();
}

/// True if a ** b or a << b of Python integers would have too many bits.
bool is_huge(NodeKind op, PyObject *a, PyObject *b) {
    if ((op != NodeKind::Pow && op != NodeKind::LShift) || !PyLong_Check(a) || !PyLong_Check(b)) return false;
    const double base = std::fabs(real_of(a)), exponent = real_of(b);
    if (op == NodeKind::LShift) return base != 0 && exponent > max_bits;
    return base > 1 && std::log2(base) * exponent > max_bits;
}

bool is_too_often(const Val &sequence, const Val &times) {
    const size_t size = sequence.sequence().items.size();
    return size && real_of(times.object()) * double(size) > max_items;
}

Val repeated(Walk &w, const Node *node, const Val &sequence, const Val &times) {
    const std::vector<Val> &items = sequence.sequence().items;
    Py_ssize_t count = PyNumber_AsSsize_t(times.object(), PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred()) w.python_failed(node);
    if (items.empty()) count = 0;
    Val out = sequence;
    std::vector<Val> &all = out.sequence().items;
    all.clear();
    for (; count > 0; --count) all.insert(all.end(), items.begin(), items.end());
    return out;
}

bool is_bitwise(NodeKind op) {
    return op == NodeKind::BitOr || op == NodeKind::BitXor || op == NodeKind::BitAnd || op == NodeKind::LShift ||
           op == NodeKind::RShift;
}

} // namespace

Val eval_binop(Walk &w, const Node *node) {
    const Val a = value(w, child(node, Field::left));
    const Val b = value(w, child(node, Field::right));
    AtNode at(w, node);
    return binary(w, node, child(node, Field::op)->kind, a, b);
}

Val binary(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b) {
    if (are_computed(w, a, b) && op != NodeKind::MatMult) return known(w, scalar_binary(w, node, op, a, b));
    if (a.is_constant() && b.is_constant() && w.objects.kind_of(a.object()) != Kind::matrix &&
        w.objects.kind_of(b.object()) != Kind::matrix) {
        if (is_huge(op, a.object(), b.object()))
            w.fail_type(node, std::string("The result of '") + symbol_of(op) +
                                  "' of these constants exceeded the range of integers");
        PyObject *result = operator_of(op).binary(a.object(), b.object());
        if (result) return constant(PyRef::steal(result));
        if (std::optional<Val> made = instead_of_python([&] { return class_binary(w, node, op, a, b); })) return *made;
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            fail_unsupported(w, node, symbol_of(op), a, b);
        }
        w.python_failed(node);
    }
    if (is_scalar(a) && is_scalar(b) && op != NodeKind::MatMult) return scalar_binary(w, node, op, a, b);
    if (std::optional<Val> made = class_binary(w, node, op, a, b)) return *made;
    if (op == NodeKind::Add && is_string(a) && is_string(b)) return joined(a, b);
    if (op == NodeKind::Mod && a.is_constant() && is_string(a)) return percent_format(w, node, text(a.object()), b);
    if (op == NodeKind::Add && is_written_sequence(a) && is_written_sequence(b)) {
        Val out = a;
        const std::vector<Val> &more = b.sequence().items;
        out.sequence().items.insert(out.sequence().items.end(), more.begin(), more.end());
        return out;
    }
    const bool repeats_a = op == NodeKind::Mult && is_written_sequence(a) && is_python_int(b);
    if (repeats_a || (op == NodeKind::Mult && is_python_int(a) && is_written_sequence(b))) {
        const Val &sequence = repeats_a ? a : b, &times = repeats_a ? b : a;
        if (is_too_often(sequence, times)) w.fail_too_long(node);
        return repeated(w, node, sequence, times);
    }
    if (op == NodeKind::MatMult) return matmul(w, node, a, b);
    return broadcast(w, node, symbol_of(op), a, b,
                     [&](const Val &x, const Val &y) { return scalar_binary(w, node, op, x, y); });
}

void fail_unsupported(Walk &w, const Node *node, const char *symbol, const Val &a, const Val &b) {
    const std::string_view op = symbol;
    const bool compares = op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
    const char *hint = a.is_none() || b.is_none()     ? "a func called here returns nothing: it ends without `return`"
                       : compares && a.is_structure() ? "compare the members, such as `a.x == b.x`"
                                                      : "";
    w.fail_type(node,
                std::string("unsupported operand type(s) for '") + symbol + "': '" + type_text(w, a) + "' and '" +
                    type_text(w, b) + "'",
                hint);
}

Val broadcast(Walk &w, const Node *node, const char *symbol, const Val &a, const Val &b, const ScalarFn &f) {
    const auto is_tensor = [&](const Val &v) {
        return v.is_matrix() || v.is_sequence() ||
               (v.is_constant() && (w.objects.kind_of(v.object()) == Kind::matrix || PyTuple_Check(v.object()) ||
                                    PyList_Check(v.object())));
    };
    if (is_scalar(a) && is_scalar(b)) return f(a, b);
    if ((!is_scalar(a) && !is_tensor(a)) || (!is_scalar(b) && !is_tensor(b))) fail_unsupported(w, node, symbol, a, b);
    const Val x = is_tensor(a) ? to_matrix(w, node, a) : a;
    const Val y = is_tensor(b) ? to_matrix(w, node, b) : b;
    const val::Matrix *left = x.if_matrix(), *right = y.if_matrix();
    if (left && right && (left->n != right->n || left->m != right->m || left->ndim != right->ndim))
        fail_unsupported(w, node, symbol, x, y);
    const val::Matrix &shape = left ? *left : *right;
    val::Matrix out;
    out.n = shape.n;
    out.m = shape.m;
    out.ndim = shape.ndim;
    for (int k = 0; k < shape.n * shape.m; ++k) {
        const Val part = f(left ? component(x, k) : x, right ? component(y, k) : y);
        out.elem = scalar_type(w, node, part);
        out.comps.push_back(as(w, node, part, out.elem));
    }
    return out;
}

Val map(Walk &w, const Node *node, const Val &given, const std::function<Val(const Val &)> &f) {
    const Val a = w.places.load(given);
    const bool is_tensor =
        a.is_matrix() || a.is_sequence() || (a.is_constant() && w.objects.kind_of(a.object()) == Kind::matrix);
    if (!is_tensor) return f(a);
    Val out = to_matrix(w, node, a);
    val::Matrix &m = out.matrix();
    for (ir::Value &c : m.comps) {
        const Val part = f(scalar(w, c));
        m.elem = scalar_type(w, node, part);
        c = as(w, node, part, m.elem);
    }
    return out;
}

Val scalar_binary(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b) {
    const Scalar left = scalar_type(w, node, a), right = scalar_type(w, node, b);
    if (op == NodeKind::Pow) return scalar_power(w, node, a, b);
    Scalar type = promote(left, right);
    if (is_bitwise(op)) {
        if (ir::is_float(left) || ir::is_float(right)) fail_unsupported(w, node, symbol_of(op), a, b);
        if (op == NodeKind::LShift || op == NodeKind::RShift) type = left;
    }
    if (op == NodeKind::Div && !ir::is_float(type)) type = w.request.options.default_fp;
    const ir::Value x = as(w, node, a, type);
    const ir::Value y = as(w, node, b, type);
    if ((op == NodeKind::FloorDiv || op == NodeKind::Mod) && !ir::is_float(type)) guard_divisor(w, node, y);
    return scalar(w, checked_arithmetic(w, *operator_of(op).op, x, y));
}

Val scalar_compare(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b) {
    const Scalar type = promote(scalar_type(w, node, a), scalar_type(w, node, b));
    const ir::Value x = as(w, node, a, type);
    const ir::Value y = as(w, node, b, type);
    return scalar(w, emit2(w, *operator_of(op).op, x, y));
}

void guard_divisor(Walk &w, const Node *node, ir::Value divisor) {
    const ir::Inst &inst = w.fn[divisor];
    if (inst.op == Op::constant) {
        if (inst.imm == 0) w.fail(node, UserErrorKind::compilation, "integer division by zero");
        return;
    }
    const ir::Value zero = w.b.integer(w.fn.type(divisor), 0);
    const ir::Value nonzero = w.b.ne(divisor, zero);
    ir::Message message;
    message.pieces.push_back({"integer division by zero", -1});
    emit_assert(w, nonzero, std::move(message), {});
}

static ir::Value power_constant(Walk &w, ir::Value base, long exponent) {
    const ir::Type type = w.fn.type(base);
    if (exponent == 0) return w.b.integer(type, 1);
    unsigned long left =
        exponent < 0 ? 0ul - static_cast<unsigned long>(exponent) : static_cast<unsigned long>(exponent);
    ir::Value result, square = base;
    for (;;) {
        if (left & 1) result = result ? w.b.mul(result, square) : square;
        left >>= 1;
        if (!left) break;
        square = w.b.mul(square, square);
    }
    if (exponent > 0) return result;
    const ir::Value one = w.b.integer(type, 1);
    return w.b.div(one, result);
}

/// Computes a power; an integer exponent keeps the base's type.
static Val scalar_power(Walk &w, const Node *node, const Val &a, const Val &b) {
    constexpr long longest = 256; // a larger exponent takes a call of `pow`, which is shorter
    const Scalar left = scalar_type(w, node, a), right = scalar_type(w, node, b);
    if (ir::is_float(right)) {
        const Scalar type = promote(left, right);
        const ir::Value x = as(w, node, a, type);
        const ir::Value y = as(w, node, b, type);
        return scalar(w, w.b.pow(x, y));
    }
    const ir::Value x = as_is(w, node, a);
    const std::optional<long> exponent = constant_int(b);
    const bool unrolled = exponent && std::labs(*exponent) <= longest;
    if (unrolled && (ir::is_float(left) || *exponent >= 0)) return scalar(w, power_constant(w, x, *exponent));
    const ir::Value y = as_is(w, node, b);
    if (ir::is_float(left)) return scalar(w, real_to_integer_power(w, x, y));
    if (w.request.options.debug && ir::is_signed(right)) {
        const ir::Value zero = w.b.integer(right, 0);
        const ir::Value legal = w.b.ge(y, zero);
        ir::Message message;
        message.pieces.push_back({"Negative exponent in pow(int, int) is not allowed.", -1});
        emit_assert(w, legal, std::move(message), {});
    }
    // Computed in a type that holds the exponent; the low bits of the result are those of the base's own type.
    const Scalar wide = ir::bits_of(right) >= ir::bits_of(left) ? right : left;
    const ir::Value base = convert(w, x, wide);
    const ir::Value result = w.b.pow(base, convert(w, y, wide));
    return scalar(w, convert(w, result, left));
}

/// Determines the sign separately if the base's type cannot distinguish odd exponents from even ones.
static ir::Value real_to_integer_power(Walk &w, ir::Value x, ir::Value y) {
    const Scalar given = w.fn.type(x).elem, whole = w.fn.type(y).elem;
    const Scalar type = given == Scalar::f16 ? Scalar::f32 : given;
    const int digits = type == Scalar::f64 ? 53 : 24;
    const ir::Value base = convert(w, x, type);
    const ir::Value exponent = convert(w, y, type);
    if (ir::bits_of(whole) <= digits) return convert(w, w.b.pow(base, exponent), given);
    const ir::Value zero = w.b.number(type, 0);
    const ir::Value below = w.b.lt(base, zero);
    ir::Value size;
    if (w.request.mode == autodiff::Mode::none) {
        size = w.b.abs(base);
    } else { // abs has no slope at 0, where x ** 1 has one
        const ir::Value mirrored = w.b.neg(base);
        size = w.b.select(below, mirrored, base);
    }
    const ir::Value power = w.b.pow(size, exponent);
    const ir::Value one = w.b.integer(whole, 1);
    const ir::Value odd = w.b.cast(w.b.band(y, one), Scalar::u1);
    const ir::Value flips = w.b.band(odd, below);
    const ir::Value opposite = w.b.neg(power);
    return convert(w, w.b.select(flips, opposite, power), given);
}

Val matmul(Walk &w, const Node *node, const Val &given_a, const Val &given_b) {
    const auto is_tensor = [&](const Val &v) {
        return v.is_matrix() || v.is_sequence() || (v.is_constant() && !is_number(v));
    };
    if (!is_tensor(given_a) || !is_tensor(given_b)) fail_unsupported(w, node, "@", given_a, given_b);
    const Val left = to_matrix(w, node, given_a);
    const Val right = to_matrix(w, node, given_b);
    const val::Matrix &a = left.matrix(), &b = right.matrix();
    // As in NumPy: a vector on the left is a row, on the right a column, and its axis disappears from the result.
    const int rows = a.ndim == 1 ? 1 : a.n, inner = a.ndim == 1 ? a.n : a.m;
    if (inner != b.n) fail_unsupported(w, node, "@", left, right);
    val::Matrix out;
    out.n = a.ndim == 1 ? b.m : rows;
    out.m = a.ndim == 1 || b.ndim == 1 ? 1 : b.m;
    out.ndim = a.ndim + b.ndim - 2;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < b.m; ++j) {
            Val sum;
            for (int k = 0; k < inner; ++k) {
                const Val term = scalar_binary(w, node, NodeKind::Mult, component(left, i * inner + k),
                                               component(right, k * b.m + j));
                sum = k == 0 ? term : scalar_binary(w, node, NodeKind::Add, sum, term);
            }
            if (out.ndim == 0) return sum;
            out.elem = sum.scalar().elem;
            out.comps.push_back(sum.scalar().v);
        }
    }
    return out;
}

bool are_computed(const Walk &w, const Val &a, const Val &b) {
    return !w.static_depth && is_number(a) && is_number(b) && (is_typed(a) || is_typed(b));
}

Val eval_unary(Walk &w, const Node *node) {
    const Val a = value(w, child(node, Field::operand));
    AtNode at(w, node);
    return unary(w, node, child(node, Field::op)->kind, a);
}

Val unary(Walk &w, const Node *node, NodeKind op, const Val &a) {
    if (are_computed(w, a, a)) return known(w, unary(w, node, op, typed(w, node, a)));
    if (a.is_constant() && w.objects.kind_of(a.object()) != Kind::matrix) {
        PyObject *result = operator_of(op).unary(a.object());
        if (!result)
            if (std::optional<Val> made = instead_of_python([&] { return class_unary(w, node, op, a); })) return *made;
        if (!result && op != NodeKind::Not && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            w.fail_type(node,
                        std::string("bad operand type for unary ") + symbol_of(op) + ": '" + type_text(w, a) + "'");
        }
        if (!result) w.python_failed(node);
        return constant(PyRef::steal(result));
    }
    if (std::optional<Val> made = class_unary(w, node, op, a)) return *made;
    return map(w, node, a, [&](const Val &x) {
        const Scalar type = scalar_type(w, node, x);
        if ((op == NodeKind::Not || op == NodeKind::Invert) && ir::is_float(type))
            w.fail_type(node, std::string("'") + (op == NodeKind::Not ? "logical_not" : "~") +
                                  "' takes integral inputs only, however '" + ir::to_string(type) + "' is provided");
        if (op == NodeKind::Not) {
            const ir::Value zero = w.b.integer(type, 0);
            return scalar(w, w.b.eq(x.scalar().v, zero));
        }
        const std::optional<Op> single = operator_of(op).op;
        return single ? scalar(w, emit1(w, *single, x.scalar().v)) : x;
    });
}

} // namespace qd::frontend
