// Operators. Two Python objects are combined by Python; anything with a run-time value becomes instructions, element by
// element for matrices.
#include "frontend/walker.h"
#include "ir/eval.h"

#include <cmath>
#include <limits>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

const char *symbol_of(NodeKind op) {
    switch (op) {
    case NodeKind::Add: return "+";
    case NodeKind::Sub: return "-";
    case NodeKind::Mult: return "*";
    case NodeKind::Div: return "/";
    case NodeKind::FloorDiv: return "//";
    case NodeKind::Mod: return "%";
    case NodeKind::Pow: return "**";
    case NodeKind::LShift: return "<<";
    case NodeKind::RShift: return ">>";
    case NodeKind::BitOr: return "|";
    case NodeKind::BitXor: return "^";
    case NodeKind::BitAnd: return "&";
    case NodeKind::MatMult: return "@";
    case NodeKind::Eq: return "==";
    case NodeKind::NotEq: return "!=";
    case NodeKind::Lt: return "<";
    case NodeKind::LtE: return "<=";
    case NodeKind::Gt: return ">";
    case NodeKind::GtE: return ">=";
    case NodeKind::USub: return "-";
    case NodeKind::UAdd: return "+";
    case NodeKind::Not: return "not";
    case NodeKind::Invert: return "~";
    default: return "?";
    }
}

namespace {

PyObject *python_binary(NodeKind op, PyObject *a, PyObject *b) {
    switch (op) {
    case NodeKind::Add: return PyNumber_Add(a, b);
    case NodeKind::Sub: return PyNumber_Subtract(a, b);
    case NodeKind::Mult: return PyNumber_Multiply(a, b);
    case NodeKind::Div: return PyNumber_TrueDivide(a, b);
    case NodeKind::FloorDiv: return PyNumber_FloorDivide(a, b);
    case NodeKind::Mod: return PyNumber_Remainder(a, b);
    case NodeKind::Pow: return PyNumber_Power(a, b, Py_None);
    case NodeKind::LShift: return PyNumber_Lshift(a, b);
    case NodeKind::RShift: return PyNumber_Rshift(a, b);
    case NodeKind::BitOr: return PyNumber_Or(a, b);
    case NodeKind::BitXor: return PyNumber_Xor(a, b);
    case NodeKind::BitAnd: return PyNumber_And(a, b);
    case NodeKind::MatMult: return PyNumber_MatrixMultiply(a, b);
    default: return nullptr;
    }
}

Op plain_op(NodeKind op) {
    switch (op) {
    case NodeKind::Add: return Op::add;
    case NodeKind::Sub: return Op::sub;
    case NodeKind::Mult: return Op::mul;
    case NodeKind::FloorDiv: return Op::floordiv;
    case NodeKind::Mod: return Op::mod;
    case NodeKind::BitOr: return Op::bor;
    case NodeKind::BitXor: return Op::bxor;
    case NodeKind::BitAnd: return Op::band;
    case NodeKind::LShift: return Op::shl;
    case NodeKind::RShift: return Op::shr;
    case NodeKind::Lt: return Op::lt;
    case NodeKind::LtE: return Op::le;
    case NodeKind::Gt: return Op::gt;
    case NodeKind::GtE: return Op::ge;
    case NodeKind::Eq: return Op::eq;
    case NodeKind::NotEq: return Op::ne;
    default: fail_internal("no instruction for this operator");
    }
}

/// A tuple or list as the user wrote it: `+` appends, `*` repeats, as in Python.
bool is_written_sequence(const Val &v) { return v.is_sequence() && !v.element_dim; }

bool is_python_int(const Val &v) { return v.is_constant() && PyLong_Check(v.object.get()); }

constexpr double most_bits = 1 << 20; ///< of an integer that Python computes: beyond, it would take minutes

/// A Python integer, infinite beyond the range of reals.
double real_of(PyObject *integer) {
    const double value = PyLong_AsDouble(integer);
    if (!PyErr_Occurred()) return value;
    PyErr_Clear();
    return std::numeric_limits<double>::infinity();
}

/// Whether a ** b or a << b of Python integers has too many bits.
bool is_huge(NodeKind op, PyObject *a, PyObject *b) {
    if ((op != NodeKind::Pow && op != NodeKind::LShift) || !PyLong_Check(a) || !PyLong_Check(b)) return false;
    const double base = std::fabs(real_of(a)), exponent = real_of(b);
    if (op == NodeKind::LShift) return base != 0 && exponent > most_bits;
    return base > 1 && std::log2(base) * exponent > most_bits;
}

bool is_too_often(const Val &sequence, const Val &times) {
    return !sequence.items.empty() && real_of(times.object.get()) * double(sequence.items.size()) > most_items;
}

Val repeated(const Val &sequence, const Val &times) {
    Val out = sequence;
    out.items.clear();
    for (long k = PyLong_AsLong(times.object.get()); k > 0; --k)
        out.items.insert(out.items.end(), sequence.items.begin(), sequence.items.end());
    return out;
}

bool is_bitwise(NodeKind op) {
    return op == NodeKind::BitOr || op == NodeKind::BitXor || op == NodeKind::BitAnd || op == NodeKind::LShift ||
           op == NodeKind::RShift;
}

} // namespace

