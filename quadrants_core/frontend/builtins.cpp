#include "frontend/builtins.h"

#include <cstring>
#include <numbers>
#include <unordered_map>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

constexpr BuiltinRow rows[] = {
#define BUILTIN(name, handler, op, flag, least, most) {name, &Walker::handler, ir::Op::op, Flag::flag, least, most},
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
    {&Walker::ndrange, "axes"},
    {&Walker::print, "*"},
    {&Walker::loop_config, "*"},
    {&Walker::new_struct, "*"},
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
Val Walker::builtin_value(const BuiltinRow &row) {
    Val out;
    out.tag = Tag::method;
    out.extra = std::make_shared<Extra>();
    out.extra->name = std::string("builtin:") + row.name;
    return out;
}

void Walker::check_domain(const Node *node, const BuiltinRow &row, Scalar type) {
    const char *name = std::strncmp(row.name, "math.", 5) == 0 ? row.name + 5 : row.name;
    if (row.flag == Flag::real && !ir::is_float(type))
        fail_type(node,
                  std::string("'") + name + "' takes real inputs only, however '" + ir::to_string(type) +
                      "' is provided",
                  "convert it first: `float(x)` or `qd.cast(x, qd.f32)`");
    if (row.flag == Flag::ints && ir::is_float(type))
        fail_type(node, std::string("'") + name + "' takes integral inputs only, however '" + ir::to_string(type) +
                            "' is provided");
}

Val Walker::math_unary(const Call &call) {
    const Node *node = call.node;
    const BuiltinRow &row = *call.row;
    if (python_builtin_applies(call)) return call_builtin_in_python(call);
    const bool literal = row.flag == Flag::real && constant_int(call.args[0]); // qd.sin(1): a number of Python
    const bool widens = row.flag == Flag::widen || literal;
    Val out = map(node, call.args[0], [&](const Val &x) {
        Scalar type = scalar_type(node, x);
        if (!widens) check_domain(node, row, type);
        if (widens && !ir::is_float(type)) type = request_.options.default_fp;
        const ir::Value v = as(node, x, type);
        return scalar(emit1(row.op, v));
    });
    const Val *dtype = call.args.size() > 1 ? &call.args[1] : nullptr;
    if (dtype && dtype->is_constant() && dtype->object.get() != Py_None)
        out = cast(node, out, dtype_scalar(node, dtype->object.get()));
    return out;
}

/// abs, min, max, round, ... of Python numbers alone are Python's.
bool Walker::python_builtin_applies(const Call &call) {
    static constexpr std::string_view pure[] = {"abs", "min", "max",   "pow",  "any", "all",
                                                "len", "int", "float", "bool", "sum"};
    if (std::find(std::begin(pure), std::end(pure), call.row->name) == std::end(pure) || !call.kwargs.empty())
        return false;
    for (const Val &v : call.args)
        if (!to_python(v) || (v.is_constant() && kind_of(v.object.get()) != Kind::foreign)) return false;
    return true;
}

Val Walker::call_builtin_in_python(const Call &call) {
    PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), call.row->name);
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size())));
    for (size_t i = 0; i < call.args.size(); ++i) {
        PyRef item = to_python(call.args[i]);
        if (!is_plain(item.get())) reads_.give_up();
        Py_INCREF(item.get());
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), item.get());
    }
    PyRef result = PyRef::steal(PyObject_Call(function, args.get(), nullptr));
    if (!result) python_failed(call.node);
    return wrap(std::move(result));
}

Val Walker::math_binary(const Call &call) {
    const Node *node = call.node;
    const BuiltinRow &row = *call.row;
    return broadcast(node, row.name, call.args[0], call.args[1], [&](const Val &a, const Val &b) {
        const Scalar left = scalar_type(node, a), right = scalar_type(node, b);
        Scalar type = row.op == Op::ushr ? left : promote(left, right);
        if (row.op == Op::atan2)
            type = left == Scalar::f64 || right == Scalar::f64 ? Scalar::f64 : Scalar::f32;
        else
            check_domain(node, row, promote(left, right));
        const ir::Value x = as(node, a, type);
        const ir::Value y = as(node, b, type);
        if ((row.op == Op::div || row.op == Op::rem) && !ir::is_float(type)) guard_divisor(node, y);
        return scalar(emit2(row.op, x, y));
    });
}

