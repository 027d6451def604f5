#pragma once
// Types of values, and conversions between them.
#include "frontend/walk.h"

namespace qd::frontend {

ir::Scalar type_of_constant(Walk &w, const Node *node, const Val &v);
void refuse_array(Walk &w, const Node *node, const Val &v);
ir::Scalar promote(ir::Scalar a, ir::Scalar b);
ir::Value converted(Walk &w, const Node *node, const Val &v, ir::Scalar type);
ir::Value convert(Walk &w, ir::Value v, ir::Scalar type);
ir::Value condition(Walk &w, const Node *node, const Val &v, const char *what);
ir::Value index_value(Walk &w, const Node *node, const Val &v);
Val typed(Walk &w, const Node *node, const Val &v); ///< makes numbers and host matrices or structs run-time values
Val cast(Walk &w, const Node *node, const Val &v, ir::Scalar type);
uint64_t literal_bits(Walk &w, const Node *node, PyObject *object, ir::Scalar literal, ir::Scalar type,
                      const char *what);
/// Converts Python tuples and lists to sequences of values.
Val unpacked(Walk &w, const Node *node, const Val &v, int depth = 0);
Val to_matrix(Walk &w, const Node *node, const Val &v); ///< makes host matrices and sequences run-time matrices
Val scalar(Walk &w, ir::Value v);
Val constant(PyRef object);
Val integer(long v);
bool is_number(const Val &v);
/// True for a compile-time number that has a type, which then decides its arithmetic.
inline bool is_typed(const Val &v) { return v.is_constant() && v.constant().elem != ir::Scalar::none; }
Val with_types(Walk &w, Val v); ///< gives Python numbers the type of a variable; they stay compile-time values
Val known(Walk &w, Val v);      ///< turns a scalar computed only from constants into a constant with its type
bool fits(PyObject *integer, ir::Scalar type);
bool truth(Walk &w, const Node *node, PyObject *object);
void check_narrowing(Walk &w, const Node *node, ir::Scalar to, ir::Scalar from);
std::string type_text(Walk &w, const Val &v);
std::optional<long> constant_int(const Val &v);
/// True for a scalar or a constant number.
inline bool is_scalar(const Val &v) { return v.is_scalar() || is_number(v); }
/// The type that a scalar or constant has or will have.
inline ir::Scalar scalar_type(Walk &w, const Node *node, const Val &v) {
    if (const val::Scalar *number = v.if_scalar()) return number->elem;
    if (const val::Matrix *matrix = v.if_matrix()) return matrix->elem;
    return type_of_constant(w, node, v);
}
/// Converts a scalar or constant.
inline ir::Value as(Walk &w, const Node *node, const Val &v, ir::Scalar type) {
    const val::Scalar *number = v.if_scalar();
    return number && w.fn.type(number->v).elem == type ? number->v : converted(w, node, v, type);
}
inline ir::Value as_is(Walk &w, const Node *node, const Val &v) { return as(w, node, v, scalar_type(w, node, v)); }

} // namespace qd::frontend