Val Walker::eval_binop(const Node *node) {
    const Val a = value(child(node, Field::left));
    const Val b = value(child(node, Field::right));
    AtNode at(*this, node);
    return binary(node, child(node, Field::op)->kind, a, b);
}

Val Walker::binary(const Node *node, NodeKind op, const Val &a, const Val &b) {
    if (a.is_constant() && b.is_constant() && kind_of(a.object.get()) != Kind::matrix &&
        kind_of(b.object.get()) != Kind::matrix) {
        if (is_huge(op, a.object.get(), b.object.get()))
            fail_type(node, std::string("The result of '") + symbol_of(op) +
                                "' of these constants exceeded the range of integers");
        PyObject *result = python_binary(op, a.object.get(), b.object.get());
        if (result) return constant(PyRef::steal(result));
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            fail_unsupported(node, symbol_of(op), a, b);
        }
        python_failed(node);
    }
    if (is_scalar(a) && is_scalar(b) && op != NodeKind::MatMult) return scalar_binary(node, op, a, b);
    if (op == NodeKind::Add && is_string(a) && is_string(b)) return joined(a, b);
    if (op == NodeKind::Mod && a.is_constant() && is_string(a)) return percent_format(node, text(a.object.get()), b);
    if (op == NodeKind::Add && is_written_sequence(a) && is_written_sequence(b)) {
        Val out = a;
        out.items.insert(out.items.end(), b.items.begin(), b.items.end());
        return out;
    }
    const bool repeats_a = op == NodeKind::Mult && is_written_sequence(a) && is_python_int(b);
    if (repeats_a || (op == NodeKind::Mult && is_python_int(a) && is_written_sequence(b))) {
        const Val &sequence = repeats_a ? a : b, &times = repeats_a ? b : a;
        if (is_too_often(sequence, times)) fail_too_long(node);
        return repeated(sequence, times);
    }
    if (op == NodeKind::MatMult) return matmul(node, a, b);
    return broadcast(node, symbol_of(op), a, b,
                     [&](const Val &x, const Val &y) { return scalar_binary(node, op, x, y); });
}

void Walker::fail_unsupported(const Node *node, const char *symbol, const Val &a, const Val &b) {
    fail_type(node, std::string("unsupported operand type(s) for '") + symbol + "': '" + type_text(a) + "' and '" +
                        type_text(b) + "'");
}

Val Walker::broadcast(const Node *node, const char *symbol, const Val &a, const Val &b, const ScalarFn &f) {
    const auto is_tensor = [&](const Val &v) {
        return v.tag == Tag::matrix || v.is_sequence() ||
               (v.is_constant() && (kind_of(v.object.get()) == Kind::matrix || PyTuple_Check(v.object.get()) ||
                                    PyList_Check(v.object.get())));
    };
    if (is_scalar(a) && is_scalar(b)) return f(a, b);
    if ((!is_scalar(a) && !is_tensor(a)) || (!is_scalar(b) && !is_tensor(b))) fail_unsupported(node, symbol, a, b);
    const Val x = is_tensor(a) ? to_matrix(node, a) : a;
    const Val y = is_tensor(b) ? to_matrix(node, b) : b;
    const Val &shape = x.tag == Tag::matrix ? x : y;
    if (x.tag == Tag::matrix && y.tag == Tag::matrix && (x.n != y.n || x.m != y.m || x.ndim != y.ndim))
        fail_unsupported(node, symbol, x, y);
    Val out;
    out.tag = Tag::matrix;
    out.n = shape.n;
    out.m = shape.m;
    out.ndim = shape.ndim;
    for (int k = 0; k < shape.n * shape.m; ++k) {
        const Val part = f(x.tag == Tag::matrix ? component(x, k) : x, y.tag == Tag::matrix ? component(y, k) : y);
        out.elem = scalar_type(node, part);
        out.comps.push_back(as(node, part, out.elem));
    }
    return out;
}