Val Walker::minmax(const Call &call) {
    const Node *node = call.node;
    if (python_builtin_applies(call)) return call_builtin_in_python(call);
    std::vector<Val> args = call.args;
    if (args.size() == 1 && args[0].tag == Tag::scalar) return args[0];
    if (args.size() == 1) args = sequence_items(node, args[0]).items;
    for (Val &v : args) v = load(v); // items of a list are places
    if (args.empty()) fail_type(node, std::string("`") + call.row->name + "` needs at least one value");
    Val out = args[0];
    for (size_t i = 1; i < args.size(); ++i)
        out = broadcast(node, call.row->name, out, args[i], [&](const Val &a, const Val &b) {
            const Scalar type = promote(scalar_type(node, a), scalar_type(node, b));
            const ir::Value x = as(node, a, type);
            const ir::Value y = as(node, b, type);
            return scalar(emit2(call.row->op, x, y));
        });
    return out;
}

Val Walker::power(const Call &call) { return binary(call.node, NodeKind::Pow, call.args[0], call.args[1]); }

Val Walker::matmul_of(const Call &call) { return matmul(call.node, call.args[0], call.args[1]); }

Val Walker::select(const Call &call) {
    const Node *node = call.node;
    const Val test = map(node, call.args[0], [&](const Val &c) {
        if (!is_number(c)) check_integral(node, "select", c); // of a number of Python its truth
        return scalar(as(node, c, Scalar::u1));
    });
    // Both values are brought to one type and shape first, then chosen between.
    const auto is_scalar = [](const Val &v) { return v.tag == Tag::scalar || is_number(v); };
    const auto check_shapes = [&](const Val &x, const Val &y) {
        if (is_scalar(x) || is_scalar(y)) return;
        const Val p = to_matrix(node, x), q = to_matrix(node, y);
        if (p.n != q.n || p.m != q.m || p.ndim != q.ndim)
            fail_type(node, "Cannot broadcast tensor to tensor: '" + type_text(p) + "' and '" + type_text(q) + "'");
    };
    check_shapes(call.args[1], call.args[2]);
    check_shapes(call.args[0], call.args[1]);
    check_shapes(call.args[0], call.args[2]);
    const auto shaped = [&](const Val &a, const Val &like) {
        return broadcast(node, "select", a, like, [&](const Val &x, const Val &y) {
            const Scalar type = promote(scalar_type(node, x), scalar_type(node, y));
            return scalar(as(node, x, type));
        });
    };
    const Val a = shaped(call.args[1], call.args[2]);
    const Val b = shaped(call.args[2], call.args[1]);
    const bool many = test.tag == Tag::matrix || a.tag == Tag::matrix;
    if (!many) return scalar(b_.select(test.v, a.v, b.v));
    Val out = a.tag == Tag::matrix ? a : test;
    out.elem = a.elem;
    for (size_t k = 0; k < out.comps.size(); ++k) {
        const ir::Value c = test.tag == Tag::matrix ? test.comps[k] : test.v;
        const ir::Value x = a.tag == Tag::matrix ? a.comps[k] : a.v;
        const ir::Value y = b.tag == Tag::matrix ? b.comps[k] : b.v;
        out.comps[k] = b_.select(c, x, y);
    }
    return out;
}

Scalar Walker::target_type(const Call &call) {
    const Val *dtype = call.args.size() > 1 ? &call.args[1] : nullptr;
    if (!dtype || !dtype->is_constant())
        fail_type(call.node,
                  std::string("The second argument of `") + call.row->name + "` is a data type such as qd.f32");
    return dtype_scalar(call.node, dtype->object.get());
}

Val Walker::cast_to(const Call &call) { return cast(call.node, call.args[0], target_type(call)); }

Val Walker::bit_cast(const Call &call) {
    const Node *node = call.node;
    const Scalar type = target_type(call);
    return map(node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(node, x);
        const Scalar from = fn_.type(v).elem;
        if (ir::size_of(from) != ir::size_of(type) || ir::bits_of(from) != ir::bits_of(type))
            fail_type(node,
                      "bit_cast needs types of one width, not " + ir::to_string(from) + " and " + ir::to_string(type));
        return scalar(b_.bitcast(v, type));
    });
}

