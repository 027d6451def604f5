// Slices of sequences and matrices.
#include "frontend/subscript.h"

#include "frontend/bounds.h"
#include "frontend/expr.h"
#include "frontend/place.h"
#include "frontend/types.h"

#include <algorithm>
#include <utility>

namespace qd::frontend {

static Val slice_run_time(Walk &w, const Node *node, const Val &base, const std::vector<int> &comps, int count,
                          int axis, const Val &index);

bool contains_slice(const Node *slice) {
    if (slice->kind != NodeKind::Tuple) return slice->kind == NodeKind::Slice;
    for (const Node *item : items_of(slice, Field::elts))
        if (item->kind == NodeKind::Slice) return true;
    return false;
}

Val slice_object(Walk &w, const Node *slice) {
    const auto bound = [&](Field field) {
        const Node *part = child(slice, field);
        if (!part) return PyRef::borrow(Py_None);
        const Val v = value(w, part);
        if (!v.is_constant())
            w.fail_syntax(part,
                          "Quadrants does not support variables in slice now, please use constant instead of it.");
        return v.constant().object;
    };
    const PyRef lower = bound(Field::lower), upper = bound(Field::upper), step = bound(Field::step);
    return constant(PyRef::steal(PySlice_New(lower.get(), upper.get(), step.get())));
}

Val slice_sequence(Walk &w, const Node *node, const Val &base, const Node *slice) {
    const Val object = slice_object(w, slice);
    Py_ssize_t start = 0, stop = 0, step = 1;
    if (PySlice_Unpack(object.object(), &start, &stop, &step) < 0) w.python_failed(node);
    const val::Sequence &whole = base.sequence();
    const Py_ssize_t count = PySlice_AdjustIndices(Py_ssize_t(whole.items.size()), &start, &stop, step);
    val::Sequence out{{}, whole.type};
    for (Py_ssize_t i = 0; i < count; ++i) out.items.push_back(whole.items[size_t(start + i * step)]);
    return out;
}

// Matrices

namespace {

/// The components that one index of a matrix selects.
struct Selection {
    bool is_slice = false, is_constant = true;
    std::vector<int> at; ///< known at compile time
    Val value;           ///< known at run time
};

} // namespace

/// Refuses negative bounds in the slice of a vector, a matrix or a view.
static void refuse_negative_bounds(Walk &w, const Node *slice, const Val &object) {
    auto *parts = reinterpret_cast<PySliceObject *>(object.object());
    for (PyObject *bound : {parts->start, parts->stop})
        if (PyLong_Check(bound) && PyLong_AsDouble(bound) < 0)
            w.fail_syntax(slice, "Negative indices are not supported in Quadrants kernels.");
}

Val slice_matrix(Walk &w, const Node *node, const Val &base, const Node *slice, int n, int m, int ndim) {
    std::vector<const Node *> parts;
    if (slice->kind == NodeKind::Tuple)
        for (const Node *item : items_of(slice, Field::elts)) parts.push_back(item);
    else
        parts.push_back(slice);
    if (int(parts.size()) != ndim)
        w.fail(node, UserErrorKind::index,
               "Expected " + std::to_string(ndim) + " indices, got " + std::to_string(parts.size()) + ".");
    Selection axes[2];
    axes[1].at = {0};
    for (int axis = 0; axis < ndim; ++axis) {
        const int extent = axis == 0 ? n : m;
        Selection &s = axes[axis];
        s.at.clear();
        s.is_slice = parts[size_t(axis)]->kind == NodeKind::Slice;
        if (s.is_slice) {
            const Val object = slice_object(w, parts[size_t(axis)]);
            refuse_negative_bounds(w, parts[size_t(axis)], object);
            Py_ssize_t start = 0, stop = 0, step = 1;
            if (PySlice_Unpack(object.object(), &start, &stop, &step) < 0) w.python_failed(node);
            const Py_ssize_t count = PySlice_AdjustIndices(extent, &start, &stop, step);
            for (Py_ssize_t i = 0; i < count; ++i) s.at.push_back(int(start + i * step));
        } else {
            const Val index = value(w, parts[size_t(axis)]);
            const std::optional<long> k = constant_int(index);
            s.value = index;
            s.is_constant = k.has_value();
            s.at.push_back(k ? check_static_index(w, node, *k, extent) : 0);
        }
    }
    std::vector<int> comps;
    for (const int i : axes[0].at)
        for (const int j : axes[1].at) comps.push_back(i * m + j);
    if (comps.empty()) w.fail_syntax(node, "An empty slice of a vector or matrix");
    const int rows = int(axes[0].at.size()), cols = int(axes[1].at.size());
    const int dims = int(axes[0].is_slice) + int(axes[1].is_slice);
    AtNode at(w, node);
    for (int axis = 0; axis < ndim; ++axis)
        if (!axes[axis].is_constant) return slice_run_time(w, node, base, comps, rows * cols, axis, axes[axis].value);
    return select_components(w, base, comps, dims == 2 ? rows : rows * cols, dims == 2 ? cols : 1, dims);
}

/// m[i, :] or m[:, i] with a run-time i.
static Val slice_run_time(Walk &w, const Node *node, const Val &given, const std::vector<int> &comps, int count,
                          int axis, const Val &index) {
    Val base = given;
    const auto is_whole = [](const Ref &ref) {
        for (size_t k = 0; k < ref.comps.size(); ++k)
            if (ref.comps[k] != int(k)) return false;
        return !ref.shift;
    };
    const bool is_place = base.is_ref() && is_whole(*base.ref());
    if (!is_place) base = w.places.indexed_value(node, w.places.load(base));
    const Ref &ref = *base.ref();
    w.places.check_indexable(node, ref);
    ir::Value at = index_value(w, node, index);
    const int extents[] = {axis == 0 ? ref.n : ref.m};
    check_matrix_bounds(w, ref, std::span(&at, 1), extents);
    if (axis == 0) {
        const ir::Value width = w.b.i32(ref.m);
        at = w.b.mul(at, width);
    }
    Val out = select_components(w, base, comps, count, 1, 1);
    out.ref()->shift = at;
    return is_place ? out : w.places.load(out);
}

/// A part of a matrix; a place if the matrix is one.
Val select_components(Walk &w, const Val &base, const std::vector<int> &which, int n, int m, int ndim) {
    if (base.is_ref()) {
        const Ref &ref = *base.ref();
        const bool packed = ref.field && ref.field->is_packed(); // has only the address of its word
        if (ndim == 0 && !packed) return w.places.element_ref(ref, w.places.part_pointer(ref, which[0]));
        auto part = std::make_shared<Ref>(ref);
        part->n = n;
        part->m = m;
        part->ndim = ndim;
        part->comps.clear();
        for (const int k : which) part->comps.push_back(ref.comps[size_t(k)]);
        return val::Place{std::move(part)};
    }
    if (ndim == 0) return component(base, which[0]);
    const val::Matrix &whole = base.matrix();
    val::Matrix out{{}, n, m, ndim, whole.elem};
    for (const int k : which) out.comps.push_back(whole.comps[size_t(k)]);
    return out;
}

} // namespace qd::frontend
