// Typing rules:
//  - a real beats an integer whatever the widths; of two reals, or two integers, the wider wins; at equal width
//    unsigned wins; u1 is lowest. Nothing is widened beyond its operands.
//  - an int literal has type default_ip, a float literal default_fp, a bool u1; each is checked or rounded to it when
//    used.
//  - a variable keeps the type of its first assignment.
#include "frontend/types.h"

#include "frontend/expr.h"
#include "frontend/instance.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/suggest.h"
#include "ir/eval.h"

#include <cmath>
#include <cstring>

namespace qd::frontend {

using ir::Scalar;

bool is_number(const Val &v) { return v.is_constant() && (PyLong_Check(v.object()) || PyFloat_Check(v.object())); }

Val scalar(Walk &w, ir::Value v) { return val::Scalar{v, w.fn.type(v).elem}; }

Val constant(PyRef object) { return val::Constant{std::move(object), -1, {}}; }

Val integer(long v) { return constant(PyRef::steal(PyLong_FromLong(v))); }

bool truth(Walk &w, const Node *node, PyObject *object) {
    const int t = PyObject_IsTrue(object);
    if (t < 0) w.python_failed(node);
    return t > 0;
}

Scalar promote(Scalar a, Scalar b) {
    if (a == b) return a;
    if (ir::is_float(a) != ir::is_float(b)) return ir::is_float(a) ? a : b;
    const int wide_a = ir::bits_of(a), wide_b = ir::bits_of(b);
    if (wide_a != wide_b) return wide_a > wide_b ? a : b;
    return ir::is_signed(a) ? b : a;
}

/// Refuses a NumPy array, which is not a value of the language; `wrap` has already made numbers of those without dimensions.
void refuse_array(Walk &w, const Node *node, const Val &v) {
    if (v.is_constant() && std::strcmp(Py_TYPE(v.object())->tp_name, "numpy.ndarray") == 0)
        w.fail_type(node, "Only 0-dimensional numpy array can be used to initialize a scalar expression",
                    "pass it as an argument annotated with `qd.types.ndarray()`");
}

Scalar type_of_constant(Walk &w, const Node *node, const Val &v) {
    if (v.is_constant()) {
        if (is_typed(v)) return v.constant().elem;
        PyObject *object = v.object();
        if (PyBool_Check(object)) return Scalar::u1;
        if (PyLong_Check(object)) return w.request.options.default_ip;
        if (PyFloat_Check(object)) return w.request.options.default_fp;
    }
    refuse_array(w, node, v);
    w.fail_type(node, "Invalid constant scalar data type: a number is needed here, not " + type_text(w, v),
                "pass a number, or evaluate it with `qd.static`");
}

ir::Value converted(Walk &w, const Node *node, const Val &v, Scalar type) {
    if (v.is_ref()) return as(w, node, w.places.load(v), type);
    if (v.is_scalar()) return convert(w, v.scalar().v, type);
    if (v.is_matrix()) w.fail_type(node, "A number is needed here, not " + type_text(w, v));
    const Scalar literal = scalar_type(w, node, v);
    PyObject *object = v.object();
    if (literal == Scalar::u1) return w.b.constant(type, ir::from_int(type, object == Py_True).bits);
    if (ir::is_float(literal)) {
        const ir::Constant rounded = ir::flushed_if_fast(w.fn, ir::from_double(literal, PyFloat_AsDouble(object)));
        return w.b.constant(type, ir::flushed_if_fast(w.fn, ir::eval(ir::Op::cast, type, std::span(&rounded, 1))).bits);
    }
    return w.b.constant(type, literal_bits(w, node, object, literal, type, "default_ip"));
}

/// A Python int as a word of 64 bits; nothing if it does not fit into `type`.
static std::optional<uint64_t> word_of(PyObject *integer, Scalar type) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (overflow > 0 && type == Scalar::u64) {
        const unsigned long long large = PyLong_AsUnsignedLongLong(integer);
        if (!PyErr_Occurred()) return large;
        PyErr_Clear();
    }
    if (overflow) return {};
    const bool fits = type == Scalar::u64 ? small >= 0 : ir::to_int(ir::from_int(type, small)) == small;
    return fits ? std::optional<uint64_t>(static_cast<uint64_t>(small)) : std::nullopt;
}

bool fits(PyObject *integer, Scalar type) { return word_of(integer, type).has_value(); }

