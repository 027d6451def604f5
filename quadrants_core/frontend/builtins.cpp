#include "frontend/builtins.h"

#include "frontend/annotations.h"
#include "frontend/arithmetic.h"
#include "frontend/call.h"
#include "frontend/compare.h"
#include "frontend/expr.h"
#include "frontend/loops.h"
#include "frontend/matrix.h"
#include "frontend/mesh.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/record.h"
#include "frontend/static.h"
#include "frontend/types.h"

#include <cstring>
#include <numbers>
#include <unordered_map>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

static void check_word(Walk &w, const Call &call, ir::Scalar type);

namespace {

constexpr BuiltinRow rows[] = {
#define BUILTIN(name, handler, op, flag, least, most) {name, &handlers::handler, ir::Op::op, Flag::flag, least, most},
#include "frontend/builtins.def"
};

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
    for (const BuiltinRow &row : rows) all.emplace_back(row.name, parameter_names(row.name));
    return all;
}

std::string_view parameter_names(std::string_view builtin) {
    static constexpr std::pair<std::string_view, std::string_view> all[] = {
#define KEYWORDS(name, parameters) {name, parameters},
#include "frontend/builtins.def"
    };
    for (const auto &[name, parameters] : all)
        if (name == builtin) return parameters;
    return {};
}

namespace {

/// What is given by keyword alone; "*": the handler looks at all keywords itself.
constexpr std::pair<decltype(BuiltinRow::handler), std::string_view> keywords[] = {
    {&handlers::ndrange, "axes"},
    {&handlers::print, "*"},
    {&handlers::loop_config, "*"},
    {&handlers::new_struct, "*"},
};

} // namespace

bool takes_keyword(const BuiltinRow &row, std::string_view name) {
    return std::any_of(std::begin(keywords), std::end(keywords), [&](const auto &known) {
        return known.first == row.handler && (known.second == "*" || known.second == name);
    });
}

namespace {

using ObjectTable = std::unordered_map<PyObject *, const BuiltinRow *>;

ObjectTable make_python_table() {
    ObjectTable table;
    PyObject *builtins = PyEval_GetBuiltins();
    for (const char *name : {"print", "min", "max", "sum", "int", "float", "bool", "abs", "pow", "any", "all", "len",
                             "range", "isinstance"})
        if (PyObject *function = PyDict_GetItemString(builtins, name)) table.emplace(function, find_builtin(name));
    PyRef operators = PyRef::steal(PyImport_ImportModule("operator"));
    PyObject *matmul = operators ? PyObject_GetAttrString(operators.get(), "matmul") : nullptr; // kept
    PyErr_Clear();
    if (matmul) table.emplace(matmul, find_builtin("matmul"));
    return table;
}

} // namespace

const BuiltinRow *python_builtin(PyObject *object) {
    static const ObjectTable *table = nullptr; // no guarded static: see node_table
    if (!table) {
        ObjectTable made = make_python_table();
        if (!table) table = new ObjectTable(std::move(made));
    }
    const auto found = table->find(object);
    return found == table->end() ? nullptr : found->second;
}

/// A member of a builtin (`Matrix.zero`), waiting to be called.
Val builtin_value(const BuiltinRow &row) {
    Val out;
    out.tag = Tag::method;
    out.extra = std::make_shared<Extra>();
    out.extra->name = std::string("builtin:") + row.name;
    return out;
}

void check_domain(Walk &w, const Node *node, const BuiltinRow &row, Scalar type) {
    const char *name = std::strncmp(row.name, "math.", 5) == 0 ? row.name + 5 : row.name;
    if (row.flag == Flag::real && !ir::is_float(type))
        w.fail_type(node,
                    std::string("'") + name + "' takes real inputs only, however '" + ir::to_string(type) +
                        "' is provided",
                    "convert it first: `float(x)` or `qd.cast(x, qd.f32)`");
    if (row.flag == Flag::ints && ir::is_float(type))
        w.fail_type(node, std::string("'") + name + "' takes integral inputs only, however '" + ir::to_string(type) +
                              "' is provided");
}

