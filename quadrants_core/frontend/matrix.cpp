// Vectors and matrices: constructors, attributes, swizzles, methods.
#include "frontend/builtins.h"

#include <algorithm>
#include <unordered_map>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

constexpr std::string_view swizzle_letters[] = {"xyzw", "rgba", "stpq"};

} // namespace

Val Walker::matrix_row(const Val &matrix, int i) const {
    Val out;
    out.tag = Tag::matrix;
    out.elem = matrix.elem;
    out.n = matrix.m;
    out.ndim = 1;
    out.comps.assign(matrix.comps.begin() + i * matrix.m, matrix.comps.begin() + (i + 1) * matrix.m);
    return out;
}

Val Walker::make_matrix(std::vector<ir::Value> comps, int n, int m, int ndim) const {
    Val out;
    out.tag = Tag::matrix;
    out.n = n;
    out.m = m;
    out.ndim = ndim;
    out.elem = fn_.type(comps[0]).elem;
    out.comps = std::move(comps);
    return out;
}

// Constructors

Val Walker::new_vector(const Call &call) {
    const Val m = to_matrix(call.node, call.args[0]);
    return with_dtype(call, m, 1);
}

Val Walker::new_matrix(const Call &call) {
    Val m = to_matrix(call.node, call.args[0]);
    const int components = m.n * m.m;
    if (components > 144)
        warn(call.node, "UserWarning",
             "Quadrants matrices with more than 144 elements take long to compile: " + std::to_string(m.n) + "x" +
                 std::to_string(m.m));
    return with_dtype(call, m, 1);
}

/// Applies the optional data type given as argument `at`.
Val Walker::with_dtype(const Call &call, const Val &m, size_t at) {
    const Val *dt = call.args.size() > at ? &call.args[at] : nullptr;
    if (!dt || !dt->is_constant() || dt->object.get() == Py_None) return m;
    return cast(call.node, m, dtype_scalar(call.node, dt->object.get()));
}

int Walker::static_extent(const Call &call, size_t i, long least) {
    const std::optional<long> k = constant_int(call.args[i]);
    if (!k) fail_type(call.node, std::string("`") + call.row->name + "` needs sizes known at compile time");
    if (*k < least || *k > 4096)
        fail_type(call.node, std::string("`") + call.row->name + "` takes sizes of " + std::to_string(least) +
                                 " to 4096, not " + std::to_string(*k));
    return int(*k);
}

Val Walker::filled_matrix(const Call &call) {
    if (!call.args[0].is_constant())
        fail_type(call.node, std::string("`") + call.row->name + "` takes a data type first");
    const Scalar type = dtype_scalar(call.node, call.args[0].object.get());
    const int n = static_extent(call, 1), m = call.args.size() > 2 ? static_extent(call, 2) : 1;
    const ir::Value v = b_.integer(type, call.row->op == Op::mul ? 1 : 0);
    return make_matrix(std::vector<ir::Value>(size_t(n * m), v), n, m, call.args.size() > 2 ? 2 : 1);
}

Val Walker::identity(const Call &call) {
    const Scalar type = dtype_scalar(call.node, call.args[0].object.get());
    const int n = static_extent(call, 1);
    std::vector<ir::Value> comps;
    for (int k = 0; k < n * n; ++k) comps.push_back(b_.integer(type, k / n == k % n));
    return make_matrix(std::move(comps), n, n, 2);
}

Val Walker::unit(const Call &call) {
    const int n = static_extent(call, 0), at = static_extent(call, 1, 0);
    const Val *dt = call.args.size() > 2 ? &call.args[2] : nullptr;
    const bool given = dt && dt->is_constant() && dt->object.get() != Py_None;
    const Scalar type = given ? dtype_scalar(call.node, dt->object.get()) : request_.options.default_ip;
    std::vector<ir::Value> comps;
    for (int k = 0; k < n; ++k) comps.push_back(b_.integer(type, k == at));
    return make_matrix(std::move(comps), n, 1, 1);
}