/// The bits in `type` of a Python int whose own type is `literal`; fails if it does not fit into `literal`.
uint64_t literal_bits(Walk &w, const Node *node, PyObject *object, Scalar literal, Scalar type, const char *what) {
    const std::optional<uint64_t> bits = word_of(object, literal);
    if (!bits && !fits(object, Scalar::i64) && !fits(object, Scalar::u64))
        w.fail_type(node, "Integer literal " + repr(object) + " exceeded the range of " + what + ": " +
                              ir::to_string(literal) + ", and of every integer type");
    if (!bits)
        w.fail_type(node, "Integer literal " + repr(object) + " exceeded the range of " + what + ": " +
                              ir::to_string(literal) + ", please specify the dtype via e.g. `qd.u64(" + repr(object) +
                              ")` or set a different `default_ip` in `qd.init()`");
    const auto number = static_cast<int64_t>(*bits);
    if (type == Scalar::u1) return *bits != 0;
    if (ir::is_float(type)) return ir::from_double(type, literal == Scalar::u64 ? double(*bits) : double(number)).bits;
    return ir::from_int(type, number).bits;
}

ir::Value convert(Walk &w, ir::Value v, Scalar type) {
    if (w.fn.type(v).elem == type) return v;
    const ir::Inst &inst = w.fn[v];
    if (inst.op == ir::Op::constant) {
        const ir::Constant c{inst.type.elem, inst.imm};
        return w.b.constant(type, ir::flushed_if_fast(w.fn, ir::eval(ir::Op::cast, type, std::span(&c, 1))).bits);
    }
    return w.b.cast(v, type);
}

ir::Value condition(Walk &w, const Node *node, const Val &v, const char *what) {
    if (v.is_matrix() || (v.is_constant() && w.objects.kind_of(v.object()) == Kind::matrix))
        w.fail(node, UserErrorKind::compilation,
               "The truth value of vectors/matrices is ambiguous. Consider using `any` or `all` when comparing "
               "vectors/matrices:\n    if all(x == y):\nor\n    if any(x != y):");
    if (const std::optional<Val> truth = class_truth(w, node, v)) return condition(w, node, *truth, what);
    const Scalar type = scalar_type(w, node, v);
    if (ir::is_float(type))
        w.fail_type(node, std::string("`") + what + "` conditions must be an integer; found " + ir::to_string(type),
                    "compare it with something, e.g. `x != 0`");
    return as(w, node, v, Scalar::u1);
}

/// Converts an index to i32. One out of range becomes the lowest or highest i32, which no field has: the bounds check refuses it.
static ir::Value saturated(Walk &w, ir::Value index) {
    const Scalar type = w.fn.type(index).elem;
    if (ir::bits_of(type) < 32 || type == Scalar::i32 || w.request.mode != autodiff::Mode::none)
        return convert(w, index, Scalar::i32);
    const ir::Value high = w.b.integer(type, INT32_MAX);
    ir::Value kept = w.b.min(index, high);
    if (ir::is_signed(type)) {
        const ir::Value low = w.b.integer(type, INT32_MIN);
        kept = w.b.max(kept, low);
    }
    const ir::Value limited = convert(w, kept, Scalar::i32);
    w.places.note_index(limited, index);
    return limited;
}

ir::Value index_value(Walk &w, const Node *node, const Val &v) {
    if (!v.is_scalar() && !is_number(v))
        w.fail_type(node, "indices must be integers, however " + type_text(w, v) + " is provided as index");
    const Scalar type = scalar_type(w, node, v);
    if (ir::is_float(type))
        w.fail_type(node, "indices must be integers, however '" + ir::to_string(type) + "' is provided as index",
                    "convert it first: `int(x)` or `qd.cast(x, qd.i32)`");
    const bool is_checked = w.request.options.debug || w.request.options.check_out_of_bound;
    return is_checked && v.is_scalar() ? saturated(w, v.scalar().v) : as(w, node, v, Scalar::i32);
}

std::optional<long> constant_int(const Val &v) {
    if (!v.is_constant() || !PyLong_Check(v.object())) return std::nullopt;
    const long number = PyLong_AsLong(v.object());
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return std::nullopt;
    }
    return number;
}

Val typed(Walk &w, const Node *node, const Val &v) {
    if (v.is_ref() || (v.is_element() && v.element().variable)) return typed(w, node, w.places.load(v));
    if (is_number(v)) {
        const ir::Value number = as_is(w, node, v);
        return scalar(w, number);
    }
    if (v.is_constant() && w.objects.kind_of(v.object()) == Kind::matrix) return to_matrix(w, node, v);
    if (v.is_constant() && w.objects.kind_of(v.object()) == Kind::struct_)
        return w.structs.host_struct(node, v.object());
    return v;
}