Val handlers::math_unary(Walk &w, const Call &call) {
    const Node *node = call.node;
    const BuiltinRow &row = *call.row;
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    const bool literal = row.flag == Flag::real && constant_int(call.args[0]); // qd.sin(1): a number of Python
    const bool widens = row.flag == Flag::widen || literal;
    Val out = map(w, node, call.args[0], [&](const Val &x) {
        Scalar type = scalar_type(w, node, x);
        if (!widens) check_domain(w, node, row, type);
        if (widens && !ir::is_float(type)) type = w.request.options.default_fp;
        const ir::Value v = as(w, node, x, type);
        return scalar(w, emit1(w, row.op, v));
    });
    const Val *dtype = call.args.size() > 1 ? &call.args[1] : nullptr;
    if (dtype && dtype->is_constant() && dtype->object.get() != Py_None)
        out = cast(w, node, out, dtype_scalar(w, node, dtype->object.get()));
    return out;
}

/// abs, min, max, round, ... of Python numbers alone are Python's.
bool python_builtin_applies(Walk &w, const Call &call) {
    static constexpr std::string_view pure[] = {"abs", "min", "max",   "pow",  "any", "all",
                                                "len", "int", "float", "bool", "sum"};
    if (std::find(std::begin(pure), std::end(pure), call.row->name) == std::end(pure) || !call.kwargs.empty())
        return false;
    for (const Val &v : call.args)
        if (!to_python(v) || (v.is_constant() && w.objects.kind_of(v.object.get()) != Kind::foreign)) return false;
    return true;
}

Val call_builtin_in_python(Walk &w, const Call &call) {
    PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), call.row->name);
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size())));
    for (size_t i = 0; i < call.args.size(); ++i) {
        PyRef item = to_python(call.args[i]);
        if (!is_plain(item.get())) w.reads.give_up();
        Py_INCREF(item.get());
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), item.get());
    }
    PyRef result = PyRef::steal(PyObject_Call(function, args.get(), nullptr));
    if (!result) w.python_failed(call.node);
    return wrap(w, std::move(result));
}

Val handlers::math_binary(Walk &w, const Call &call) {
    const Node *node = call.node;
    const BuiltinRow &row = *call.row;
    return broadcast(w, node, row.name, call.args[0], call.args[1], [&](const Val &a, const Val &b) {
        const Scalar left = scalar_type(w, node, a), right = scalar_type(w, node, b);
        Scalar type = row.op == Op::ushr ? left : promote(left, right);
        if (row.op == Op::atan2)
            type = left == Scalar::f64 || right == Scalar::f64 ? Scalar::f64 : Scalar::f32;
        else
            check_domain(w, node, row, promote(left, right));
        const ir::Value x = as(w, node, a, type);
        const ir::Value y = as(w, node, b, type);
        if ((row.op == Op::div || row.op == Op::rem) && !ir::is_float(type)) guard_divisor(w, node, y);
        return scalar(w, emit2(w, row.op, x, y));
    });
}

Val handlers::minmax(Walk &w, const Call &call) {
    const Node *node = call.node;
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    std::vector<Val> args = call.args;
    if (args.size() == 1 && args[0].tag == Tag::scalar) return args[0];
    if (args.size() == 1) args = sequence_items(w, node, args[0]).items;
    for (Val &v : args) v = w.places.load(v); // items of a list are places
    if (args.empty()) w.fail_type(node, std::string("`") + call.row->name + "` needs at least one value");
    Val out = args[0];
    for (size_t i = 1; i < args.size(); ++i)
        out = broadcast(w, node, call.row->name, out, args[i], [&](const Val &a, const Val &b) {
            const Scalar type = promote(scalar_type(w, node, a), scalar_type(w, node, b));
            const ir::Value x = as(w, node, a, type);
            const ir::Value y = as(w, node, b, type);
            return scalar(w, emit2(w, call.row->op, x, y));
        });
    return out;
}

Val handlers::power(Walk &w, const Call &call) {
    return binary(w, call.node, NodeKind::Pow, call.args[0], call.args[1]);
}

Val handlers::matmul_of(Walk &w, const Call &call) { return matmul(w, call.node, call.args[0], call.args[1]); }