Val Walker::convert_to(const Call &call) {
    if (python_builtin_applies(call)) return call_builtin_in_python(call);
    const char first = call.row->name[0];
    const Scalar type = first == 'i'   ? request_.options.default_ip
                        : first == 'f' ? request_.options.default_fp
                                       : Scalar::u1;
    return cast(call.node, call.args[0], type);
}

Val Walker::zero_one(const Call &call) {
    const Node *node = call.node;
    return map(node, call.args[0],
               [&](const Val &x) { return scalar(b_.integer(scalar_type(node, x), call.row->op == Op::mul ? 1 : 0)); });
}

Val Walker::bit_count(const Call &call) {
    const Node *node = call.node;
    return map(node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(node, x);
        check_word(call, fn_.type(v).elem);
        const ir::Value bits = emit1(call.row->op, v);
        return scalar(convert(bits, Scalar::i32));
    });
}

/// Counts of bits are of types with 32 or 64.
void Walker::check_word(const Call &call, Scalar type) {
    check_domain(call.node, *call.row, type);
    const bool word = ir::bits_of(type) == 32 || ir::bits_of(type) == 64;
    if (!word)
        fail_type(call.node,
                  std::string("'") + (call.row->name + 5) + "' takes i32, u32, i64 and u64 only, however '" +
                      ir::to_string(type) + "' is provided",
                  "convert it first: `qd.cast(x, qd.u32)`");
}

/// 1 + index of the lowest set bit, 0 if none: width - clz(x & -x).
Val Walker::find_first_set(const Call &call) {
    const Node *node = call.node;
    return map(node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(node, x);
        const Scalar type = fn_.type(v).elem;
        check_word(call, type);
        const ir::Value negative = b_.neg(v);
        const ir::Value lowest = b_.band(v, negative);
        const ir::Value zeros = b_.clz(lowest);
        const ir::Value width = b_.integer(type, ir::bits_of(type));
        const ir::Value position = b_.sub(width, zeros);
        return scalar(convert(position, Scalar::i32));
    });
}

Val Walker::classify(const Call &call) {
    const Node *node = call.node;
    return map(node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(node, x);
        const Scalar type = fn_.type(v).elem;
        if (call.row->op == Op::ne || !ir::is_float(type)) return scalar(b_.ne(v, v)); // no integer is either
        const ir::Value size = b_.abs(v);
        const ir::Value infinity = b_.number(type, std::numeric_limits<double>::infinity());
        return scalar(b_.eq(size, infinity));
    });
}

Val Walker::log2(const Call &call) {
    const Node *node = call.node;
    return map(node, call.args[0], [&](const Val &x) {
        Scalar type = scalar_type(node, x);
        if (!ir::is_float(type)) type = request_.options.default_fp;
        const ir::Value v = as(node, x, type);
        const ir::Value natural = b_.log(v);
        const ir::Value factor = b_.number(type, std::numbers::log2e);
        return scalar(b_.mul(natural, factor));
    });
}

Val Walker::length_of(const Call &call) {
    const Val &v = call.args[0];
    if (v.is_sequence() || v.tag == Tag::dict) return integer(long(v.items.size()));
    if (v.tag == Tag::matrix) return integer(v.n);
    if (v.tag == Tag::ref && v.ref->ndim) return integer(v.ref->n);
    if (v.tag == Tag::relation) return relation_size(call.node, v);
    if (v.is_constant() && kind_of(v.object.get()) == Kind::matrix)
        return integer(attribute_int(v.object.get(), names().n, 0));
    if (v.is_constant()) {
        const Py_ssize_t size = PyObject_Size(v.object.get());
        if (size < 0) python_failed(call.node);
        return integer(long(size));
    }
    fail_type(call.node, "'" + type_text(v) + "' has no len()", v.tag == Tag::array ? "use `x.shape[0]`" : "");
}

Val Walker::reduce_bool(const Call &call) {
    if (python_builtin_applies(call)) return call_builtin_in_python(call);
    return reduce_to_bool(call.node, to_matrix(call.node, call.args[0]), call.row->op);
}

