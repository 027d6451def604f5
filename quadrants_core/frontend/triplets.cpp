// Builders of sparse matrices. A builder is an argument with members: `rows`, `cols` and `values` hold its triplets,
// `count` how many were added. `A[i, j] += v` takes the next number from `count`; what has no room is counted all the
// same, so that the host can say so, and stored nowhere.
#include "frontend/walker.h"

namespace qd::frontend {

using ir::Scalar;

bool Walker::is_builder(const Val &v) {
    return v.node >= 0 && v.object && kind_of(v.object.get()) == Kind::sparse_matrix_builder;
}

Val Walker::triplet(const Node *node, const Val &builder, const Node *slice) {
    if (node != updated_)
        fail_type(node, "An entry of a sparse matrix builder can only be added to",
                  "write `A[i, j] += v`; the matrix that `build()` makes can be read in Python");
    const std::vector<Val> indices = indices_of(slice);
    if (indices.size() != 2)
        fail(node, UserErrorKind::index,
             "A sparse matrix builder takes 2 indices, got " + std::to_string(indices.size()));
    AtNode at(*this, node);
    Val out;
    out.tag = Tag::triplet;
    out.items = {builder};
    out.comps = index_values(node, indices, false);
    return out;
}

/// In debug mode, what the host says when it builds the matrix, with the line.
void Walker::check_triplet(const Node *node, const Val &builder, ir::Value i, ir::Value j) {
    if (!checks_bounds()) return;
    const ir::Value zero = b_.i32(0);
    const ir::Value rows = as(node, member(node, builder, intern("num_rows"), false), Scalar::i32);
    const ir::Value cols = as(node, member(node, builder, intern("num_cols"), false), Scalar::i32);
    const ir::Value indices[] = {i, j}, lower[] = {zero, zero}, upper[] = {rows, cols};
    const ir::Value legal = inside(indices, lower, upper);
    ir::Message message;
    message.pieces.push_back(
        {"[kernel=" + request_.source.name + "] Out of bound access to sparse matrix builder with indices ", -1});
    append_values(message, 2, "[", "]");
    emit_assert(legal, std::move(message), indices);
}

void Walker::append_triplet(const Node *node, NodeKind op, const Val &place, const Val &amount) {
    const bool negate = op == NodeKind::Sub;
    if (op != NodeKind::Add && !negate)
        fail_type(node, "A sparse matrix builder takes `+=` and `-=`, not `" + std::string(symbol_of(op)) + "=`");
    AtNode at(*this, node);
    const Val &builder = place.items[0];
    const auto part = [&](const char *name) { return member(node, builder, intern(name), false).v; };
    const ir::Value rows = part("rows"), cols = part("cols"), values = part("values"), count = part("count");
    ir::Value v = as(node, amount, fn_.type(values).elem);
    if (negate) v = b_.neg(v);
    check_triplet(node, builder, place.comps[0], place.comps[1]);
    const ir::Value zero = b_.i32(0), one = b_.i64(1);
    const ir::Value counter = b_.element(count, std::span(&zero, 1), zero);
    const ir::Value number = b_.atomic_add(counter, one);
    const ir::Value extent = b_.dim(rows, 0);
    const ir::Value room = b_.cast(extent, Scalar::i64);
    const ir::Value fits = b_.lt(number, room);
    const Nested nested(*this);
    const ir::Value branch = b_.if_(fits);
    inside(fn_[branch].blocks[0], [&] {
        const ir::Value slot = b_.cast(number, Scalar::i32);
        const std::pair<ir::Value, ir::Value> stored[] = {{rows, place.comps[0]}, {cols, place.comps[1]}, {values, v}};
        for (const auto &[array, what] : stored) {
            const ir::Value element = b_.element(array, std::span(&slot, 1), zero);
            b_.store(element, what);
        }
        b_.yield();
    });
    inside(fn_[branch].blocks[1], [&] { b_.yield(); });
}

void Walker::check_builder_argument(const Node *node, const Val &arg, const std::string &name) {
    if (is_builder(arg)) return;
    fail_type(node, "Argument " + name + " expects a SparseMatrixBuilder, got " + type_text(arg));
}

} // namespace qd::frontend
