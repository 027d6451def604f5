#include "frontend/builtins.h"

#include "frontend/annotations.h"
#include "frontend/arithmetic.h"
#include "frontend/call.h"
#include "frontend/compare.h"
#include "frontend/expr.h"
#include "frontend/matrix.h"
#include "frontend/mesh.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/types.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

static void check_word(Walk &w, const Call &call, ir::Scalar type);

namespace {

template <Val (*handler)(Walk &, const Call &, Op), Op op> Val with_op(Walk &w, const Call &call) {
    return handler(w, call, op);
}

constexpr auto make_rows() {
    using enum Flag::Bits;
    return std::to_array<BuiltinRow>({
#define BUILTIN(name, handler, flags, least, most, parameters)                                                         \
    {name, &handlers::handler, flags, least, most, parameters},
#define OPERATION(name, handler, op, flags, least, most, parameters)                                                   \
    {name, &with_op<&handlers::handler, Op::op>, flags, least, most, parameters},
#include "frontend/builtins.def"
    });
}
constexpr auto rows = make_rows();

} // namespace

const BuiltinRow *find_builtin(std::string_view name) {
    static const std::unordered_map<std::string_view, const BuiltinRow *> table = [] {
        std::unordered_map<std::string_view, const BuiltinRow *> map;
        for (const BuiltinRow &row : rows) map.emplace(row.name, &row);
        return map;
    }();
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

std::vector<std::pair<std::string_view, std::string_view>> builtin_parameters() {
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (const BuiltinRow &row : rows)
        all.emplace_back(row.name, row.parameters.substr(0, std::min(row.parameters.find('*'), row.parameters.size())));
    return all;
}

bool BuiltinRow::takes_keyword(std::string_view keyword) const {
    return parameters == "**" || (parameters.starts_with("* ") && parameters.substr(2) == keyword);
}

namespace {

using ObjectTable = std::unordered_map<PyObject *, const BuiltinRow *>;

ObjectTable make_python_table() {
    ObjectTable table;
    PyObject *builtins = PyEval_GetBuiltins();
    for (const BuiltinRow &row : rows) {
        PyObject *function = row.has(Flag::python) ? PyDict_GetItemString(builtins, row.name) : nullptr;
        if (function) table.emplace(function, &row);
    }
    PyRef operators = PyRef::steal(PyImport_ImportModule("operator"));
    PyObject *matmul = operators ? PyObject_GetAttrString(operators.get(), "matmul") : nullptr; // owned by the table
    PyErr_Clear();
    if (matmul) table.emplace(matmul, find_builtin("matmul"));
    return table;
}

} // namespace

const BuiltinRow *python_builtin(PyObject *object) {
    static const ObjectTable *table = nullptr; // not a guarded static: see ast() in syntax/from_python.cpp
    if (!table) {
        ObjectTable made = make_python_table();
        if (!table) table = new ObjectTable(std::move(made));
    }
    const auto found = table->find(object);
    return found == table->end() ? nullptr : found->second;
}

/// A member of a builtin (`Matrix.zero`) as a callable.
Val builtin_value(const BuiltinRow &row) {
    auto bound = std::make_shared<BoundMethod>();
    bound->name = row.name;
    bound->builtin = &row;
    return val::Method{std::move(bound)};
}

void check_domain(Walk &w, const Node *node, const BuiltinRow &row, Scalar type) {
    const char *name = std::strncmp(row.name, "math.", 5) == 0 ? row.name + 5 : row.name;
    if (row.has(Flag::real) && !ir::is_float(type))
        w.fail_type(node,
                    std::string("'") + name + "' takes real inputs only, however '" + ir::to_string(type) +
                        "' is provided",
                    "convert it first: `float(x)` or `qd.cast(x, qd.f32)`");
    if (row.has(Flag::ints) && ir::is_float(type))
        w.fail_type(node, std::string("'") + name + "' takes integral inputs only, however '" + ir::to_string(type) +
                              "' is provided");
}

Val handlers::math_unary(Walk &w, const Call &call, Op op) {
    const Node *node = call.node;
    const BuiltinRow &row = *call.row;
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    const bool literal = row.has(Flag::real) && constant_int(call.args[0]); // qd.sin(1): a Python number
    const bool widens = row.has(Flag::widen) || literal;
    Val out = map(w, node, call.args[0], [&](const Val &x) {
        Scalar type = scalar_type(w, node, x);
        if (!widens) check_domain(w, node, row, type);
        if (widens && !ir::is_float(type)) type = w.request.options.default_fp;
        const ir::Value v = as(w, node, x, type);
        return scalar(w, emit1(w, op, v));
    });
    const Val *dtype = call.args.size() > 1 ? &call.args[1] : nullptr;
    if (dtype && dtype->is_constant() && dtype->object() != Py_None)
        out = cast(w, node, out, dtype_scalar(w, node, dtype->object()));
    return row.has(Flag::folds) ? known(w, std::move(out)) : out;
}

/// True for a compile-time number that has a type, or a sequence that contains one.
static bool is_computed(const Walk &w, const Val &v) {
    const auto within = [&](const Val &item) { return is_computed(w, item); };
    return are_computed(w, v, v) || (v.is_sequence() && std::any_of(v.parts().begin(), v.parts().end(), within));
}

/// True if Python computes abs, min, max, round, ... because all arguments are Python numbers.
bool python_builtin_applies(Walk &w, const Call &call) {
    if (!call.row->has(Flag::folds) || !call.kwargs.empty()) return false;
    for (const Val &v : call.args)
        if (is_computed(w, v) || !to_python(v) || (v.is_constant() && w.objects.kind_of(v.object()) != Kind::foreign))
            return false;
    return true;
}

Val call_builtin_in_python(Walk &w, const Call &call) {
    PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), call.row->name);
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size())));
    for (size_t i = 0; i < call.args.size(); ++i) {
        PyRef item = to_python(call.args[i]);
        if (!is_plain(item.get())) w.dependencies.give_up();
        item = collect_argument(w, call.node, function, std::move(item));
        Py_INCREF(item.get());
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), item.get());
    }
    PyRef result = PyRef::steal(PyObject_Call(function, args.get(), nullptr));
    if (!result) w.python_failed(call.node);
    return wrap(w, std::move(result));
}