Val Walker::random(const Call &call) {
    Scalar type = request_.options.default_fp;
    const Val *dtype = call.args.empty() ? nullptr : &call.args[0];
    if (dtype && dtype->is_constant()) type = dtype_scalar(call.node, dtype->object.get());
    return scalar(b_.random(type));
}

/// Box-Muller: sqrt(-2 ln(1 - u)) cos(2 pi v).
Val Walker::randn(const Call &call) {
    Scalar type = request_.options.default_fp;
    const Val *dtype = call.args.empty() ? nullptr : &call.args[0];
    if (dtype && dtype->is_constant() && dtype->object.get() != Py_None)
        type = dtype_scalar(call.node, dtype->object.get());
    if (!ir::is_float(type)) fail_type(call.node, "`randn` gives real numbers, not " + ir::to_string(type));
    const ir::Value u = b_.random(type);
    const ir::Value v = b_.random(type);
    const ir::Value one = b_.number(type, 1);
    const ir::Value positive = b_.sub(one, u);
    const ir::Value logarithm = b_.log(positive);
    const ir::Value minus_two = b_.number(type, -2);
    const ir::Value square = b_.mul(minus_two, logarithm);
    const ir::Value radius = b_.sqrt(square);
    const ir::Value turn = b_.number(type, 2 * std::numbers::pi);
    const ir::Value angle = b_.mul(turn, v);
    const ir::Value cosine = b_.cos(angle);
    return scalar(b_.mul(radius, cosine));
}

// Loops and hints

Val Walker::range(const Call &call) {
    const size_t count = call.args.size();
    if (static_depth_) {
        Call plain = call;
        return call_python(call.node, reinterpret_cast<PyObject *>(&PyRange_Type), plain);
    }
    if (count < 1 || count > 2)
        fail_syntax(call.node, "Range should have 1 or 2 arguments, found " + std::to_string(count),
                    "a step is not supported; scale the index in the body");
    Val out;
    out.tag = Tag::loop;
    out.extra = std::make_shared<Extra>();
    out.extra->over = Extra::Over::range;
    out.extra->lower.push_back(count == 2 ? call.args[0] : integer(0));
    out.extra->upper.push_back(call.args[count - 1]);
    return out;
}

Val Walker::ndrange(const Call &call) {
    const Node *node = call.node;
    if (const Node *first = call.arg_node(0); first != node && first->kind == NodeKind::Call) {
        const Val callee = eval_handed_on(child(first, Field::func));
        const BuiltinRow *row = callee.is_constant() ? builtin_of(callee.object.get()) : nullptr;
        if (row &&
            (row->handler == &Walker::static_ || row->handler == &Walker::grouped || row->handler == &Walker::ndrange))
            fail_syntax(first, "No decorator is allowed inside 'qd.ndrange'");
    }
    Val out;
    out.tag = Tag::loop;
    out.extra = std::make_shared<Extra>();
    Extra &loop = *out.extra;
    loop.over = Extra::Over::ndrange;
    const auto check = [&](const Val &v) {
        if (ir::is_float(scalar_type(node, v)))
            fail_type(node,
                      "Every argument of ndrange should be an integer scalar or a tuple/list of (int, int), but got " +
                          type_text(v));
        return v;
    };
    for (const Val &arg : call.args) {
        if (arg.tag == Tag::scalar || is_number(arg)) {
            loop.lower.push_back(integer(0));
            loop.upper.push_back(check(arg));
            continue;
        }
        const Val pair = arg.tag == Tag::matrix ? sequence_items(node, arg) : unpacked(node, arg);
        if (!pair.is_sequence() || pair.items.size() != 2)
            fail_syntax(node, "Every argument of ndrange should be a scalar or a tuple/list like (begin, end)");
        loop.lower.push_back(check(load(pair.items[0])));
        loop.upper.push_back(check(load(pair.items[1])));
    }
    if (const Val *axes = call.keyword("axes"); axes && !(axes->is_constant() && axes->object.get() == Py_None))
        loop.axes = ndrange_axes(node, *axes, loop.lower.size());
    return out;
}