Val with_types(Walk &w, Val v) {
    if (is_number(v) && !is_typed(v)) v.constant().elem = type_of_constant(w, nullptr, v);
    if (v.is_sequence() && !v.is(Flavour::text))
        for (Val &item : v.parts()) item = with_types(w, std::move(item));
    return v;
}

/// The value of an instruction if all its operands, recursively, are constant.
static std::optional<ir::Constant> evaluated(const ir::Function &fn, ir::Value v) {
    const ir::Inst &inst = fn[v];
    if (inst.op == ir::Op::constant) return ir::Constant{inst.type.elem, inst.imm};
    const std::span<const ir::Value> args = fn.args(v);
    ir::Constant operands[3];
    if (args.empty() || args.size() > std::size(operands) || !ir::can_eval(inst.op)) return {};
    for (size_t i = 0; i < args.size(); ++i) {
        const std::optional<ir::Constant> operand = evaluated(fn, args[i]);
        if (!operand) return {};
        operands[i] = *operand;
    }
    return ir::flushed_if_fast(fn, ir::eval(inst.op, inst.type.elem, {operands, args.size()}));
}

Val known(Walk &w, Val v) {
    if (!v.is_scalar()) return v;
    const std::optional<ir::Constant> number = evaluated(w.fn, v.scalar().v);
    if (!number) return v;
    PyRef object;
    if (ir::is_float(number->type))
        object = PyRef::steal(PyFloat_FromDouble(ir::to_double(*number)));
    else if (number->type == Scalar::u1)
        object = PyRef::borrow(number->bits ? Py_True : Py_False);
    else if (ir::is_signed(number->type))
        object = PyRef::steal(PyLong_FromLongLong(ir::to_int(*number)));
    else
        object = PyRef::steal(PyLong_FromUnsignedLongLong(number->bits));
    return val::Constant{std::move(object), -1, {}, number->type};
}

Val cast(Walk &w, const Node *node, const Val &v, Scalar type) {
    if (v.is_ref()) return cast(w, node, w.places.load(v), type);
    if (v.is_matrix()) {
        Val out = v;
        val::Matrix &m = out.matrix();
        m.elem = type;
        for (ir::Value &c : m.comps) c = convert(w, c, type);
        return out;
    }
    if (v.is_constant() && w.objects.kind_of(v.object()) == Kind::matrix)
        return cast(w, node, to_matrix(w, node, v), type);
    if (v.is_sequence()) return cast(w, node, to_matrix(w, node, v), type);
    const ir::Value converted = as(w, node, v, type);
    return scalar(w, converted);
}

namespace {

/// Appends the entries of a host sequence or matrix, row by row.
void append_entries(Walk &w, const Node *node, const Val &v, std::vector<Val> &out, int depth, int &n, int &m) {
    const std::vector<Val> &items = v.sequence().items;
    (depth == 0 ? n : m) = int(items.size());
    for (const Val &item : items) {
        const Val entry = w.places.load(item);
        if (const val::Matrix *row = entry.if_matrix(); row && row->ndim == 1 && depth == 0) {
            if (m != 1 && m != row->n) w.fail_type(node, "Rows of a matrix must have the same length");
            m = row->n;
            for (int k = 0; k < row->n; ++k) out.push_back(component(entry, k));
        } else if (entry.is_sequence() && depth == 0) {
            int inner = 0;
            append_entries(w, node, entry, out, 1, n, inner);
            if (m != 1 && m != inner) w.fail_type(node, "Rows of a matrix must have the same length");
            m = inner;
        } else {
            out.push_back(entry);
        }
    }
}

} // namespace

