#pragma once
// Vectors and matrices: constructors, methods, components.
#include "frontend/call.h"

namespace qd::frontend {

/// True for names such as `xy` and `rgb`, which read or write components of a vector.
bool is_swizzle(std::string_view name);

/// The shape of a vector or matrix, or of a place of one.
struct Shape {
    int n = 1, m = 1, ndim = 0; ///< 0: neither
    friend bool operator==(const Shape &, const Shape &) = default;
};
Shape shape_of(const Val &v);

Val call_matrix_type(Walk &w, const Call &call, PyObject *type);
Val matrix_attribute(Walk &w, const Node *node, const Val &base, PyObject *name);
Val matrix_row(const Val &matrix, int i);
Val make_matrix(Walk &w, std::vector<ir::Value> comps, int n, int m, int ndim);
Val transposed(Walk &w, const Val &m);
Val reduce_to_bool(Walk &w, const Node *node, const Val &m, ir::Op op);
Val dot(Walk &w, const Node *node, const Val &a, const Val &b);
Val norm(Walk &w, const Node *node, const Val &m, const Val *eps);
Val cross(Walk &w, const Node *node, const Val &a, const Val &b);
Val determinant(Walk &w, const Node *node, const Val &m);
Val inverse(Walk &w, const Node *node, const Val &m);
Val method(Walk &w, const Val &bound, Call call);
std::optional<Val> method_of_class(const BuiltinRow &row, PyObject *name);

} // namespace qd::frontend
