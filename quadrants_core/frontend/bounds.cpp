// Checks of indices against bounds.
#include "frontend/bounds.h"

#include "frontend/format.h"
#include "frontend/parameters.h"
#include "frontend/place.h"

#include <algorithm>
#include <utility>

namespace qd::frontend {

/// Clamps an index to 0 .. size - 1.
ir::Value clamped(Walk &w, ir::Value index, ir::Value size) {
    const ir::Value one = w.b.i32(1), zero = w.b.i32(0);
    const ir::Value last = w.b.sub(size, one);
    const ir::Value low = w.b.min(index, last);
    return w.b.max(low, zero);
}

/// A u1: lower <= index < upper along every axis.
ir::Value inside(Walk &w, std::span<const ir::Value> indices, std::span<const ir::Value> lower,
                 std::span<const ir::Value> upper) {
    ir::Value all;
    for (size_t k = 0; k < indices.size(); ++k) {
        const ir::Value above = w.b.ge(indices[k], lower[k]);
        const ir::Value below = w.b.lt(indices[k], upper[k]);
        const ir::Value both = w.b.band(above, below);
        all = all ? w.b.band(all, both) : both;
    }
    return all;
}

/// The indices as the program computed them, for a message.
std::vector<ir::Value> shown_indices(Walk &w, std::span<const ir::Value> indices) {
    std::vector<ir::Value> shown;
    for (const ir::Value index : indices) shown.push_back(w.places.wide_index(index));
    return shown;
}

void append_values(ir::Message &message, size_t count, const char *open, const char *close) {
    message.pieces.push_back({open, -1});
    for (size_t k = 0; k < count; ++k) {
        if (k) message.pieces.push_back({", ", -1});
        message.pieces.push_back({"", int(k)});
    }
    message.pieces.push_back({close, -1});
}

void check_array_bounds(Walk &w, const Val &array, const ArrayInfo &info, const std::vector<ir::Value> &indices) {
    std::vector<ir::Value> lower, upper;
    for (int axis = 0; axis < array.array().ndim; ++axis) {
        lower.push_back(w.b.i32(0));
        upper.push_back(w.parameters.extent(array, axis));
    }
    if (indices.empty()) return;
    const ir::Value legal = inside(w, indices, lower, upper);
    ir::Message message;
    message.pieces.push_back({"[kernel=" + w.fn.name + "] Out of bound access to ndarray at arg " +
                                  std::to_string(info.position) + " with indices ",
                              -1});
    append_values(message, indices.size(), "[", "]");
    message.pieces.push_back({": `" + info.name + "` has the shape ", -1});
    for (size_t axis = 0; axis < upper.size(); ++axis) {
        message.pieces.push_back({axis ? ", " : "(", -1});
        message.pieces.push_back({"", int(indices.size() + axis)});
    }
    message.pieces.push_back({")", -1});
    std::vector<ir::Value> values = shown_indices(w, indices);
    values.insert(values.end(), upper.begin(), upper.end());
    emit_assert(w, legal, std::move(message), values);
}

/// The display name of a field: its given name, or its spelling in the kernel.
static std::string field_title(Walk &w, const Node *node, const FieldInfo &info) {
    const PyRef given = attribute(info.object, names()._name);
    const std::string name = given ? text(given.get()) : "";
    if (!name.empty() && name != "grad" && name != "dual") return name;
    const std::string words = node->kind == NodeKind::Subscript ? short_source(w, child(node, Field::value)) : "";
    return words.empty() ? info.name : words;
}

void check_field_bounds(Walk &w, const Node *node, const FieldInfo &info, const std::vector<ir::Value> &indices) {
    std::vector<ir::Value> lower, upper;
    std::string size = "(", offset = "(";
    bool shifted = false;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
        lower.push_back(w.b.i32(info.offset[axis]));
        upper.push_back(w.b.i32(info.offset[axis] + info.shape[axis]));
        size += (axis ? ", " : "") + std::to_string(info.shape[axis]);
        offset += (axis ? ", " : "") + std::to_string(info.offset[axis]);
        shifted = shifted || info.offset[axis] != 0;
    }
    if (indices.empty()) return;
    const ir::Value legal = inside(w, indices, lower, upper);
    ir::Message message;
    message.pieces.push_back({"(kernel=" + w.fn.name + ") Accessing field (" + field_title(w, node, info) +
                                  ") of size " + size + ")" + (shifted ? " offset " + offset + ")" : "") +
                                  " with indices ",
                              -1});
    append_values(message, indices.size(), "(", ")");
    emit_assert(w, legal, std::move(message), shown_indices(w, indices));
}

int check_static_index(Walk &w, const Node *node, long k, int extent) {
    if (k < 0) w.fail_syntax(node, "Negative indices are not supported in Quadrants kernels.");
    if (k >= extent)
        w.fail(node, UserErrorKind::index,
               "Out of bound access: index " + std::to_string(k) + " of a vector or matrix with " +
                   std::to_string(extent) + " entries along this axis");
    return int(k);
}

void check_matrix_bounds(Walk &w, const Ref &ref, std::span<const ir::Value> indices, std::span<const int> extents) {
    if (!w.request.options.debug && !w.request.options.check_out_of_bound) return;
    if (ref.base == Ref::Base::element && w.parameters.array(ref.array).clamp) return;
    std::vector<ir::Value> lower, upper;
    for (const int extent : extents) {
        lower.push_back(w.b.i32(0));
        upper.push_back(w.b.i32(extent));
    }
    const ir::Value legal = inside(w, indices, lower, upper);
    ir::Message message;
    message.pieces.push_back({"(kernel=" + w.fn.name + ") Out of bound access to a [" + std::to_string(ref.n) +
                                  (ref.ndim == 2 ? ", " + std::to_string(ref.m) : "") + "] matrix with index ",
                              -1});
    append_values(message, indices.size(), "[", "]");
    emit_assert(w, legal, std::move(message), shown_indices(w, indices));
}

} // namespace qd::frontend