Val handlers::select(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val test = map(w, node, call.args[0], [&](const Val &c) {
        if (!is_number(c)) check_integral(w, node, "select", c); // of a number of Python its truth
        return scalar(w, as(w, node, c, Scalar::u1));
    });
    // Both values are brought to one type and shape first, then chosen between.
    const auto is_scalar = [](const Val &v) { return v.tag == Tag::scalar || is_number(v); };
    const auto check_shapes = [&](const Val &x, const Val &y) {
        if (is_scalar(x) || is_scalar(y)) return;
        const Val p = to_matrix(w, node, x), q = to_matrix(w, node, y);
        if (p.n != q.n || p.m != q.m || p.ndim != q.ndim)
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
    const bool many = test.tag == Tag::matrix || a.tag == Tag::matrix;
    if (!many) return scalar(w, w.b.select(test.v, a.v, b.v));
    Val out = a.tag == Tag::matrix ? a : test;
    out.elem = a.elem;
    for (size_t k = 0; k < out.comps.size(); ++k) {
        const ir::Value c = test.tag == Tag::matrix ? test.comps[k] : test.v;
        const ir::Value x = a.tag == Tag::matrix ? a.comps[k] : a.v;
        const ir::Value y = b.tag == Tag::matrix ? b.comps[k] : b.v;
        out.comps[k] = w.b.select(c, x, y);
    }
    return out;
}

static Scalar target_type(Walk &w, const Call &call) {
    const Val *dtype = call.args.size() > 1 ? &call.args[1] : nullptr;
    if (!dtype || !dtype->is_constant())
        w.fail_type(call.node,
                    std::string("The second argument of `") + call.row->name + "` is a data type such as qd.f32");
    return dtype_scalar(w, call.node, dtype->object.get());
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

Val handlers::convert_to(Walk &w, const Call &call) {
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    const char first = call.row->name[0];
    const Scalar type = first == 'i'   ? w.request.options.default_ip
                        : first == 'f' ? w.request.options.default_fp
                                       : Scalar::u1;
    return cast(w, call.node, call.args[0], type);
}

Val handlers::zero_one(Walk &w, const Call &call) {
    const Node *node = call.node;
    return map(w, node, call.args[0], [&](const Val &x) {
        return scalar(w, w.b.integer(scalar_type(w, node, x), call.row->op == Op::mul ? 1 : 0));
    });
}

Val handlers::bit_count(Walk &w, const Call &call) {
    const Node *node = call.node;
    return map(w, node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(w, node, x);
        check_word(w, call, w.fn.type(v).elem);
        const ir::Value bits = emit1(w, call.row->op, v);
        return scalar(w, convert(w, bits, Scalar::i32));
    });
}

/// Counts of bits are of types with 32 or 64.
static void check_word(Walk &w, const Call &call, Scalar type) {
    check_domain(w, call.node, *call.row, type);
    const bool word = ir::bits_of(type) == 32 || ir::bits_of(type) == 64;
    if (!word)
        w.fail_type(call.node,
                    std::string("'") + (call.row->name + 5) + "' takes i32, u32, i64 and u64 only, however '" +
                        ir::to_string(type) + "' is provided",
                    "convert it first: `qd.cast(x, qd.u32)`");
}

/// 1 + index of the lowest set bit, 0 if none: width - clz(x & -x).
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

Val handlers::classify(Walk &w, const Call &call) {
    const Node *node = call.node;
    return map(w, node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(w, node, x);
        const Scalar type = w.fn.type(v).elem;
        if (call.row->op == Op::ne || !ir::is_float(type)) return scalar(w, w.b.ne(v, v)); // no integer is either
        const ir::Value size = w.b.abs(v);
        const ir::Value infinity = w.b.number(type, std::numeric_limits<double>::infinity());
        return scalar(w, w.b.eq(size, infinity));
    });
}

Val handlers::length_of(Walk &w, const Call &call) {
    const Val &v = call.args[0];
    if (v.is_sequence() || v.tag == Tag::dict) return integer(long(v.items.size()));
    if (v.tag == Tag::matrix) return integer(v.n);
    if (v.tag == Tag::ref && v.ref->ndim) return integer(v.ref->n);
    if (v.tag == Tag::relation) return w.meshes.relation_size(call.node, v);
    if (v.is_constant() && w.objects.kind_of(v.object.get()) == Kind::matrix)
        return integer(attribute_int(v.object.get(), names().n, 0));
    if (v.is_constant()) {
        const Py_ssize_t size = PyObject_Size(v.object.get());
        if (size < 0) w.python_failed(call.node);
        return integer(long(size));
    }
    w.fail_type(call.node, "'" + type_text(w, v) + "' has no len()", v.tag == Tag::array ? "use `x.shape[0]`" : "");
}

Val handlers::reduce_bool(Walk &w, const Call &call) {
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    return reduce_to_bool(w, call.node, to_matrix(w, call.node, call.args[0]), call.row->op);
}

