// Constructors and functions of vectors and matrices.
#include "frontend/matrix.h"

#include "frontend/annotations.h"
#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/expr.h"
#include "frontend/place.h"
#include "frontend/types.h"

#include <algorithm>
#include <unordered_map>

namespace qd::frontend {

using ir::Op;

using ir::Scalar;

static Val with_dtype(Walk &w, const Call &call, const Val &m, size_t at);
static int static_extent(Walk &w, const Call &call, size_t i, long least = 1);

// Constructors

Val handlers::new_vector(Walk &w, const Call &call) {
    const Val m = to_matrix(w, call.node, call.args[0]);
    return with_dtype(w, call, m, 1);
}

Val handlers::new_matrix(Walk &w, const Call &call) {
    Val m = to_matrix(w, call.node, call.args[0]);
    const Shape shape = shape_of(m);
    const int components = shape.n * shape.m;
    if (components > 144)
        w.warn(call.node, "UserWarning",
               "Quadrants matrices with more than 144 elements take long to compile: " + std::to_string(shape.n) + "x" +
                   std::to_string(shape.m));
    return with_dtype(w, call, m, 1);
}

/// Applies the optional data type given as argument `at`.
static Val with_dtype(Walk &w, const Call &call, const Val &m, size_t at) {
    const Val *dt = call.args.size() > at ? &call.args[at] : nullptr;
    if (!dt || !dt->is_constant() || dt->object() == Py_None) return m;
    return cast(w, call.node, m, dtype_scalar(w, call.node, dt->object()));
}

static int static_extent(Walk &w, const Call &call, size_t i, long least) {
    const std::optional<long> k = constant_int(call.args[i]);
    if (!k) w.fail_type(call.node, std::string("`") + call.row->name + "` needs sizes known at compile time");
    if (*k < least || *k > 4096)
        w.fail_type(call.node, std::string("`") + call.row->name + "` takes sizes of " + std::to_string(least) +
                                   " to 4096, not " + std::to_string(*k));
    return int(*k);
}

static Val filled_matrix(Walk &w, const Call &call, int64_t number) {
    if (!call.args[0].is_constant())
        w.fail_type(call.node, std::string("`") + call.row->name + "` takes a data type first");
    const Scalar type = dtype_scalar(w, call.node, call.args[0].object());
    const int n = static_extent(w, call, 1), m = call.args.size() > 2 ? static_extent(w, call, 2) : 1;
    const ir::Value v = w.b.integer(type, number);
    return make_matrix(w, std::vector<ir::Value>(size_t(n * m), v), n, m, call.args.size() > 2 ? 2 : 1);
}

Val handlers::zeros(Walk &w, const Call &call) { return filled_matrix(w, call, 0); }

Val handlers::ones(Walk &w, const Call &call) { return filled_matrix(w, call, 1); }

Val handlers::identity(Walk &w, const Call &call) {
    const Scalar type = dtype_scalar(w, call.node, call.args[0]);
    const int n = static_extent(w, call, 1);
    std::vector<ir::Value> comps;
    for (int k = 0; k < n * n; ++k) comps.push_back(w.b.integer(type, k / n == k % n));
    return make_matrix(w, std::move(comps), n, n, 2);
}

Val handlers::unit(Walk &w, const Call &call) {
    const int n = static_extent(w, call, 0), at = static_extent(w, call, 1, 0);
    const Val *dt = call.args.size() > 2 ? &call.args[2] : nullptr;
    const bool given = dt && dt->is_constant() && dt->object() != Py_None;
    const Scalar type = given ? dtype_scalar(w, call.node, dt->object()) : w.request.options.default_ip;
    std::vector<ir::Value> comps;
    for (int k = 0; k < n; ++k) comps.push_back(w.b.integer(type, k == at));
    return make_matrix(w, std::move(comps), n, 1, 1);
}

Val handlers::from_rows(Walk &w, const Call &call) {
    Val m = to_matrix(w, call.node, call.args[0]);
    m.matrix().ndim = 2;
    return m;
}

Val handlers::from_cols(Walk &w, const Call &call) { return transposed(w, handlers::from_rows(w, call)); }

Val handlers::diagonal(Walk &w, const Call &call) {
    const int n = static_extent(w, call, 0);
    const ir::Value v = as_is(w, call.node, call.args[1]);
    const ir::Value zero = w.b.integer(w.fn.type(v), 0);
    std::vector<ir::Value> comps;
    for (int k = 0; k < n * n; ++k) comps.push_back(k / n == k % n ? v : zero);
    return make_matrix(w, std::move(comps), n, n, 2);
}

/// vec3(x, y, z), vec3(xy, z), vec3(0.0), mat2([[a, b], [c, d]]), mat2(a, b, c, d), mat2(row, row)
Val call_matrix_type(Walk &w, const Call &call, PyObject *type) {
    const Node *node = call.node;
    const Names &names_ = names();
    AtNode at(w, node);
    const int n = int(attribute_int(type, names_.n, 1)), m = int(attribute_int(type, names_.m, 1));
    const int ndim = int(attribute_int(type, names_.ndim, 1));
    PyRef dtype = attribute(type, names_.dtype);
    std::vector<Val> entries;
    for (const Val &arg : call.args) {
        if (arg.is_scalar() || is_number(arg)) {
            entries.push_back(arg);
            continue;
        }
        const Val part = to_matrix(w, node, arg);
        for (int k = 0; k < part.matrix().n * part.matrix().m; ++k) entries.push_back(component(part, k));
    }
    if (entries.size() == 1) entries.resize(size_t(n * m), entries[0]);
    if (int(entries.size()) != n * m || entries.empty())
        w.fail_type(node, "A vector or matrix of " + std::to_string(n * m) + " components cannot be made from " +
                              std::to_string(entries.size()) + " values");
    Scalar elem = Scalar::none;
    if (dtype && dtype.get() != Py_None)
        elem = dtype_scalar(w, node, dtype.get());
    else
        for (const Val &e : entries)
            elem = elem == Scalar::none ? scalar_type(w, node, e) : promote(elem, scalar_type(w, node, e));
    std::vector<ir::Value> comps;
    for (const Val &e : entries) comps.push_back(as(w, node, e, elem));
    return make_matrix(w, std::move(comps), n, m, ndim);
}

/// Python's sum of a list, a tuple or a vector, starting at `start`.
Val handlers::sum_of(Walk &w, const Call &call) {
    if (python_builtin_applies(w, call)) return call_builtin_in_python(w, call);
    Val out = call.args.size() > 1 ? call.args[1] : integer(0);
    for (const Val &item : sequence_items(w, call.node, call.args[0]).sequence().items)
        out = binary(w, call.node, NodeKind::Add, out, w.places.load(item));
    return out;
}

} // namespace qd::frontend
