#pragma once
// Arithmetic on scalars, vectors and matrices.
#include "frontend/walk.h"

namespace qd::frontend {

using ScalarFn = std::function<Val(const Val &, const Val &)>;

Val eval_binop(Walk &w, const Node *node);
Val eval_unary(Walk &w, const Node *node);
Val binary(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b);
Val unary(Walk &w, const Node *node, NodeKind op, const Val &a);
Val scalar_binary(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b);
Val scalar_compare(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b);
Val matmul(Walk &w, const Node *node, const Val &a, const Val &b);
/// True if two compile-time numbers are combined as at run time, because one of them has a type; never inside qd.static, where Python
/// computes.
bool are_computed(const Walk &w, const Val &a, const Val &b);
void guard_divisor(Walk &w, const Node *node, ir::Value divisor);
Val broadcast(Walk &w, const Node *node, const char *symbol, const Val &a, const Val &b, const ScalarFn &f);
[[noreturn]] void fail_unsupported(Walk &w, const Node *node, const char *symbol, const Val &a, const Val &b);
Val map(Walk &w, const Node *node, const Val &a, const std::function<Val(const Val &)> &f);
inline ir::Value emit2(Walk &w, ir::Op op, ir::Value a, ir::Value b) { return w.b.emit(op, {a, b}); }
inline ir::Value emit1(Walk &w, ir::Op op, ir::Value a) { return w.b.emit(op, {a}); }

/// The Python spelling of an operator.
const char *symbol_of(NodeKind op);

} // namespace qd::frontend