Val Walker::map(const Node *node, const Val &given, const std::function<Val(const Val &)> &f) {
    const Val a = load(given);
    const bool is_tensor =
        a.tag == Tag::matrix || a.is_sequence() || (a.is_constant() && kind_of(a.object.get()) == Kind::matrix);
    if (!is_tensor) return f(a);
    Val out = to_matrix(node, a);
    for (ir::Value &c : out.comps) {
        const Val part = f(scalar(c));
        out.elem = scalar_type(node, part);
        c = as(node, part, out.elem);
    }
    return out;
}

Val Walker::scalar_binary(const Node *node, NodeKind op, const Val &a, const Val &b) {
    const Scalar left = scalar_type(node, a), right = scalar_type(node, b);
    if (op == NodeKind::Pow) return scalar_power(node, a, b);
    Scalar type = promote(left, right);
    if (is_bitwise(op)) {
        if (ir::is_float(left) || ir::is_float(right)) fail_unsupported(node, symbol_of(op), a, b);
        if (op == NodeKind::LShift || op == NodeKind::RShift) type = left;
    }
    if (op == NodeKind::Div && !ir::is_float(type)) type = request_.options.default_fp;
    const ir::Value x = as(node, a, type);
    const ir::Value y = as(node, b, type);
    if (op == NodeKind::Div) return scalar(emit2(Op::div, x, y));
    if ((op == NodeKind::FloorDiv || op == NodeKind::Mod) && !ir::is_float(type)) guard_divisor(node, y);
    return scalar(watched(plain_op(op), x, y));
}

Val Walker::scalar_compare(const Node *node, NodeKind op, const Val &a, const Val &b) {
    const Scalar type = promote(scalar_type(node, a), scalar_type(node, b));
    const ir::Value x = as(node, a, type);
    const ir::Value y = as(node, b, type);
    return scalar(emit2(plain_op(op), x, y));
}

void Walker::guard_divisor(const Node *node, ir::Value divisor) {
    const ir::Inst &inst = fn_[divisor];
    if (inst.op == Op::constant) {
        if (inst.imm == 0) fail(node, UserErrorKind::compilation, "integer division by zero");
        return;
    }
    const ir::Value zero = b_.integer(fn_.type(divisor), 0);
    const ir::Value nonzero = b_.ne(divisor, zero);
    ir::Message message;
    message.pieces.push_back({"integer division by zero", -1});
    emit_assert(nonzero, std::move(message), {});
}

ir::Value Walker::power_constant(ir::Value base, long exponent) {
    const ir::Type type = fn_.type(base);
    if (exponent == 0) return b_.integer(type, 1);
    unsigned long left =
        exponent < 0 ? 0ul - static_cast<unsigned long>(exponent) : static_cast<unsigned long>(exponent);
    ir::Value result, square = base;
    for (;;) {
        if (left & 1) result = result ? b_.mul(result, square) : square;
        left >>= 1;
        if (!left) break;
        square = b_.mul(square, square);
    }
    if (exponent > 0) return result;
    const ir::Value one = b_.integer(type, 1);
    return b_.div(one, result);
}

/// An integer exponent keeps the base's type.
Val Walker::scalar_power(const Node *node, const Val &a, const Val &b) {
    constexpr long longest = 256; // beyond it a call of `pow` is shorter
    const Scalar left = scalar_type(node, a), right = scalar_type(node, b);
    if (ir::is_float(right)) {
        const Scalar type = promote(left, right);
        const ir::Value x = as(node, a, type);
        const ir::Value y = as(node, b, type);
        return scalar(b_.pow(x, y));
    }
    const ir::Value x = as_is(node, a);
    const std::optional<long> exponent = constant_int(b);
    const bool unrolled = exponent && std::labs(*exponent) <= longest;
    if (unrolled && (ir::is_float(left) || *exponent >= 0)) return scalar(power_constant(x, *exponent));
    const ir::Value y = as_is(node, b);
    if (ir::is_float(left)) return scalar(real_to_integer_power(x, y));
    if (request_.options.debug && ir::is_signed(right)) {
        const ir::Value zero = b_.integer(right, 0);
        const ir::Value legal = b_.ge(y, zero);
        ir::Message message;
        message.pieces.push_back({"Negative exponent in pow(int, int) is not allowed.", -1});
        emit_assert(legal, std::move(message), {});
    }
    // In a type that holds the exponent; the low bits of the result are those of the base's own type.
    const Scalar wide = ir::bits_of(right) >= ir::bits_of(left) ? right : left;
    const ir::Value base = convert(x, wide);
    const ir::Value result = b_.pow(base, convert(y, wide));
    return scalar(convert(result, left));
}