Val handlers::math_binary(Walk &w, const Call &call, Op op) {
    const Node *node = call.node;
    const BuiltinRow &row = *call.row;
    return broadcast(w, node, row.name, call.args[0], call.args[1], [&](const Val &a, const Val &b) {
        const Scalar left = scalar_type(w, node, a), right = scalar_type(w, node, b);
        Scalar type = op == Op::ushr ? left : promote(left, right);
        if (op == Op::atan2)
            type = left == Scalar::f64 || right == Scalar::f64 ? Scalar::f64 : Scalar::f32;
        else
            check_domain(w, node, row, promote(left, right));
        const ir::Value x = as(w, node, a, type);
        const ir::Value y = as(w, node, b, type);
        if ((op == Op::div || op == Op::rem) && !ir::is_float(type)) guard_divisor(w, node, y);
        return scalar(w, emit2(w, op, x, y));
    });
}

Val handlers::minmax(Walk &w, const Call &call, Op op) {
    const Node *node = call.node;
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    std::vector<Val> args = call.args;
    if (args.size() == 1 && args[0].is_scalar()) return args[0];
    if (args.size() == 1) args = sequence_items(w, node, args[0]).sequence().items;
    for (Val &v : args) v = w.places.load(v); // items of a list are places
    if (args.empty()) w.fail_type(node, std::string("`") + call.row->name + "` needs at least one value");
    Val out = args[0];
    for (size_t i = 1; i < args.size(); ++i)
        out = broadcast(w, node, call.row->name, out, args[i], [&](const Val &a, const Val &b) {
            const Scalar type = promote(scalar_type(w, node, a), scalar_type(w, node, b));
            const ir::Value x = as(w, node, a, type);
            const ir::Value y = as(w, node, b, type);
            return scalar(w, emit2(w, op, x, y));
        });
    return known(w, std::move(out));
}