Val handlers::random(Walk &w, const Call &call) {
    Scalar type = w.request.options.default_fp;
    const Val *dtype = call.args.empty() ? nullptr : &call.args[0];
    if (dtype && dtype->is_constant()) type = dtype_scalar(w, call.node, dtype->object.get());
    return scalar(w, w.b.random(type));
}

/// Box-Muller: sqrt(-2 ln(1 - u)) cos(2 pi v).
Val handlers::randn(Walk &w, const Call &call) {
    Scalar type = w.request.options.default_fp;
    const Val *dtype = call.args.empty() ? nullptr : &call.args[0];
    if (dtype && dtype->is_constant() && dtype->object.get() != Py_None)
        type = dtype_scalar(w, call.node, dtype->object.get());
    if (!ir::is_float(type)) w.fail_type(call.node, "`randn` gives real numbers, not " + ir::to_string(type));
    const ir::Value u = w.b.random(type);
    const ir::Value v = w.b.random(type);
    const ir::Value one = w.b.number(type, 1);
    const ir::Value positive = w.b.sub(one, u);
    const ir::Value logarithm = w.b.log(positive);
    const ir::Value minus_two = w.b.number(type, -2);
    const ir::Value square = w.b.mul(minus_two, logarithm);
    const ir::Value radius = w.b.sqrt(square);
    const ir::Value turn = w.b.number(type, 2 * std::numbers::pi);
    const ir::Value angle = w.b.mul(turn, v);
    const ir::Value cosine = w.b.cos(angle);
    return scalar(w, w.b.mul(radius, cosine));
}

// Loops and hints

Val handlers::range(Walk &w, const Call &call) {
    const size_t count = call.args.size();
    if (w.static_depth) {
        Call plain = call;
        return call_python(w, call.node, reinterpret_cast<PyObject *>(&PyRange_Type), plain);
    }
    if (count < 1 || count > 2)
        w.fail_syntax(call.node, "Range should have 1 or 2 arguments, found " + std::to_string(count),
                      "a step is not supported; scale the index in the body");
    Val out;
    out.tag = Tag::loop;
    out.extra = std::make_shared<Extra>();
    out.extra->over = Extra::Over::range;
    out.extra->lower.push_back(count == 2 ? call.args[0] : integer(0));
    out.extra->upper.push_back(call.args[count - 1]);
    return out;
}

Val handlers::ndrange(Walk &w, const Call &call) {
    const Node *node = call.node;
    if (const Node *first = call.arg_node(0); first != node && first->kind == NodeKind::Call) {
        const Val callee = eval(w, child(first, Field::func), Use::handed_on);
        const BuiltinRow *row = callee.is_constant() ? w.objects.builtin_of(callee.object.get()) : nullptr;
        if (row && (row->handler == &handlers::static_ || row->handler == &handlers::grouped ||
                    row->handler == &handlers::ndrange))
            w.fail_syntax(first, "No decorator is allowed inside 'qd.ndrange'");
    }
    Val out;
    out.tag = Tag::loop;
    out.extra = std::make_shared<Extra>();
    Extra &loop = *out.extra;
    loop.over = Extra::Over::ndrange;
    const auto check = [&](const Val &v) {
        if (ir::is_float(scalar_type(w, node, v)))
            w.fail_type(
                node, "Every argument of ndrange should be an integer scalar or a tuple/list of (int, int), but got " +
                          type_text(w, v));
        return v;
    };
    for (const Val &arg : call.args) {
        if (arg.tag == Tag::scalar || is_number(arg)) {
            loop.lower.push_back(integer(0));
            loop.upper.push_back(check(arg));
            continue;
        }
        const Val pair = arg.tag == Tag::matrix ? sequence_items(w, node, arg) : unpacked(w, node, arg);
        if (!pair.is_sequence() || pair.items.size() != 2)
            w.fail_syntax(node, "Every argument of ndrange should be a scalar or a tuple/list like (begin, end)");
        loop.lower.push_back(check(w.places.load(pair.items[0])));
        loop.upper.push_back(check(w.places.load(pair.items[1])));
    }
    if (const Val *axes = call.keyword("axes"); axes && !(axes->is_constant() && axes->object.get() == Py_None))
        loop.axes = ndrange_axes(w, node, *axes, loop.lower.size());
    return out;
}