Val Walker::from_rows(const Call &call) {
    Val m = to_matrix(call.node, call.args[0]);
    m.ndim = 2;
    return m;
}

Val Walker::from_cols(const Call &call) { return transposed(from_rows(call)); }

Val Walker::diagonal(const Call &call) {
    const int n = static_extent(call, 0);
    const ir::Value v = as_is(call.node, call.args[1]);
    const ir::Value zero = b_.integer(fn_.type(v), 0);
    std::vector<ir::Value> comps;
    for (int k = 0; k < n * n; ++k) comps.push_back(k / n == k % n ? v : zero);
    return make_matrix(std::move(comps), n, n, 2);
}

/// vec3(x, y, z), vec3(xy, z), vec3(0.0), mat2([[a, b], [c, d]]), mat2(a, b, c, d), mat2(row, row)
Val Walker::call_matrix_type(const Node *node, PyObject *type) {
    const Names &names_ = names();
    const Call call = arguments(node, false);
    AtNode at(*this, node);
    const int n = int(attribute_int(type, names_.n, 1)), m = int(attribute_int(type, names_.m, 1));
    const int ndim = int(attribute_int(type, names_.ndim, 1));
    PyRef dtype = attribute(type, names_.dtype);
    std::vector<Val> entries;
    for (const Val &arg : call.args) {
        if (arg.tag == Tag::scalar || is_number(arg)) {
            entries.push_back(arg);
            continue;
        }
        const Val part = to_matrix(node, arg);
        for (int k = 0; k < part.n * part.m; ++k) entries.push_back(component(part, k));
    }
    if (entries.size() == 1) entries.resize(size_t(n * m), entries[0]);
    if (int(entries.size()) != n * m || entries.empty())
        fail_type(node, "A vector or matrix of " + std::to_string(n * m) + " components cannot be made from " +
                            std::to_string(entries.size()) + " values");
    Scalar elem = Scalar::none;
    if (dtype && dtype.get() != Py_None)
        elem = dtype_scalar(node, dtype.get());
    else
        for (const Val &e : entries)
            elem = elem == Scalar::none ? scalar_type(node, e) : promote(elem, scalar_type(node, e));
    std::vector<ir::Value> comps;
    for (const Val &e : entries) comps.push_back(as(node, e, elem));
    return make_matrix(std::move(comps), n, m, ndim);
}

// Attributes

namespace {

enum class Method : uint8_t {
    all,
    any,
    cast,
    cross,
    determinant,
    dot,
    fill,
    frobenius_inner,
    get_shape,
    inverse,
    max,
    min,
    norm,
    norm_inv,
    norm_sqr,
    normalized,
    outer_product,
    sum,
    to_list,
    trace,
    transpose,
};

struct MethodRow {
    Method id;
    int least, most;            ///< arguments
    const char *parameter = ""; ///< the name of the one that a method can have
};

const std::unordered_map<std::string_view, MethodRow> &method_table() {
    static const std::unordered_map<std::string_view, MethodRow> table = {
        {"all", {Method::all, 0, 0}},
        {"any", {Method::any, 0, 0}},
        {"cast", {Method::cast, 1, 1, "dtype"}},
        {"cross", {Method::cross, 1, 1, "other"}},
        {"determinant", {Method::determinant, 0, 0}},
        {"dot", {Method::dot, 1, 1, "other"}},
        {"fill", {Method::fill, 1, 1, "val"}},
        {"frobenius_inner", {Method::frobenius_inner, 1, 1, "other"}},
        {"get_shape", {Method::get_shape, 0, 0}},
        {"inverse", {Method::inverse, 0, 0}},
        {"max", {Method::max, 0, 0}},
        {"min", {Method::min, 0, 0}},
        {"norm", {Method::norm, 0, 1, "eps"}},
        {"norm_inv", {Method::norm_inv, 0, 1, "eps"}},
        {"norm_sqr", {Method::norm_sqr, 0, 0}},
        {"normalized", {Method::normalized, 0, 1, "eps"}},
        {"outer_product", {Method::outer_product, 1, 1, "other"}},
        {"sum", {Method::sum, 0, 0}},
        {"to_list", {Method::to_list, 0, 0}},
        {"trace", {Method::trace, 0, 0}},
        {"transpose", {Method::transpose, 0, 0}},
    };
    return table;
}

} // namespace