std::vector<int> Walker::ndrange_axes(const Node *node, const Val &axes, size_t rank) {
    const PyRef object = to_python(axes);
    const std::string shown = object ? repr(object.get()) : "...";
    std::vector<int> out;
    std::vector<bool> seen(rank);
    for (const Val &item : sequence_items(node, axes).items) {
        const std::optional<long> axis = constant_int(item);
        if (!axis || PyBool_Check(item.object.get()))
            fail_type(node, "qd.ndrange(axes=" + shown + ") entries must be Python ints");
        out.push_back(int(*axis));
    }
    if (out.size() != rank)
        fail_syntax(node, "qd.ndrange(axes=" + shown + ") has " + std::to_string(out.size()) +
                              " entries but ndrange has " + std::to_string(rank) + " dimensions");
    for (const int axis : out) {
        if (axis < 0 || axis >= int(rank) || seen[size_t(axis)])
            fail_syntax(node,
                        "qd.ndrange(axes=" + shown + ") is not a permutation of range(" + std::to_string(rank) + ")");
        seen[size_t(axis)] = true;
    }
    return out;
}

Val Walker::grouped(const Call &call) {
    refuse_keywords(call);
    const Node *source = call.arg_node(0);
    if (grouped_depth_) fail_syntax(call.node, "'qd.grouped' cannot be nested");
    ++grouped_depth_;
    Val inner = eval(source);
    --grouped_depth_;
    if (inner.is_constant() && kind_of(inner.object.get()) == Kind::ndrange) inner = host_ndrange(source, inner);
    if (inner.tag == Tag::loop && inner.extra->over == Extra::Over::ndrange) {
        Val out = inner;
        out.extra = std::make_shared<Extra>(*inner.extra);
        out.extra->grouped = true;
        return out;
    }
    if (static_depth_) fail_syntax(call.node, "Only 'qd.ndrange' is allowed in 'qd.static(qd.grouped(...))'.");
    if (inner.is_constant() && kind_of(inner.object.get()) == Kind::struct_field)
        inner = constant(leaf_field(inner.object.get()));
    const bool is_field = inner.is_constant() && (kind_of(inner.object.get()) == Kind::field ||
                                                  kind_of(inner.object.get()) == Kind::matrix_field ||
                                                  kind_of(inner.object.get()) == Kind::snode);
    if (inner.tag != Tag::array && !is_field)
        fail_type(call.node, "Cannot loop over the object " + type_text(inner) +
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

uint32_t Walker::block_dim(const Node *node, const Val &v) {
    const std::optional<long> size = constant_int(v);
    if (!size || *size < 1 || *size > 1024 || (*size & (*size - 1)))
        fail(node, UserErrorKind::compilation,
             "block_dim must be a power of two from 1 to 1024, not " + repr(v.object.get()));
    return uint32_t(*size);
}

Val Walker::loop_config(const Call &call) {
    ir::Loop settings;
    for (const auto &[key, v] : call.kwargs) {
        const std::string name = text(key);
        if (!v.is_constant()) fail_type(call.node, "Arguments of `loop_config` must be known at compile time");
        PyObject *object = v.object.get();
        const bool given = object != Py_None;
        if (name == "serialize") {
            settings.serialize = truth(call.node, object);
        } else if (name == "block_dim") {
            if (given) settings.block_dim = block_dim(call.node, v);
        } else if (name == "name") {
            if (given && !PyUnicode_Check(object))
                fail_type(call.node, "`name` of loop_config is a string, not " + repr(object));
            if (given) settings.name = text(object);
        } else if (name == "parallelize") {
            if (given && !constant_int(v))
                fail_type(call.node, "`parallelize` of loop_config is a number of threads, not " + repr(object));
            if (given && constant_int(v) == 1) settings.serialize = true;
        } else if (name != "block_dim_adaptive" && name != "bit_vectorize") {
            fail_type(call.node, "loop_config() got an unexpected keyword argument '" + name + "'");
        }
    }
    if (!settings.name.empty() && inside_loop()) {
        warn(call.node, "log",
             "qd.loop_config(name=\"" + settings.name +
                 "\") is dropped: the loop is nested inside another for-loop, and only loops outside of all others "
                 "have names");
        settings.name.clear();
    }
    next_loop_ = settings;
    return Val{};
}

// qd.math

Val Walker::clamp(const Call &call) {
    const Node *node = call.node;
    const auto pick = [&](Op op, const Val &a, const Val &b) {
        return broadcast(node, "clamp", a, b, [&](const Val &x, const Val &y) {
            const Scalar type = promote(scalar_type(node, x), scalar_type(node, y));
            const ir::Value p = as(node, x, type);
            const ir::Value q = as(node, y, type);
            return scalar(emit2(op, p, q));
        });
    };
    const Val low = pick(Op::min, call.args[2], call.args[0]);
    return pick(Op::max, call.args[1], low);
}

/// x * (1 - a) + y * a
Val Walker::mix(const Call &call) {
    const Node *node = call.node;
    const Val &x = call.args[0], &y = call.args[1], a = typed(node, call.args[2]);
    const Val rest = binary(node, NodeKind::Sub, constant(PyRef::steal(PyFloat_FromDouble(1))), a);
    const Val left = binary(node, NodeKind::Mult, x, rest);
    const Val right = binary(node, NodeKind::Mult, y, a);
    return binary(node, NodeKind::Add, left, right);
}

Val Walker::step(const Call &call) {
    const Node *node = call.node;
    return broadcast(node, "step", call.args[0], call.args[1], [&](const Val &edge, const Val &x) {
        Scalar type = promote(scalar_type(node, edge), scalar_type(node, x));
        if (!ir::is_float(type)) type = request_.options.default_fp;
        const ir::Value e = as(node, edge, type);
        const ir::Value v = as(node, x, type);
        const ir::Value above = b_.ge(v, e);
        return scalar(b_.cast(above, type));
    });
}

Val Walker::fract(const Call &call) {
    const Node *node = call.node;
    return map(node, call.args[0], [&](const Val &x) {
        Scalar type = scalar_type(node, x);
        if (!ir::is_float(type)) type = request_.options.default_fp;
        const ir::Value v = as(node, x, type);
        const ir::Value whole = b_.floor(v);
        return scalar(b_.sub(v, whole));
    });
}

/// t * t * (3 - 2t) with t = clamp((x - e0) / (e1 - e0), 0, 1)
Val Walker::smoothstep(const Call &call) {
    const Node *node = call.node;
    const Val e0 = typed(node, call.args[0]);
    const Val distance = binary(node, NodeKind::Sub, call.args[2], e0);
    const Val range = binary(node, NodeKind::Sub, call.args[1], e0);
    const Val ratio = binary(node, NodeKind::Div, distance, range);
    const Val t = map(node, ratio, [&](const Val &r) {
        const ir::Value zero = b_.number(r.elem, 0);
        const ir::Value one = b_.number(r.elem, 1);
        const ir::Value low = b_.max(r.v, zero);
        return scalar(b_.min(low, one));
    });
    return map(node, t, [&](const Val &r) {
        const ir::Value two = b_.number(r.elem, 2);
        const ir::Value three = b_.number(r.elem, 3);
        const ir::Value twice = b_.mul(two, r.v);
        const ir::Value slope = b_.sub(three, twice);
        const ir::Value square = b_.mul(r.v, r.v);
        return scalar(b_.mul(square, slope));
    });
}

Val Walker::scale_by(const Call &call) {
    const bool to_degrees = std::strcmp(call.row->name, "math.degrees") == 0;
    const double factor = to_degrees ? 180 / std::numbers::pi : std::numbers::pi / 180;
    const Val number = constant(PyRef::steal(PyFloat_FromDouble(factor)));
    return binary(call.node, NodeKind::Mult, typed(call.node, call.args[0]), number);
}

/// x - y * floor(x / y)
Val Walker::floor_mod(const Call &call) {
    const Node *node = call.node;
    const Val x = typed(node, call.args[0]), y = typed(node, call.args[1]);
    const Val ratio = binary(node, NodeKind::Div, x, y);
    const Val whole = map(node, ratio, [&](const Val &r) { return scalar(b_.floor(r.v)); });
    const Val product = binary(node, NodeKind::Mult, y, whole);
    return binary(node, NodeKind::Sub, x, product);
}

} // namespace qd::frontend