Val to_matrix(Walk &w, const Node *node, const Val &given) {
    Val v = w.places.load(given);
    if (v.is_matrix()) return v;
    std::vector<Val> entries;
    val::Matrix out;
    if (v.is_constant()) {
        PyObject *object = v.object();
        if (w.objects.kind_of(object) == Kind::matrix) {
            out.n = int(attribute_int(object, names().n, 1));
            out.m = int(attribute_int(object, names().m, 1));
            out.ndim = int(attribute_int(object, names().ndim, 1));
            PyRef list = attribute(object, names()._entries);
            PyRef fast = PyRef::steal(list ? PySequence_Fast(list.get(), "") : nullptr);
            if (!fast) w.python_failed(node);
            for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
                entries.push_back(wrap(w, PyRef::borrow(PySequence_Fast_GET_ITEM(fast.get(), i))));
        } else if (std::strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") == 0) {
            v = unpacked(w, node, constant(PyRef::steal(PyObject_CallMethod(object, "tolist", nullptr))));
        } else {
            v = unpacked(w, node, v);
        }
    }
    if (v.is_sequence()) {
        append_entries(w, node, v, entries, 0, out.n, out.m);
        const std::vector<Val> &items = v.sequence().items;
        const Val first = items.empty() ? Val{} : w.places.load(items[0]);
        out.ndim = !items.empty() && (first.is_sequence() || first.is_matrix()) ? 2 : 1;
    }
    if (entries.empty() || int(entries.size()) != out.n * out.m)
        w.fail_type(node, "A vector or matrix is needed here, not " + type_text(w, v),
                    v.is_loop() ? "its length is known only at run time: loop over it, `for i in range(n)`" : "");
    Scalar elem = Scalar::none;
    for (const Val &e : entries) {
        const Scalar type = scalar_type(w, node, e);
        elem = elem == Scalar::none ? type : promote(elem, type);
    }
    out.elem = elem;
    for (const Val &e : entries) out.comps.push_back(as(w, node, e, elem));
    return out;
}

Val unpacked(Walk &w, const Node *node, const Val &v, int depth) {
    if (!v.is_constant() || !(PyTuple_Check(v.object()) || PyList_Check(v.object()))) return v;
    val::Sequence out{{}, PyTuple_Check(v.object()) ? val::Sequence::Type::tuple : val::Sequence::Type::list};
    if (double(Py_SIZE(v.object())) > max_items) w.fail_too_long(node);
    if (depth > deepest_sequence) w.fail_type(node, "A list or tuple is nested too deeply, or holds itself");
    PyRef fast = PyRef::steal(PySequence_Fast(v.object(), ""));
    if (!fast) w.python_failed(node);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
        out.items.push_back(
            unpacked(w, node, wrap(w, PyRef::borrow(PySequence_Fast_GET_ITEM(fast.get(), i))), depth + 1));
    Val all = std::move(out);
    all.is_static = v.is_static;
    return all;
}

void check_narrowing(Walk &w, const Node *node, Scalar to, Scalar from) {
    if (promote(to, from) != to)
        w.warn(node, "UserWarning",
               "Assign may lose precision: " + ir::to_string(to) + " <- " + ir::to_string(from) +
                   why_narrow(w, node, to, from));
}

namespace {

std::string numbers_text(const Shape &shape, Scalar elem) {
    if (!shape.ndim) return ir::to_string(elem);
    const std::string extents = std::to_string(shape.n) + (shape.ndim == 2 ? ", " + std::to_string(shape.m) : "");
    return "[Tensor (" + extents + ") " + ir::to_string(elem) + "]";
}

} // namespace

std::string type_text(Walk &w, const Val &v) {
    switch (v.tag()) {
    case Tag::none: return "None";
    case Tag::constant: {
        PyObject *object = v.object();
        if (is_typed(v)) return ir::to_string(v.constant().elem);
        if (PyBool_Check(object)) return "u1";
        if (PyLong_Check(object)) return ir::to_string(w.request.options.default_ip);
        if (PyFloat_Check(object)) return ir::to_string(w.request.options.default_fp);
        return type_name(object);
    }
    case Tag::scalar: return ir::to_string(v.scalar().elem);
    case Tag::matrix: return numbers_text(shape_of(v), v.matrix().elem);
    case Tag::ref: return numbers_text(shape_of(v), v.ref()->elem);
    case Tag::array: return "ndarray";
    case Tag::bundle: return type_name(v.bundle().object.get());
    case Tag::sequence: return v.is_tuple() ? "tuple" : "list";
    case Tag::dict: return "dict";
    case Tag::structure: {
        const auto &[type, values] = v.structure();
        if (type->object) return repr(type->object.get());
        if (type->cls) return text(attribute(type->cls.get(), names().__name__).get());
        std::string members;
        for (size_t i = 0; i < values.size(); ++i)
            members += (i ? ", " : "") + text(type->names[i].get()) + "=" + type_text(w, values[i]);
        return "<qd.Struct " + members + ">";
    }
    case Tag::loop: return "range";
    case Tag::method: return "method";
    case Tag::container: return "dynamic node";
    case Tag::element: return "element of a mesh";
    case Tag::relation: return "elements of a mesh";
    case Tag::shared: return "shared array";
    case Tag::triplet: return "entry of a sparse matrix builder";
    }
    return "";
}

} // namespace qd::frontend