/// qd.Vector.dot and its like: the vector is the first argument.
std::optional<Val> Walker::method_of_class(const BuiltinRow &row, PyObject *name) {
    const bool has_methods = row.handler == &Walker::new_vector || row.handler == &Walker::new_matrix;
    if (!has_methods || !method_table().count(text(name))) return std::nullopt;
    Val none;
    return bound_method(none, name);
}

Val Walker::matrix_attribute(const Node *node, const Val &base, PyObject *name) {
    const std::string what = text(name);
    const bool is_ref = base.tag == Tag::ref;
    if (what == "n") return integer(is_ref ? base.ref->n : base.n);
    if (what == "m") return integer(is_ref ? base.ref->m : base.m);
    if (what == "ndim") return integer(is_ref ? base.ref->ndim : base.ndim);
    if (what == "shape") {
        Val out;
        out.tag = Tag::tuple;
        out.items.push_back(integer(is_ref ? base.ref->n : base.n));
        if ((is_ref ? base.ref->ndim : base.ndim) == 2) out.items.push_back(integer(is_ref ? base.ref->m : base.m));
        return out;
    }
    for (const std::string_view letters : swizzle_letters)
        if (what.size() <= 4 && what.find_first_not_of(letters) == std::string::npos)
            return swizzle(node, base, what, letters);
    if (!method_table().count(what))
        fail(node, UserErrorKind::compilation, "'" + type_text(base) + "' has no attribute '" + what + "'");
    return bound_method(base, name);
}

bool is_swizzle(std::string_view name) {
    return name.size() <= 4 &&
           std::any_of(std::begin(swizzle_letters), std::end(swizzle_letters), [&](std::string_view letters) {
               return name.find_first_not_of(letters) == std::string_view::npos;
           });
}

Val Walker::swizzle(const Node *node, const Val &base, const std::string &name, std::string_view letters) {
    const bool is_ref = base.tag == Tag::ref;
    const int n = is_ref ? base.ref->n : base.n, ndim = is_ref ? base.ref->ndim : base.ndim;
    const auto listed = [](std::string_view chars) {
        std::string out = "(";
        for (size_t i = 0; i < chars.size(); ++i) out += std::string(i ? ", " : "") + "'" + chars[i] + "'";
        return out + (chars.size() == 1 ? ",)" : ")");
    };
    std::vector<int> which;
    for (const char c : name) which.push_back(int(letters.find(c)));
    if (ndim != 1)
        fail(node, UserErrorKind::index, "Expected 2 indices, got 1: a matrix has no attribute '" + name + "'");
    if (n > 4 || *std::max_element(which.begin(), which.end()) >= n)
        fail_syntax(node, "vec" + std::to_string(n) + " only has attributes=" +
                              listed(letters.substr(0, size_t(std::min(n, 4)))) + ", got=" + listed(name));
    AtNode at(*this, node);
    return select_components(base, which, int(which.size()), 1, which.size() == 1 ? 0 : 1);
}

// Methods

Val Walker::transposed(const Val &m) const {
    std::vector<ir::Value> comps;
    for (int j = 0; j < m.m; ++j)
        for (int i = 0; i < m.n; ++i) comps.push_back(m.comps[size_t(i * m.m + j)]);
    return make_matrix(std::move(comps), m.m, m.n, 2);
}