/// Where the base's type cannot tell odd exponents from even ones the sign is found apart.
ir::Value Walker::real_to_integer_power(ir::Value x, ir::Value y) {
    const Scalar given = fn_.type(x).elem, whole = fn_.type(y).elem;
    const Scalar type = given == Scalar::f16 ? Scalar::f32 : given;
    const int digits = type == Scalar::f64 ? 53 : 24;
    const ir::Value base = convert(x, type);
    const ir::Value exponent = convert(y, type);
    if (ir::bits_of(whole) <= digits) return convert(b_.pow(base, exponent), given);
    const ir::Value size = b_.abs(base);
    const ir::Value power = b_.pow(size, exponent);
    const ir::Value one = b_.integer(whole, 1);
    const ir::Value odd = b_.cast(b_.band(y, one), Scalar::u1);
    const ir::Value zero = b_.number(type, 0);
    const ir::Value below = b_.lt(base, zero);
    const ir::Value flips = b_.band(odd, below);
    const ir::Value opposite = b_.neg(power);
    return convert(b_.select(flips, opposite, power), given);
}

Val Walker::matmul(const Node *node, const Val &given_a, const Val &given_b) {
    const auto is_tensor = [&](const Val &v) {
        return v.tag == Tag::matrix || v.is_sequence() || (v.is_constant() && !is_number(v));
    };
    if (!is_tensor(given_a) || !is_tensor(given_b)) fail_unsupported(node, "@", given_a, given_b);
    const Val a = to_matrix(node, given_a);
    const Val b = to_matrix(node, given_b);
    // As in NumPy: a vector on the left is a row, on the right a column, and its axis is gone from the result.
    const int rows = a.ndim == 1 ? 1 : a.n, inner = a.ndim == 1 ? a.n : a.m;
    if (inner != b.n) fail_unsupported(node, "@", a, b);
    Val out;
    out.tag = Tag::matrix;
    out.n = a.ndim == 1 ? b.m : rows;
    out.m = a.ndim == 1 || b.ndim == 1 ? 1 : b.m;
    out.ndim = a.ndim + b.ndim - 2;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < b.m; ++j) {
            Val sum;
            for (int k = 0; k < inner; ++k) {
                const Val term =
                    scalar_binary(node, NodeKind::Mult, component(a, i * inner + k), component(b, k * b.m + j));
                sum = k == 0 ? term : scalar_binary(node, NodeKind::Add, sum, term);
            }
            if (out.ndim == 0) return sum;
            out.elem = sum.elem;
            out.comps.push_back(sum.v);
        }
    }
    return out;
}

Val Walker::eval_unary(const Node *node) {
    const Val a = value(child(node, Field::operand));
    AtNode at(*this, node);
    return unary(node, child(node, Field::op)->kind, a);
}

Val Walker::unary(const Node *node, NodeKind op, const Val &a) {
    if (a.is_constant() && kind_of(a.object.get()) != Kind::matrix) {
        PyObject *object = a.object.get(), *result = nullptr;
        switch (op) {
        case NodeKind::USub: result = PyNumber_Negative(object); break;
        case NodeKind::UAdd: result = PyNumber_Positive(object); break;
        case NodeKind::Invert: result = PyNumber_Invert(object); break;
        default: result = PyBool_FromLong(!truth(node, object)); break;
        }
        if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            fail_type(node, std::string("bad operand type for unary ") + symbol_of(op) + ": '" + type_text(a) + "'");
        }
        if (!result) python_failed(node);
        return constant(PyRef::steal(result));
    }
    return map(node, a, [&](const Val &x) {
        const Scalar type = scalar_type(node, x);
        if ((op == NodeKind::Not || op == NodeKind::Invert) && ir::is_float(type))
            fail_type(node, std::string("'") + (op == NodeKind::Not ? "logical_not" : "~") +
                                "' takes integral inputs only, however '" + ir::to_string(type) + "' is provided");
        switch (op) {
        case NodeKind::USub: return scalar(b_.neg(x.v));
        case NodeKind::UAdd: return x;
        case NodeKind::Invert: return scalar(b_.bnot(x.v));
        default: {
            const ir::Value zero = b_.integer(type, 0);
            return scalar(b_.eq(x.v, zero));
        }
        }
    });
}

} // namespace qd::frontend
