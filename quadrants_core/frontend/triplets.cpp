// Builders of sparse matrices. A builder is an argument with members: `rows`, `cols` and `values` hold its triplets, `count` the number of
// additions. `A[i, j] += v` takes the next number from `count`; a triplet without room is counted, so that the host can report it, but not
// stored.
#include "frontend/triplets.h"

#include "frontend/arithmetic.h"
#include "frontend/bounds.h"
#include "frontend/cells.h"
#include "frontend/control.h"
#include "frontend/expr.h"
#include "frontend/format.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/subscript.h"
#include "frontend/types.h"
#include "frontend/views.h"

namespace qd::frontend {

using ir::Scalar;

bool is_builder(Walk &w, const Val &v) {
    PyObject *object = v.is_bundle() ? v.bundle().object.get() : v.is_constant() ? v.object() : nullptr;
    return object && v.node() >= 0 && w.objects.kind_of(object) == Kind::sparse_matrix_builder;
}

Val triplet(Walk &w, const Node *node, const Val &builder, const Node *slice, Use use) {
    if (use != Use::updated)
        w.fail_type(node, "An entry of a sparse matrix builder can only be added to",
                    "write `A[i, j] += v`; the matrix that `build()` makes can be read in Python");
    const std::vector<Val> indices = indices_of(w, slice);
    if (indices.size() != 2)
        w.fail(node, UserErrorKind::index,
               "A sparse matrix builder takes 2 indices, got " + std::to_string(indices.size()));
    AtNode at(w, node);
    const std::vector<ir::Value> values = index_values(w, node, indices, false);
    return val::Triplet{std::make_shared<const Val>(builder), values[0], values[1]};
}

/// In debug mode reports, with the line, the error that the host would report when it builds the matrix.
static void check_triplet(Walk &w, const Node *node, const Val &builder, ir::Value i, ir::Value j) {
    if (!checks_bounds(w)) return;
    const ir::Value zero = w.b.i32(0);
    const ir::Value rows =
        as(w, node, w.parameters.member(node, builder, w.objects.intern("num_rows"), false), Scalar::i32);
    const ir::Value cols =
        as(w, node, w.parameters.member(node, builder, w.objects.intern("num_cols"), false), Scalar::i32);
    const ir::Value indices[] = {i, j}, lower[] = {zero, zero}, upper[] = {rows, cols};
    const ir::Value legal = inside(w, indices, lower, upper);
    ir::Message message;
    message.pieces.push_back(
        {"[kernel=" + w.fn.name + "] Out of bound access to sparse matrix builder with indices ", -1});
    append_values(message, 2, "[", "]");
    emit_assert(w, legal, std::move(message), indices);
}

void append_triplet(Walk &w, const Node *node, NodeKind op, const Val &place, const Val &amount) {
    const bool negate = op == NodeKind::Sub;
    if (op != NodeKind::Add && !negate)
        w.fail_type(node, "A sparse matrix builder takes `+=` and `-=`, not `" + std::string(symbol_of(op)) + "=`");
    AtNode at(w, node);
    const Val &builder = *place.triplet().builder;
    const auto part = [&](const char *name) {
        return w.parameters.member(node, builder, w.objects.intern(name), false).array().parameter;
    };
    const ir::Value rows = part("rows"), cols = part("cols"), values = part("values"), count = part("count");
    ir::Value v = as(w, node, amount, w.fn.type(values).elem);
    if (negate) v = w.b.neg(v);
    check_triplet(w, node, builder, place.triplet().row, place.triplet().column);
    const ir::Value zero = w.b.i32(0), one = w.b.i64(1);
    const ir::Value counter = w.b.element(count, std::span(&zero, 1), zero);
    const ir::Value number = w.b.atomic_add(counter, one);
    const ir::Value extent = w.b.dim(rows, 0);
    const ir::Value capacity = w.b.cast(extent, Scalar::i64);
    const ir::Value fits = w.b.lt(number, capacity);
    const Nested nested(w);
    const ir::Value branch = w.b.if_(fits);
    inside(w, w.fn[branch].blocks[0], [&] {
        const ir::Value slot = w.b.cast(number, Scalar::i32);
        const std::pair<ir::Value, ir::Value> stored[] = {
            {rows, place.triplet().row}, {cols, place.triplet().column}, {values, v}};
        for (const auto &[array, what] : stored) {
            const ir::Value element = w.b.element(array, std::span(&slot, 1), zero);
            w.b.store(element, what);
        }
        w.b.yield();
    });
    inside(w, w.fn[branch].blocks[1], [&] { w.b.yield(); });
}

void check_builder_argument(Walk &w, const Node *node, const Val &arg, const std::string &name) {
    if (is_builder(w, arg)) return;
    w.fail_type(node, "Argument " + name + " expects a SparseMatrixBuilder, got " + type_text(w, arg));
}

} // namespace qd::frontend