Val handlers::power(Walk &w, const Call &call) {
    if (call.args.size() == 3 && python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    if (call.args.size() == 3)
        w.fail_type(call.node, "`pow` with a modulus takes numbers known at compile time", "write `pow(x, y) % m`");
    return binary(w, call.node, NodeKind::Pow, call.args[0], call.args[1]);
}

Val handlers::matmul_of(Walk &w, const Call &call) { return matmul(w, call.node, call.args[0], call.args[1]); }

Val handlers::select(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val test = map(w, node, call.args[0], [&](const Val &c) {
        if (!is_number(c)) check_integral(w, node, "select", c); // of a Python number the truth is used
        return scalar(w, as(w, node, c, Scalar::u1));
    });
    // Both values are first converted to one type and shape.
    const auto is_scalar = [](const Val &v) { return v.is_scalar() || is_number(v); };
    const auto check_shapes = [&](const Val &x, const Val &y) {
        if (is_scalar(x) || is_scalar(y)) return;
        const Val p = to_matrix(w, node, x), q = to_matrix(w, node, y);
        if (shape_of(p) != shape_of(q))
            w.fail_type(node,
                        "Cannot broadcast tensor to tensor: '" + type_text(w, p) + "' and '" + type_text(w, q) + "'");
    };
    check_shapes(call.args[1], call.args[2]);
    check_shapes(call.args[0], call.args[1]);
    check_shapes(call.args[0], call.args[2]);
    const auto shaped = [&](const Val &a, const Val &like) {
        return broadcast(w, node, "select", a, like, [&](const Val &x, const Val &y) {
            const Scalar type = promote(scalar_type(w, node, x), scalar_type(w, node, y));
            return scalar(w, as(w, node, x, type));
        });
    };
    const Val a = shaped(call.args[1], call.args[2]);
    const Val b = shaped(call.args[2], call.args[1]);
    const bool many = test.is_matrix() || a.is_matrix();
    if (!many) return scalar(w, w.b.select(test.scalar().v, a.scalar().v, b.scalar().v));
    Val out = a.is_matrix() ? a : test;
    val::Matrix &m = out.matrix();
    m.elem = a.is_matrix() ? a.matrix().elem : a.scalar().elem;
    const auto part = [](const Val &v, size_t k) { return v.is_matrix() ? v.matrix().comps[k] : v.scalar().v; };
    for (size_t k = 0; k < m.comps.size(); ++k) m.comps[k] = w.b.select(part(test, k), part(a, k), part(b, k));
    return out;
}

static Scalar target_type(Walk &w, const Call &call) {
    const Val *dtype = call.args.size() > 1 ? &call.args[1] : nullptr;
    if (!dtype || !dtype->is_constant())
        w.fail_type(call.node,
                    std::string("The second argument of `") + call.row->name + "` is a data type such as qd.f32");
    return dtype_scalar(w, call.node, dtype->object());
}

Val handlers::cast_to(Walk &w, const Call &call) { return cast(w, call.node, call.args[0], target_type(w, call)); }

Val handlers::bit_cast(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Scalar type = target_type(w, call);
    return map(w, node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(w, node, x);
        const Scalar from = w.fn.type(v).elem;
        if (ir::size_of(from) != ir::size_of(type) || ir::bits_of(from) != ir::bits_of(type))
            w.fail_type(node, "bit_cast needs types of one width, not " + ir::to_string(from) + " and " +
                                  ir::to_string(type));
        return scalar(w, w.b.bitcast(v, type));
    });
}

static Val convert_to(Walk &w, const Call &call, Scalar type) {
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    return known(w, cast(w, call.node, call.args[0], type));
}

