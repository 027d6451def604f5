// Vectors and matrices: constructors, attributes, swizzles, methods.
#include "frontend/matrix.h"

#include "frontend/annotations.h"
#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/cells.h"
#include "frontend/dict.h"
#include "frontend/expr.h"
#include "frontend/linalg.h"
#include "frontend/place.h"
#include "frontend/subscript.h"
#include "frontend/suggest.h"
#include "frontend/types.h"
#include "frontend/views.h"

#include <algorithm>
#include <unordered_map>

namespace qd::frontend {

using ir::Op;

using ir::Scalar;

static Val swizzle(Walk &w, const Node *node, const Val &base, const std::string &name, std::string_view letters);
static Val matrix_shape(const Shape &shape);

namespace {

constexpr std::string_view swizzle_letters[] = {"xyzw", "rgba", "stpq"};

} // namespace

Shape shape_of(const Val &v) {
    if (const val::Matrix *matrix = v.if_matrix()) return {matrix->n, matrix->m, matrix->ndim};
    if (v.is_ref()) return {v.ref()->n, v.ref()->m, v.ref()->ndim};
    return {};
}

Val matrix_row(const Val &whole, int i) {
    const val::Matrix &matrix = whole.matrix();
    const auto first = matrix.comps.begin() + i * matrix.m;
    return val::Matrix{{first, first + matrix.m}, matrix.m, 1, 1, matrix.elem};
}

Val make_matrix(Walk &w, std::vector<ir::Value> comps, int n, int m, int ndim) {
    const Scalar elem = w.fn.type(comps[0]).elem;
    return val::Matrix{std::move(comps), n, m, ndim, elem};
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
    int least, most;            ///< number of arguments
    const char *parameter = ""; ///< name of the parameter, if there is one
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

/// qd.Vector.dot and the like: the vector is the first argument.
std::optional<Val> method_of_class(const BuiltinRow &row, PyObject *name) {
    const bool has_methods = row.handler == &handlers::new_vector || row.handler == &handlers::new_matrix;
    if (!has_methods || !method_table().count(text(name))) return std::nullopt;
    Val none;
    return bound_method(none, name);
}

Val matrix_attribute(Walk &w, const Node *node, const Val &base, PyObject *name) {
    const std::string what = text(name);
    const Shape shape = shape_of(base);
    if (what == "n") return integer(shape.n);
    if (what == "m") return integer(shape.m);
    if (what == "ndim") return integer(shape.ndim);
    if (what == "shape") return matrix_shape(shape);
    for (const std::string_view letters : swizzle_letters)
        if (what.size() <= 4 && what.find_first_not_of(letters) == std::string::npos)
            return swizzle(w, node, base, what, letters);
    if (!method_table().count(what)) {
        std::vector<std::string_view> known = {"n", "m", "ndim", "shape"};
        for (const auto &method : method_table()) known.push_back(method.first);
        w.fail(node, UserErrorKind::compilation,
               std::string("'") + (shape.ndim == 1 ? "vector " : "matrix ") + type_text(w, base) +
                   "' has no attribute '" + what + "'",
               near_word(what, known));
    }
    return bound_method(base, name);
}

bool is_swizzle(std::string_view name) {
    return name.size() <= 4 &&
           std::any_of(std::begin(swizzle_letters), std::end(swizzle_letters), [&](std::string_view letters) {
               return name.find_first_not_of(letters) == std::string_view::npos;
           });
}

static Val swizzle(Walk &w, const Node *node, const Val &base, const std::string &name, std::string_view letters) {
    const auto [n, m, ndim] = shape_of(base);
    const auto listed = [](std::string_view chars) {
        std::string out = "(";
        for (size_t i = 0; i < chars.size(); ++i) out += std::string(i ? ", " : "") + "'" + chars[i] + "'";
        return out + (chars.size() == 1 ? ",)" : ")");
    };
    std::vector<int> which;
    for (const char c : name) which.push_back(int(letters.find(c)));
    if (ndim != 1)
        w.fail(node, UserErrorKind::index, "Expected 2 indices, got 1: a matrix has no attribute '" + name + "'");
    if (n > 4 || *std::max_element(which.begin(), which.end()) >= n)
        w.fail_syntax(node, "vec" + std::to_string(n) + " only has attributes=" +
                                listed(letters.substr(0, size_t(std::min(n, 4)))) + ", got=" + listed(name));
    AtNode at(w, node);
    return select_components(w, base, which, int(which.size()), 1, which.size() == 1 ? 0 : 1);
}

// Methods

Val transposed(Walk &w, const Val &given) {
    const val::Matrix &m = given.matrix();
    std::vector<ir::Value> comps;
    for (int j = 0; j < m.m; ++j)
        for (int i = 0; i < m.n; ++i) comps.push_back(m.comps[size_t(i * m.m + j)]);
    return make_matrix(w, std::move(comps), m.m, m.n, 2);
}

static Val reduce(Walk &w, const Node *node, const Val &m, Op op) {
    (void)node;
    const std::vector<ir::Value> &comps = m.matrix().comps;
    ir::Value all = comps[0];
    for (size_t k = 1; k < comps.size(); ++k) all = emit2(w, op, all, comps[k]);
    return scalar(w, all);
}

Val reduce_to_bool(Walk &w, const Node *node, const Val &m, Op op) {
    const Val bits = map(w, node, m, [&](const Val &x) {
        const ir::Value zero = w.b.integer(w.fn.type(x.scalar().v), 0);
        return x.scalar().elem == Scalar::u1 ? x : scalar(w, w.b.ne(x.scalar().v, zero));
    });
    return reduce(w, node, bits, op);
}

Val dot(Walk &w, const Node *node, const Val &a, const Val &b) {
    const Val products = binary(w, node, NodeKind::Mult, a, b);
    return reduce(w, node, products, Op::add);
}

Val norm(Walk &w, const Node *node, const Val &m, const Val *eps) {
    Val square = dot(w, node, m, m);
    if (eps) square = scalar_binary(w, node, NodeKind::Add, square, *eps);
    const Scalar elem = square.scalar().elem, type = ir::is_float(elem) ? elem : w.request.options.default_fp;
    const ir::Value v = convert(w, square.scalar().v, type);
    return scalar(w, w.b.sqrt(v));
}

Val cross(Walk &w, const Node *node, const Val &a, const Val &b) {
    const auto term = [&](int i, int j) {
        const Val left = scalar_binary(w, node, NodeKind::Mult, component(a, i), component(b, j));
        const Val right = scalar_binary(w, node, NodeKind::Mult, component(a, j), component(b, i));
        return scalar_binary(w, node, NodeKind::Sub, left, right);
    };
    const int n = a.matrix().n;
    if (a.matrix().ndim != 1 || b.matrix().ndim != 1 || n != b.matrix().n || (n != 2 && n != 3))
        w.fail_type(node, "Cross product is only supported between pairs of 2D/3D vectors");
    if (n == 2) return term(0, 1);
    const Val x = term(1, 2);
    const Val y = term(2, 0);
    const Val z = term(0, 1);
    return make_matrix(w, {x.scalar().v, y.scalar().v, z.scalar().v}, 3, 1, 1);
}

static Val outer_product(Walk &w, const Node *node, const Val &a, const Val &b) {
    const int rows = a.matrix().n, cols = b.matrix().n;
    if (a.matrix().ndim != 1 || b.matrix().ndim != 1) w.fail_type(node, "outer_product is defined for two vectors");
    std::vector<ir::Value> comps;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            comps.push_back(scalar_binary(w, node, NodeKind::Mult, component(a, i), component(b, j)).scalar().v);
    return make_matrix(w, std::move(comps), rows, cols, 2);
}

static void check_square(Walk &w, const Node *node, const Val &given) {
    const val::Matrix &m = given.matrix();
    if (m.n != m.m || m.ndim == 1)
        w.fail(node, UserErrorKind::compilation,
               "expected a square matrix, got shape (" + std::to_string(m.n) +
                   (m.ndim == 2 ? ", " + std::to_string(m.m) : ",") + ")");
}

/// Determinant of the submatrix of these rows and columns, by expansion along its first row.
static Val minor_determinant(Walk &w, const Node *node, const Val &m, const std::vector<int> &rows,
                             const std::vector<int> &cols) {
    const auto at = [&](size_t i, size_t j) { return component(m, rows[i] * m.matrix().m + cols[j]); };
    if (rows.size() == 1) return at(0, 0);
    if (rows.size() == 2) {
        const Val left = scalar_binary(w, node, NodeKind::Mult, at(0, 0), at(1, 1));
        const Val right = scalar_binary(w, node, NodeKind::Mult, at(0, 1), at(1, 0));
        return scalar_binary(w, node, NodeKind::Sub, left, right);
    }
    Val sum;
    const std::vector<int> below(rows.begin() + 1, rows.end());
    for (size_t j = 0; j < cols.size(); ++j) {
        std::vector<int> others = cols;
        others.erase(others.begin() + ptrdiff_t(j));
        const Val inner = minor_determinant(w, node, m, below, others);
        const Val term = scalar_binary(w, node, NodeKind::Mult, at(0, j), inner);
        sum = j == 0 ? term : scalar_binary(w, node, j % 2 ? NodeKind::Sub : NodeKind::Add, sum, term);
    }
    return sum;
}

Val determinant(Walk &w, const Node *node, const Val &m) {
    check_square(w, node, m);
    const int n = m.matrix().n;
    if (n > 4)
        w.fail(node, UserErrorKind::compilation,
               "only dimension < 5 is supported, got shape (" + std::to_string(n) + ", " +
                   std::to_string(m.matrix().m) + ")");
    std::vector<int> all;
    for (int k = 0; k < n; ++k) all.push_back(k);
    return minor_determinant(w, node, m, all, all);
}

/// Adjugate over determinant; elimination with pivoting for more than 4 rows.
Val inverse(Walk &w, const Node *node, const Val &given) {
    check_square(w, node, given);
    if (given.matrix().n > 12)
        w.fail(node, UserErrorKind::compilation, "Inversions of matrices with sizes > 12 are not supported",
               "solve the system with a func of your own");
    const Val real = ir::is_float(given.matrix().elem) ? given : cast(w, node, given, w.request.options.default_fp);
    const val::Matrix &m = real.matrix();
    if (m.n > 4) return library_call(w, node, "inverse_gauss", {real, constant(dtype_object(m.elem))});
    const Val det = determinant(w, node, real);
    const ir::Value one = w.b.number(m.elem, 1);
    const ir::Value scale = w.b.div(one, det.scalar().v);
    if (m.n == 1) return make_matrix(w, {scale}, 1, 1, m.ndim);
    std::vector<ir::Value> comps(m.comps.size());
    for (int i = 0; i < m.n; ++i) {
        for (int j = 0; j < m.n; ++j) {
            std::vector<int> rows, cols;
            for (int k = 0; k < m.n; ++k) {
                if (k != i) rows.push_back(k);
                if (k != j) cols.push_back(k);
            }
            const Val cofactor = minor_determinant(w, node, real, rows, cols);
            const ir::Value v = w.b.mul(cofactor.scalar().v, scale);
            comps[size_t(j * m.n + i)] = (i + j) % 2 ? w.b.neg(v) : v;
        }
    }
    return make_matrix(w, std::move(comps), m.n, m.n, 2);
}

Val method(Walk &w, const Val &bound, Call call) {
    const Node *node = call.node;
    const std::string &name = bound.method().bound->name;
    Val self = bound.method().bound->self;
    if (self.is_container()) return container_method(w, bound, std::move(call));
    if (self.is_array()) return view_method(w, bound, std::move(call));
    if (self.is_dict()) return dict_method(w, bound, std::move(call));
    const auto found = method_table().find(name);
    const bool of_class = self.is_none();
    AtNode at(w, node);
    if (of_class) {
        if (call.args.empty()) w.fail_syntax(node, "`" + name + "` of the class takes the vector or matrix first");
        self = call.args[0].is_ref() && call.args[0].ref()->ndim ? call.args[0] : to_matrix(w, node, call.args[0]);
        call.args.erase(call.args.begin());
        for (Val &v : call.args) v = w.places.load(v);
        for (auto &[given, v] : call.kwargs) v = w.places.load(v);
    }
    for (const auto &[given, v] : call.kwargs) {
        if (text(given) != found->second.parameter)
            w.fail_type(node, name + "() got an unexpected keyword argument '" + text(given) + "'");
        call.args.push_back(v);
    }
    const int count = int(call.args.size());
    if (count < found->second.least || count > found->second.most)
        w.fail_syntax(node, "`" + name + "` takes " + std::to_string(found->second.most) + " argument" +
                                (found->second.most == 1 ? "" : "s") + ", " + std::to_string(count) + " given");
    const Method id = found->second.id;
    if (id == Method::fill) {
        if (!self.is_ref()) w.fail_type(node, "Cannot assign to non-lvalue: `fill` changes a variable or an element");
        w.places.store(node, *self.ref(), call.args[0]);
        return Val{};
    }
    const Val m = w.places.load(self);
    const Val *first = call.args.empty() ? nullptr : &call.args[0];
    const auto other = [&] { return to_matrix(w, node, *first); };
    const auto number = [&](double v) { return constant(PyRef::steal(PyFloat_FromDouble(v))); };
    switch (id) {
    case Method::all: return reduce_to_bool(w, node, m, Op::band);
    case Method::any: return reduce_to_bool(w, node, m, Op::bor);
    case Method::cast: return cast(w, node, m, dtype_scalar(w, node, *first));
    case Method::cross: return cross(w, node, m, other());
    case Method::determinant: return determinant(w, node, m);
    case Method::dot:
    case Method::frobenius_inner: return dot(w, node, m, other());
    case Method::fill: break;
    case Method::get_shape:
    case Method::to_list: return id == Method::to_list ? sequence_items(w, node, m) : matrix_shape(shape_of(m));
    case Method::inverse: return inverse(w, node, m);
    case Method::max: return reduce(w, node, m, Op::max);
    case Method::min: return reduce(w, node, m, Op::min);
    case Method::norm: return norm(w, node, m, first);
    case Method::norm_inv: return scalar_binary(w, node, NodeKind::Div, number(1), norm(w, node, m, first));
    case Method::norm_sqr: return dot(w, node, m, m);
    case Method::normalized: {
        Val length = norm(w, node, m, nullptr);
        if (first) length = scalar_binary(w, node, NodeKind::Add, length, *first);
        const Val inverse_length = scalar_binary(w, node, NodeKind::Div, number(1), length);
        return binary(w, node, NodeKind::Mult, inverse_length, m);
    }
    case Method::outer_product: return outer_product(w, node, m, other());
    case Method::sum: return reduce(w, node, m, Op::add);
    case Method::trace: {
        check_square(w, node, m);
        const val::Matrix &square = m.matrix();
        ir::Value sum = square.comps[0];
        for (int k = 1; k < square.n; ++k) sum = w.b.add(sum, square.comps[size_t(k * square.m + k)]);
        return scalar(w, sum);
    }
    case Method::transpose:
        if (m.matrix().ndim == 1)
            w.fail(node, UserErrorKind::compilation,
                   "`transpose()` cannot apply to a vector. If you want something like `a @ b.transpose()`, write "
                   "`a.outer_product(b)` instead.");
        return transposed(w, m);
    }
    return Val{};
}

static Val matrix_shape(const Shape &shape) {
    return tuple_of(shape.ndim == 2 ? std::vector<Val>{integer(shape.n), integer(shape.m)}
                                    : std::vector<Val>{integer(shape.n)});
}

} // namespace qd::frontend