std::vector<int> ndrange_axes(Walk &w, const Node *node, const Val &axes, size_t rank) {
    const PyRef object = to_python(axes);
    const std::string shown = object ? repr(object.get()) : "...";
    std::vector<int> out;
    std::vector<bool> seen(rank);
    for (const Val &item : sequence_items(w, node, axes).items) {
        const std::optional<long> axis = constant_int(item);
        if (!axis || PyBool_Check(item.object.get()))
            w.fail_type(node, "qd.ndrange(axes=" + shown + ") entries must be Python ints");
        out.push_back(int(*axis));
    }
    if (out.size() != rank)
        w.fail_syntax(node, "qd.ndrange(axes=" + shown + ") has " + std::to_string(out.size()) +
                                " entries but ndrange has " + std::to_string(rank) + " dimensions");
    for (const int axis : out) {
        if (axis < 0 || axis >= int(rank) || seen[size_t(axis)])
            w.fail_syntax(node,
                          "qd.ndrange(axes=" + shown + ") is not a permutation of range(" + std::to_string(rank) + ")");
        seen[size_t(axis)] = true;
    }
    return out;
}

Val handlers::grouped(Walk &w, const Call &call) {
    refuse_keywords(w, call);
    const Node *source = call.arg_node(0);
    if (w.grouped_depth) w.fail_syntax(call.node, "'qd.grouped' cannot be nested");
    ++w.grouped_depth;
    Val inner = eval(w, source);
    --w.grouped_depth;
    if (inner.is_constant() && w.objects.kind_of(inner.object.get()) == Kind::ndrange)
        inner = host_ndrange(w, source, inner);
    if (inner.tag == Tag::loop && inner.extra->over == Extra::Over::ndrange) {
        Val out = inner;
        out.extra = std::make_shared<Extra>(*inner.extra);
        out.extra->grouped = true;
        return out;
    }
    if (w.static_depth) w.fail_syntax(call.node, "Only 'qd.ndrange' is allowed in 'qd.static(qd.grouped(...))'.");
    if (inner.is_constant() && w.objects.kind_of(inner.object.get()) == Kind::struct_field)
        inner = constant(w.records.leaf_field(inner.object.get()));
    const bool is_field = inner.is_constant() && (w.objects.kind_of(inner.object.get()) == Kind::field ||
                                                  w.objects.kind_of(inner.object.get()) == Kind::matrix_field ||
                                                  w.objects.kind_of(inner.object.get()) == Kind::snode);
    if (inner.tag != Tag::array && !is_field)
        w.fail_type(call.node, "Cannot loop over the object " + type_text(w, inner) +
                                   " in Quadrants scope. 'qd.grouped' takes "
                                   "a field, an ndarray or 'qd.ndrange(...)'.");
    Val out;
    out.tag = Tag::loop;
    out.extra = std::make_shared<Extra>();
    out.extra->over = Extra::Over::target;
    out.extra->grouped = true;
    out.extra->target = inner;
    return out;
}

static uint32_t block_dim(Walk &w, const Node *node, const Val &v) {
    const std::optional<long> size = constant_int(v);
    if (!size || *size < 1 || *size > 1024 || (*size & (*size - 1)))
        w.fail(node, UserErrorKind::compilation,
               "block_dim must be a power of two from 1 to 1024, not " + repr(v.object.get()));
    return uint32_t(*size);
}

Val handlers::loop_config(Walk &w, const Call &call) {
    ir::Loop settings;
    for (const auto &[key, v] : call.kwargs) {
        const std::string name = text(key);
        if (!v.is_constant()) w.fail_type(call.node, "Arguments of `loop_config` must be known at compile time");
        PyObject *object = v.object.get();
        const bool given = object != Py_None;
        if (name == "serialize") {
            settings.serialize = truth(w, call.node, object);
        } else if (name == "block_dim") {
            if (given) settings.block_dim = block_dim(w, call.node, v);
        } else if (name == "name") {
            if (given && !PyUnicode_Check(object))
                w.fail_type(call.node, "`name` of loop_config is a string, not " + repr(object));
            if (given) settings.name = text(object);
        } else if (name == "parallelize") {
            if (given && !constant_int(v))
                w.fail_type(call.node, "`parallelize` of loop_config is a number of threads, not " + repr(object));
            if (given && constant_int(v) == 1) settings.serialize = true;
        } else if (name != "block_dim_adaptive" && name != "bit_vectorize") {
            w.fail_type(call.node, "loop_config() got an unexpected keyword argument '" + name + "'");
        }
    }
    if (!settings.name.empty() && inside_loop(w)) {
        w.warn(call.node, "log",
               "qd.loop_config(name=\"" + settings.name +
                   "\") is dropped: the loop is nested inside another for-loop, and only loops outside of all others "
                   "have names");
        settings.name.clear();
    }
    w.loops.configure(settings);
    return Val{};
}