Val handlers::to_default_int(Walk &w, const Call &call) { return convert_to(w, call, w.request.options.default_ip); }

Val handlers::to_default_float(Walk &w, const Call &call) { return convert_to(w, call, w.request.options.default_fp); }

Val handlers::to_truth(Walk &w, const Call &call) { return convert_to(w, call, Scalar::u1); }

static Val filled_like(Walk &w, const Call &call, int64_t number) {
    return map(w, call.node, call.args[0],
               [&](const Val &x) { return scalar(w, w.b.integer(scalar_type(w, call.node, x), number)); });
}

Val handlers::zero_like(Walk &w, const Call &call) { return filled_like(w, call, 0); }

Val handlers::one_like(Walk &w, const Call &call) { return filled_like(w, call, 1); }

Val handlers::bit_count(Walk &w, const Call &call, Op op) {
    const Node *node = call.node;
    return map(w, node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(w, node, x);
        check_word(w, call, w.fn.type(v).elem);
        const ir::Value bits = emit1(w, op, v);
        return scalar(w, convert(w, bits, Scalar::i32));
    });
}

/// Bit counts require types of 32 or 64 bits.
static void check_word(Walk &w, const Call &call, Scalar type) {
    check_domain(w, call.node, *call.row, type);
    const bool word = ir::bits_of(type) == 32 || ir::bits_of(type) == 64;
    if (!word)
        w.fail_type(call.node,
                    std::string("'") + (call.row->name + 5) + "' takes i32, u32, i64 and u64 only, however '" +
                        ir::to_string(type) + "' is provided",
                    "convert it first: `qd.cast(x, qd.u32)`");
}

/// 1 + index of the lowest set bit, 0 if there is none: width - clz(x & -x).
Val handlers::find_first_set(Walk &w, const Call &call) {
    const Node *node = call.node;
    return map(w, node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(w, node, x);
        const Scalar type = w.fn.type(v).elem;
        check_word(w, call, type);
        const ir::Value negative = w.b.neg(v);
        const ir::Value lowest = w.b.band(v, negative);
        const ir::Value zeros = w.b.clz(lowest);
        const ir::Value width = w.b.integer(type, ir::bits_of(type));
        const ir::Value position = w.b.sub(width, zeros);
        return scalar(w, convert(w, position, Scalar::i32));
    });
}

Val handlers::length_of(Walk &w, const Call &call) {
    const Val &v = call.args[0];
    switch (v.tag()) {
    case Tag::sequence:
    case Tag::dict: return integer(long(v.parts().size()));
    case Tag::matrix: return integer(v.matrix().n);
    case Tag::relation: return w.meshes.relation_size(call.node, v);
    case Tag::ref:
        if (v.ref()->ndim) return integer(v.ref()->n);
        break;
    case Tag::constant: {
        if (w.objects.kind_of(v.object()) == Kind::matrix) return integer(attribute_int(v.object(), names().n, 0));
        const Py_ssize_t size = PyObject_Size(v.object());
        if (size < 0) w.python_failed(call.node);
        return integer(long(size));
    }
    case Tag::loop:
        if (const PyRef range = to_python(v)) {
            const Py_ssize_t size = PyObject_Size(range.get());
            if (size < 0) w.python_failed(call.node);
            return integer(long(size));
        }
        break;
    case Tag::none:
    case Tag::scalar:
    case Tag::array:
    case Tag::bundle:
    case Tag::structure:
    case Tag::method:
    case Tag::container:
    case Tag::element:
    case Tag::shared:
    case Tag::triplet: break;
    }
    w.fail_type(call.node, "'" + type_text(w, v) + "' has no len()", v.is_array() ? "use `x.shape[0]`" : "");
}

Val handlers::reduce_bool(Walk &w, const Call &call, Op op) {
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    return reduce_to_bool(w, call.node, to_matrix(w, call.node, call.args[0]), op);
}

} // namespace qd::frontend