Val Walker::reduce(const Node *node, const Val &m, Op op) {
    (void)node;
    ir::Value all = m.comps[0];
    for (size_t k = 1; k < m.comps.size(); ++k) all = emit2(op, all, m.comps[k]);
    return scalar(all);
}

/// Python's sum: of a list, a tuple or a vector, from `start` on.
Val Walker::sum_of(const Call &call) {
    if (python_builtin_applies(call)) return call_builtin_in_python(call);
    Val out = call.args.size() > 1 ? call.args[1] : integer(0);
    for (const Val &item : sequence_items(call.node, call.args[0]).items)
        out = binary(call.node, NodeKind::Add, out, load(item));
    return out;
}

Val Walker::reduce_to_bool(const Node *node, const Val &m, Op op) {
    const Val bits = map(node, m, [&](const Val &x) {
        const ir::Value zero = b_.integer(fn_.type(x.v), 0);
        return x.elem == Scalar::u1 ? x : scalar(b_.ne(x.v, zero));
    });
    return reduce(node, bits, op);
}

Val Walker::dot(const Node *node, const Val &a, const Val &b) {
    const Val products = binary(node, NodeKind::Mult, a, b);
    return reduce(node, products, Op::add);
}

Val Walker::norm(const Node *node, const Val &m, const Val *eps) {
    Val square = dot(node, m, m);
    if (eps) square = scalar_binary(node, NodeKind::Add, square, *eps);
    const Scalar type = ir::is_float(square.elem) ? square.elem : request_.options.default_fp;
    const ir::Value v = convert(square.v, type);
    return scalar(b_.sqrt(v));
}

Val Walker::cross(const Node *node, const Val &a, const Val &b) {
    const auto term = [&](int i, int j) {
        const Val left = scalar_binary(node, NodeKind::Mult, component(a, i), component(b, j));
        const Val right = scalar_binary(node, NodeKind::Mult, component(a, j), component(b, i));
        return scalar_binary(node, NodeKind::Sub, left, right);
    };
    if (a.ndim != 1 || b.ndim != 1 || a.n != b.n || (a.n != 2 && a.n != 3))
        fail_type(node, "Cross product is only supported between pairs of 2D/3D vectors");
    if (a.n == 2) return term(0, 1);
    const Val x = term(1, 2);
    const Val y = term(2, 0);
    const Val z = term(0, 1);
    return make_matrix({x.v, y.v, z.v}, 3, 1, 1);
}

Val Walker::outer_product(const Node *node, const Val &a, const Val &b) {
    if (a.ndim != 1 || b.ndim != 1) fail_type(node, "outer_product is defined for two vectors");
    std::vector<ir::Value> comps;
    for (int i = 0; i < a.n; ++i)
        for (int j = 0; j < b.n; ++j)
            comps.push_back(scalar_binary(node, NodeKind::Mult, component(a, i), component(b, j)).v);
    return make_matrix(std::move(comps), a.n, b.n, 2);
}

void Walker::check_square(const Node *node, const Val &m) {
    if (m.n != m.m || m.ndim == 1)
        fail(node, UserErrorKind::compilation,
             "expected a square matrix, got shape (" + std::to_string(m.n) +
                 (m.ndim == 2 ? ", " + std::to_string(m.m) : ",") + ")");
}

/// Determinant of the matrix without the rows and columns left out, by expansion along its first row.
Val Walker::minor_determinant(const Node *node, const Val &m, const std::vector<int> &rows,
                              const std::vector<int> &cols) {
    const auto at = [&](size_t i, size_t j) { return component(m, rows[i] * m.m + cols[j]); };
    if (rows.size() == 1) return at(0, 0);
    if (rows.size() == 2) {
        const Val left = scalar_binary(node, NodeKind::Mult, at(0, 0), at(1, 1));
        const Val right = scalar_binary(node, NodeKind::Mult, at(0, 1), at(1, 0));
        return scalar_binary(node, NodeKind::Sub, left, right);
    }
    Val sum;
    const std::vector<int> below(rows.begin() + 1, rows.end());
    for (size_t j = 0; j < cols.size(); ++j) {
        std::vector<int> others = cols;
        others.erase(others.begin() + ptrdiff_t(j));
        const Val inner = minor_determinant(node, m, below, others);
        const Val term = scalar_binary(node, NodeKind::Mult, at(0, j), inner);
        sum = j == 0 ? term : scalar_binary(node, j % 2 ? NodeKind::Sub : NodeKind::Add, sum, term);
    }
    return sum;
}