// qd.math

Val handlers::clamp(Walk &w, const Call &call) {
    const Node *node = call.node;
    const auto pick = [&](Op op, const Val &a, const Val &b) {
        return broadcast(w, node, "clamp", a, b, [&](const Val &x, const Val &y) {
            const Scalar type = promote(scalar_type(w, node, x), scalar_type(w, node, y));
            const ir::Value p = as(w, node, x, type);
            const ir::Value q = as(w, node, y, type);
            return scalar(w, emit2(w, op, p, q));
        });
    };
    const Val low = pick(Op::min, call.args[2], call.args[0]);
    return pick(Op::max, call.args[1], low);
}

/// x * (1 - a) + y * a
Val handlers::mix(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val &x = call.args[0], &y = call.args[1], a = typed(w, node, call.args[2]);
    const Val rest = binary(w, node, NodeKind::Sub, constant(PyRef::steal(PyFloat_FromDouble(1))), a);
    const Val left = binary(w, node, NodeKind::Mult, x, rest);
    const Val right = binary(w, node, NodeKind::Mult, y, a);
    return binary(w, node, NodeKind::Add, left, right);
}

Val handlers::step(Walk &w, const Call &call) {
    const Node *node = call.node;
    return broadcast(w, node, "step", call.args[0], call.args[1], [&](const Val &edge, const Val &x) {
        Scalar type = promote(scalar_type(w, node, edge), scalar_type(w, node, x));
        if (!ir::is_float(type)) type = w.request.options.default_fp;
        const ir::Value e = as(w, node, edge, type);
        const ir::Value v = as(w, node, x, type);
        const ir::Value above = w.b.ge(v, e);
        return scalar(w, w.b.cast(above, type));
    });
}

Val handlers::fract(Walk &w, const Call &call) {
    const Node *node = call.node;
    return map(w, node, call.args[0], [&](const Val &x) {
        Scalar type = scalar_type(w, node, x);
        if (!ir::is_float(type)) type = w.request.options.default_fp;
        const ir::Value v = as(w, node, x, type);
        const ir::Value whole = w.b.floor(v);
        return scalar(w, w.b.sub(v, whole));
    });
}

/// t * t * (3 - 2t) with t = clamp((x - e0) / (e1 - e0), 0, 1)
Val handlers::smoothstep(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val e0 = typed(w, node, call.args[0]);
    const Val distance = binary(w, node, NodeKind::Sub, call.args[2], e0);
    const Val range = binary(w, node, NodeKind::Sub, call.args[1], e0);
    const Val ratio = binary(w, node, NodeKind::Div, distance, range);
    const Val t = map(w, node, ratio, [&](const Val &r) {
        const ir::Value zero = w.b.number(r.elem, 0);
        const ir::Value one = w.b.number(r.elem, 1);
        const ir::Value low = w.b.max(r.v, zero);
        return scalar(w, w.b.min(low, one));
    });
    return map(w, node, t, [&](const Val &r) {
        const ir::Value two = w.b.number(r.elem, 2);
        const ir::Value three = w.b.number(r.elem, 3);
        const ir::Value twice = w.b.mul(two, r.v);
        const ir::Value slope = w.b.sub(three, twice);
        const ir::Value square = w.b.mul(r.v, r.v);
        return scalar(w, w.b.mul(square, slope));
    });
}

Val handlers::scale_by(Walk &w, const Call &call) {
    const bool to_degrees = std::strcmp(call.row->name, "math.degrees") == 0;
    const double factor = to_degrees ? 180 / std::numbers::pi : std::numbers::pi / 180;
    const Val number = constant(PyRef::steal(PyFloat_FromDouble(factor)));
    return binary(w, call.node, NodeKind::Mult, typed(w, call.node, call.args[0]), number);
}

/// x - y * floor(x / y)
Val handlers::floor_mod(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val x = typed(w, node, call.args[0]), y = typed(w, node, call.args[1]);
    const Val ratio = binary(w, node, NodeKind::Div, x, y);
    const Val whole = map(w, node, ratio, [&](const Val &r) { return scalar(w, w.b.floor(r.v)); });
    const Val product = binary(w, node, NodeKind::Mult, y, whole);
    return binary(w, node, NodeKind::Sub, x, product);
}

} // namespace qd::frontend