Val Walker::determinant(const Node *node, const Val &m) {
    check_square(node, m);
    if (m.n > 4)
        fail(node, UserErrorKind::compilation,
             "only dimension < 5 is supported, got shape (" + std::to_string(m.n) + ", " + std::to_string(m.m) + ")");
    std::vector<int> all;
    for (int k = 0; k < m.n; ++k) all.push_back(k);
    return minor_determinant(node, m, all, all);
}

/// Adjugate over determinant; elimination with pivots for more than 4 rows.
Val Walker::inverse(const Node *node, const Val &given) {
    check_square(node, given);
    if (given.n > 12)
        fail(node, UserErrorKind::compilation, "Inversions of matrices with sizes > 12 are not supported",
             "solve the system with a func of your own");
    const Val m = ir::is_float(given.elem) ? given : cast(node, given, request_.options.default_fp);
    if (m.n > 4) return library_call(node, "inverse_gauss", {m, constant(dtype_object(m.elem))});
    const Val det = determinant(node, m);
    const ir::Value one = b_.number(m.elem, 1);
    const ir::Value scale = b_.div(one, det.v);
    if (m.n == 1) return make_matrix({scale}, 1, 1, m.ndim);
    std::vector<ir::Value> comps(m.comps.size());
    for (int i = 0; i < m.n; ++i) {
        for (int j = 0; j < m.n; ++j) {
            std::vector<int> rows, cols;
            for (int k = 0; k < m.n; ++k) {
                if (k != i) rows.push_back(k);
                if (k != j) cols.push_back(k);
            }
            const Val cofactor = minor_determinant(node, m, rows, cols);
            const ir::Value v = b_.mul(cofactor.v, scale);
            comps[size_t(j * m.n + i)] = (i + j) % 2 ? b_.neg(v) : v;
        }
    }
    return make_matrix(std::move(comps), m.n, m.n, 2);
}

Val Walker::method(const Node *node, const Val &bound) {
    const std::string &name = bound.extra->name;
    Val self = bound.extra->self;
    if (self.tag == Tag::container) return container_method(node, bound);
    if (self.tag == Tag::array) return view_method(node, bound);
    if (self.tag == Tag::dict) return dict_method(node, bound);
    const auto found = method_table().find(name);
    const bool of_class = self.tag == Tag::none;
    Call call = arguments(node, of_class);
    AtNode at(*this, node);
    if (of_class) {
        if (call.args.empty()) fail_syntax(node, "`" + name + "` of the class takes the vector or matrix first");
        self = is_place(call.args[0]) && call.args[0].ref->ndim ? call.args[0] : to_matrix(node, call.args[0]);
        call.args.erase(call.args.begin());
        for (Val &v : call.args) v = load(v);
        for (auto &[given, v] : call.kwargs) v = load(v);
    }
    for (const auto &[given, v] : call.kwargs) {
        if (text(given) != found->second.parameter)
            fail_type(node, name + "() got an unexpected keyword argument '" + text(given) + "'");
        call.args.push_back(v);
    }
    const int count = int(call.args.size());
    if (count < found->second.least || count > found->second.most)
        fail_syntax(node, "`" + name + "` takes " + std::to_string(found->second.most) + " argument" +
                              (found->second.most == 1 ? "" : "s") + ", " + std::to_string(count) + " given");
    const Method id = found->second.id;
    if (id == Method::fill) {
        if (self.tag != Tag::ref)
            fail_type(node, "Cannot assign to non-lvalue: `fill` changes a variable or an element");
        store(node, *self.ref, call.args[0]);
        return Val{};
    }
    const Val m = load(self);
    const Val *first = call.args.empty() ? nullptr : &call.args[0];
    const auto other = [&] { return to_matrix(node, *first); };
    const auto number = [&](double v) { return constant(PyRef::steal(PyFloat_FromDouble(v))); };
    switch (id) {
    case Method::all: return reduce_to_bool(node, m, Op::band);
    case Method::any: return reduce_to_bool(node, m, Op::bor);
    case Method::cast: return cast(node, m, dtype_scalar(node, first->object.get()));
    case Method::cross: return cross(node, m, other());
    case Method::determinant: return determinant(node, m);
    case Method::dot:
    case Method::frobenius_inner: return dot(node, m, other());
    case Method::fill: break;
    case Method::get_shape:
    case Method::to_list: return id == Method::to_list ? sequence_items(node, m) : matrix_shape(m);
    case Method::inverse: return inverse(node, m);
    case Method::max: return reduce(node, m, Op::max);
    case Method::min: return reduce(node, m, Op::min);
    case Method::norm: return norm(node, m, first);
    case Method::norm_inv: return scalar_binary(node, NodeKind::Div, number(1), norm(node, m, first));
    case Method::norm_sqr: return dot(node, m, m);
    case Method::normalized: {
        Val length = norm(node, m, nullptr);
        if (first) length = scalar_binary(node, NodeKind::Add, length, *first);
        const Val inverse_length = scalar_binary(node, NodeKind::Div, number(1), length);
        return binary(node, NodeKind::Mult, inverse_length, m);
    }
    case Method::outer_product: return outer_product(node, m, other());
    case Method::sum: return reduce(node, m, Op::add);
    case Method::trace: {
        check_square(node, m);
        Val sum = component(m, 0);
        for (int k = 1; k < m.n; ++k) sum = scalar(b_.add(sum.v, m.comps[size_t(k * m.m + k)]));
        return sum;
    }
    case Method::transpose:
        if (m.ndim == 1)
            fail(node, UserErrorKind::compilation,
                 "`transpose()` cannot apply to a vector. If you want something like `a @ b.transpose()`, write "
                 "`a.outer_product(b)` instead.");
        return transposed(m);
    }
    return Val{};
}

Val Walker::matrix_shape(const Val &m) const {
    Val out;
    out.tag = Tag::tuple;
    out.items.push_back(integer(m.n));
    if (m.ndim == 2) out.items.push_back(integer(m.m));
    return out;
}

Val Walker::vector_function(const Call &call) {
    const Node *node = call.node;
    const std::string_view name = std::string_view(call.row->name).substr(5);
    const Val a = to_matrix(node, call.args[0]);
    const Val number = constant(PyRef::steal(PyFloat_FromDouble(1)));
    if (name == "length") return norm(node, a, nullptr);
    if (name == "inverse") return inverse(node, a);
    if (name == "determinant") return determinant(node, a);
    if (name == "normalize") {
        const Val scale = scalar_binary(node, NodeKind::Div, number, norm(node, a, nullptr));
        return binary(node, NodeKind::Mult, a, scale);
    }
    const Val b = to_matrix(node, call.args[1]);
    if (name == "dot") return dot(node, a, b);
    if (name == "cross") return cross(node, a, b);
    if (name == "distance") return norm(node, binary(node, NodeKind::Sub, a, b), nullptr);
    // reflect: a - 2 (a . b) b
    const Val twice = scalar_binary(node, NodeKind::Mult, integer(2), dot(node, a, b));
    return binary(node, NodeKind::Sub, a, binary(node, NodeKind::Mult, twice, b));
}

} // namespace qd::frontend
