// x[...]: fields, ndarrays, matrices and compile-time sequences. The result is a place wherever one can be stored to.
#include "frontend/walker.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace qd::frontend {

std::vector<Val> Walker::indices_of(const Node *slice) {
    const auto expand = [&](std::vector<Val> &out, const Val &v) {
        if (v.tag == Tag::matrix || v.is_sequence() ||
            (v.is_constant() && (kind_of(v.object.get()) == Kind::matrix || PyTuple_Check(v.object.get())))) {
            for (const Val &item : sequence_items(slice, v).items) out.push_back(load(item));
        } else if (v.is_constant() && v.object.get() == Py_None) {
            return;
        } else {
            out.push_back(v);
        }
    };
    std::vector<Val> out;
    if (slice->kind == NodeKind::Tuple) {
        for (const Val &v : eval_sequence(slice, true).items) expand(out, v);
    } else {
        expand(out, value(slice));
    }
    return out;
}

Val Walker::eval_subscript(const Node *node) {
    const Node *slice = child(node, Field::slice);
    const Val base = eval(child(node, Field::value));
    const bool has_slice = contains_slice(slice);
    if (is_builder(base)) return triplet(node, base, slice);
    if (base.is_constant() && kind_of(base.object.get()) != Kind::matrix) {
        PyObject *object = base.object.get();
        const Kind kind = kind_of(object);
        if (kind == Kind::field || kind == Kind::matrix_field) {
            if (has_slice) fail_syntax(node, "The type " + type_name(object) + " do not support index of slice type");
            const std::vector<Val> indices = indices_of(slice);
            AtNode at(*this, node);
            return subscript_field(node, object, indices);
        }
        if (kind == Kind::struct_field) {
            if (has_slice) fail_syntax(node, "The type " + type_name(object) + " do not support index of slice type");
            const std::vector<Val> indices = indices_of(slice);
            AtNode at(*this, node);
            return struct_field_element(node, object, indices);
        }
        if (kind == Kind::ndarray)
            fail(node, UserErrorKind::compilation, "An ndarray can be used in a kernel only as an argument",
                 "annotate a parameter with `qd.types.ndarray(...)` and pass it");
        return subscript_python(node, base, slice);
    }
    if (base.tag == Tag::array) {
        if (has_slice && is_view(base)) return slice_view(node, base, slice);
        if (has_slice) fail_syntax(node, "The type ndarray do not support index of slice type");
        const std::vector<Val> indices = indices_of(slice);
        AtNode at(*this, node);
        return is_view(base) ? subscript_view(node, base, indices) : subscript_array(node, base, indices);
    }
    if (base.tag == Tag::relation && !has_slice) return subscript_relation(node, base, indices_of(slice));
    if (base.tag == Tag::matrix || base.is_constant() || (base.tag == Tag::ref && base.ref->ndim > 0))
        return subscript_matrix(node, base, slice);
    if (base.is_sequence() && base.element_dim == is_unpacked) return subscript_unpacked(node, base, slice);
    if (base.is_sequence() || base.tag == Tag::dict) return subscript_python(node, base, slice);
    if (base.tag == Tag::record && !has_slice) {
        const Val key = value(slice);
        if (key.is_constant() && PyUnicode_Check(key.object.get()))
            return record_attribute(node, base, key.object.get());
    }
    fail_type(node, "'" + type_text(base) + "' cannot be indexed");
}

bool Walker::contains_slice(const Node *slice) {
    if (slice->kind != NodeKind::Tuple) return slice->kind == NodeKind::Slice;
    for (const Node *item : items_of(slice, Field::elts))
        if (item->kind == NodeKind::Slice) return true;
    return false;
}

Val Walker::subscript_unpacked(const Node *node, const Val &base, const Node *slice) {
    const std::string name = text(base.object.get());
    const Val index = slice->kind == NodeKind::Slice ? slice_object(slice) : value(slice);
    const std::optional<long> k = constant_int(index);
    if (!k)
        fail_syntax(node,
                    "unpacked vector " + name +
                        "[i] requires a python-int index (possibly via qd.static); got runtime index of type " +
                        type_text(index),
                    "declare the vector without unpacked=True to index it at run time");
    if (*k < 0 || *k >= long(base.items.size()))
        fail_syntax(node, "unpacked vector index out of bounds: " + name + "[" + std::to_string(*k) +
                              "] (count=" + std::to_string(base.items.size()) + ")");
    return base.items[size_t(*k)];
}

Val Walker::subscript_python(const Node *node, const Val &base, const Node *slice) {
    if (base.is_sequence() && slice->kind != NodeKind::Slice) {
        const Val index = value(slice);
        AtNode at(*this, node);
        const std::optional<long> k = constant_int(index);
        if (!k) {
            if (index.tag != Tag::scalar)
                fail_type(node, "indices must be integers, however " + type_text(index) + " is provided as index");
            return subscript_run_time(node, to_matrix(node, base), {index});
        }
        const long size = long(base.items.size()), at_item = *k < 0 ? *k + size : *k;
        if (at_item < 0 || at_item >= size) fail(node, UserErrorKind::index, type_text(base) + " index out of range");
        return base.items[size_t(at_item)];
    }
    if (base.tag == Tag::dict) {
        const Val key = value(slice);
        if (const std::optional<size_t> at = find_key(node, base, key)) return base.items[*at];
        fail(node, UserErrorKind::index, "the dict has no such key");
    }
    if (base.is_sequence()) return slice_sequence(node, base, slice);
    const Val index = slice->kind == NodeKind::Slice ? slice_object(slice) : value(slice);
    const PyRef key = to_python(index);
    if (!key) {
        const Val items = unpacked(node, base);
        if (items.is_sequence()) {
            AtNode at(*this, node);
            return subscript_run_time(node, base, {index});
        }
        if (std::strcmp(Py_TYPE(base.object.get())->tp_name, "numpy.ndarray") == 0)
            fail_type(
                node,
                "a NumPy array from outside of the kernel is known at compile time alone: it cannot be indexed with "
                "a value known only at run time",
                "pass it as an argument annotated `qd.types.ndarray()`, or copy it into a field: "
                "`f.from_numpy(x)`");
        fail_type(node, "a " + type_text(base) + " cannot be indexed with a value known only at run time",
                  "use a field, an ndarray or a vector");
    }
    if (base.node >= 0) return member(node, base, key.get(), true);
    PyRef found = PyRef::steal(PyObject_GetItem(base.object.get(), key.get()));
    if (!found) python_failed(node);
    return wrap(std::move(found));
}

Val Walker::slice_object(const Node *slice) {
    const auto bound = [&](Field field) {
        const Node *part = child(slice, field);
        if (!part) return PyRef::borrow(Py_None);
        const Val v = value(part);
        if (!v.is_constant())
            fail_syntax(part, "Quadrants does not support variables in slice now, please use constant instead of it.");
        return v.object;
    };
    const PyRef lower = bound(Field::lower), upper = bound(Field::upper), step = bound(Field::step);
    return constant(PyRef::steal(PySlice_New(lower.get(), upper.get(), step.get())));
}

Val Walker::slice_sequence(const Node *node, const Val &base, const Node *slice) {
    const Val object = slice_object(slice);
    Py_ssize_t start = 0, stop = 0, step = 1;
    if (PySlice_Unpack(object.object.get(), &start, &stop, &step) < 0) python_failed(node);
    const Py_ssize_t count = PySlice_AdjustIndices(Py_ssize_t(base.items.size()), &start, &stop, step);
    Val out;
    out.tag = base.tag;
    for (Py_ssize_t i = 0; i < count; ++i) out.items.push_back(base.items[size_t(start + i * step)]);
    return out;
}

std::vector<ir::Value> Walker::index_values(const Node *node, const std::vector<Val> &indices, bool may_be_negative) {
    std::vector<ir::Value> out;
    for (const Val &index : indices) {
        const std::optional<long> k = constant_int(index);
        if (k && *k < 0 && !may_be_negative)
            fail_syntax(node, "Negative indices are not supported in Quadrants kernels.");
        out.push_back(index_value(node, index));
    }
    return out;
}

Val Walker::subscript_field(const Node *node, PyObject *field, const std::vector<Val> &indices) {
    const FieldInfo *info = field_info(node, field);
    if (int(indices.size()) + 1 == info->dims() && last_level(info->places[0]) == ir::LevelKind::dynamic)
        return dynamic_container(field, index_values(node, indices, true));
    if (int(indices.size()) != info->dims())
        fail(node, UserErrorKind::index,
             "Field with dim " + std::to_string(info->dims()) + " accessed with indices of dim " +
                 std::to_string(indices.size()));
    std::vector<ir::Value> values = index_values(node, indices, true);
    if (request_.options.check_bounds || request_.options.debug) check_field_bounds(node, *info, values);
    return field_element(info, std::move(values));
}

Val Walker::field_element(const FieldInfo *info, std::vector<ir::Value> indices) {
    if (info->element_dim != 0 || info->is_packed()) return field_ref(info, std::move(indices));
    Val out = scalar_ref(b_.place(info->places[0], indices), false);
    out.ref->field = info;
    out.ref->indices = std::move(indices);
    return out;
}

Val Walker::subscript_array(const Node *node, const Val &array, const std::vector<Val> &indices) {
    if (int(indices.size()) != array.ndim)
        fail(node, UserErrorKind::index,
             std::to_string(array.ndim) + "d ndarray indexed with " + std::to_string(indices.size()) + "d indices");
    std::vector<ir::Value> values = index_values(node, indices, false);
    const ArrayInfo &info = arrays_.at(array.v.id);
    if (info.clamp)
        for (int axis = 0; axis < array.ndim; ++axis)
            values[size_t(axis)] = clamped(values[size_t(axis)], extent(array, axis));
    else if (request_.options.check_bounds || request_.options.debug)
        check_array_bounds(array, info, values);
    return element_place(array, storage_indices(array, std::move(values)));
}

Val Walker::element_place(const Val &array, std::vector<ir::Value> values) {
    if (array.element_dim == 0) {
        const ir::Value zero = b_.i32(0);
        return scalar_ref(b_.element(array.v, values, zero), false);
    }
    Val out;
    out.tag = Tag::ref;
    out.ref = std::make_shared<Ref>();
    out.ref->base = Ref::Base::element;
    out.ref->elem = array.elem;
    out.ref->n = array.n;
    out.ref->m = array.m;
    out.ref->ndim = array.element_dim;
    out.ref->array = array.v;
    out.ref->indices = std::move(values);
    for (int k = 0; k < array.n * array.m; ++k) out.ref->comps.push_back(k);
    return out;
}

/// The nearest index of 0 .. size - 1.
ir::Value Walker::clamped(ir::Value index, ir::Value size) {
    const ir::Value one = b_.i32(1), zero = b_.i32(0);
    const ir::Value last = b_.sub(size, one);
    const ir::Value low = b_.min(index, last);
    return b_.max(low, zero);
}

/// u1: lower <= index < upper along every axis.
ir::Value Walker::inside(std::span<const ir::Value> indices, std::span<const ir::Value> lower,
                         std::span<const ir::Value> upper) {
    ir::Value all;
    for (size_t k = 0; k < indices.size(); ++k) {
        const ir::Value above = b_.ge(indices[k], lower[k]);
        const ir::Value below = b_.lt(indices[k], upper[k]);
        const ir::Value both = b_.band(above, below);
        all = all ? b_.band(all, both) : both;
    }
    return all;
}

void Walker::append_values(ir::Message &message, size_t count, const char *open, const char *close) {
    message.pieces.push_back({open, -1});
    for (size_t k = 0; k < count; ++k) {
        if (k) message.pieces.push_back({", ", -1});
        message.pieces.push_back({"", int(k)});
    }
    message.pieces.push_back({close, -1});
}

void Walker::check_array_bounds(const Val &array, const ArrayInfo &info, const std::vector<ir::Value> &indices) {
    std::vector<ir::Value> lower, upper;
    for (int axis = 0; axis < array.ndim; ++axis) {
        lower.push_back(b_.i32(0));
        upper.push_back(extent(array, axis));
    }
    if (indices.empty()) return;
    const ir::Value legal = inside(indices, lower, upper);
    ir::Message message;
    message.pieces.push_back({"[kernel=" + request_.source.name + "] Out of bound access to ndarray at arg " +
                                  std::to_string(info.position) + " with indices ",
                              -1});
    append_values(message, indices.size(), "[", "]");
    message.pieces.push_back({": `" + info.name + "` has the shape ", -1});
    for (size_t axis = 0; axis < upper.size(); ++axis) {
        message.pieces.push_back({axis ? ", " : "(", -1});
        message.pieces.push_back({"", int(indices.size() + axis)});
    }
    message.pieces.push_back({")", -1});
    std::vector<ir::Value> values = indices;
    values.insert(values.end(), upper.begin(), upper.end());
    emit_assert(legal, std::move(message), values);
}

/// What a field is called: the name it was given, or how the kernel writes it.
std::string Walker::field_title(const Node *node, const FieldInfo &info) {
    const PyRef given = attribute(info.object, names()._name);
    const std::string name = given ? text(given.get()) : "";
    if (!name.empty() && name != "grad" && name != "dual") return name;
    const std::string words = node->kind == NodeKind::Subscript ? written(child(node, Field::value)) : "";
    return words.empty() ? info.name : words;
}

void Walker::check_field_bounds(const Node *node, const FieldInfo &info, const std::vector<ir::Value> &indices) {
    std::vector<ir::Value> lower, upper;
    std::string size = "(", offset = "(";
    bool shifted = false;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
        lower.push_back(b_.i32(info.offset[axis]));
        upper.push_back(b_.i32(info.offset[axis] + info.shape[axis]));
        size += (axis ? ", " : "") + std::to_string(info.shape[axis]);
        offset += (axis ? ", " : "") + std::to_string(info.offset[axis]);
        shifted = shifted || info.offset[axis] != 0;
    }
    if (indices.empty()) return;
    const ir::Value legal = inside(indices, lower, upper);
    ir::Message message;
    message.pieces.push_back({"(kernel=" + request_.source.name + ") Accessing field (" + field_title(node, info) +
                                  ") of size " + size + ")" + (shifted ? " offset " + offset + ")" : "") +
                                  " with indices ",
                              -1});
    append_values(message, indices.size(), "(", ")");
    emit_assert(legal, std::move(message), indices);
}

// Matrices

namespace {

/// What one index of a matrix selects.
struct Selection {
    bool is_slice = false, is_constant = true;
    std::vector<int> at; ///< constants
    Val value;           ///< known at run time
};

} // namespace

Val Walker::subscript_matrix(const Node *node, const Val &given, const Node *slice) {
    const Val base = given.is_constant() ? to_matrix(node, given) : given;
    const bool is_ref = base.tag == Tag::ref;
    const int n = is_ref ? base.ref->n : base.n, m = is_ref ? base.ref->m : base.m;
    const int ndim = is_ref ? base.ref->ndim : base.ndim;
    if (!contains_slice(slice)) {
        const std::vector<Val> indices = indices_of(slice);
        AtNode at(*this, node);
        if (int(indices.size()) != ndim)
            fail(node, UserErrorKind::index,
                 "Expected " + std::to_string(ndim) + " indices, got " + std::to_string(indices.size()) + ".");
        std::vector<int> k;
        for (int axis = 0; axis < ndim; ++axis)
            if (const std::optional<long> known = constant_int(indices[size_t(axis)]))
                k.push_back(check_static_index(node, *known, axis == 0 ? n : m));
        if (int(k.size()) < ndim) return subscript_run_time(node, given, indices);
        return select_components(base, {ndim == 1 ? k[0] : k[0] * m + k[1]}, 1, 1, 0);
    }
    return slice_matrix(node, base, slice, n, m, ndim);
}

int Walker::check_static_index(const Node *node, long k, int extent) {
    if (k < 0) fail_syntax(node, "Negative indices are not supported in Quadrants kernels.");
    if (k >= extent)
        fail(node, UserErrorKind::index,
             "Out of bound access: index " + std::to_string(k) + " of a vector or matrix with " +
                 std::to_string(extent) + " entries along this axis");
    return int(k);
}

/// Of the slice of a vector, a matrix or a view.
void Walker::refuse_negative_bounds(const Node *slice, const Val &object) {
    auto *parts = reinterpret_cast<PySliceObject *>(object.object.get());
    for (PyObject *bound : {parts->start, parts->stop})
        if (PyLong_Check(bound) && PyLong_AsDouble(bound) < 0)
            fail_syntax(slice, "Negative indices are not supported in Quadrants kernels.");
}

Val Walker::slice_matrix(const Node *node, const Val &base, const Node *slice, int n, int m, int ndim) {
    std::vector<const Node *> parts;
    if (slice->kind == NodeKind::Tuple)
        for (const Node *item : items_of(slice, Field::elts)) parts.push_back(item);
    else
        parts.push_back(slice);
    if (int(parts.size()) != ndim)
        fail(node, UserErrorKind::index,
             "Expected " + std::to_string(ndim) + " indices, got " + std::to_string(parts.size()) + ".");
    Selection axes[2];
    axes[1].at = {0};
    for (int axis = 0; axis < ndim; ++axis) {
        const int extent = axis == 0 ? n : m;
        Selection &s = axes[axis];
        s.at.clear();
        s.is_slice = parts[size_t(axis)]->kind == NodeKind::Slice;
        if (s.is_slice) {
            const Val object = slice_object(parts[size_t(axis)]);
            refuse_negative_bounds(parts[size_t(axis)], object);
            Py_ssize_t start = 0, stop = 0, step = 1;
            if (PySlice_Unpack(object.object.get(), &start, &stop, &step) < 0) python_failed(node);
            const Py_ssize_t count = PySlice_AdjustIndices(extent, &start, &stop, step);
            for (Py_ssize_t i = 0; i < count; ++i) s.at.push_back(int(start + i * step));
        } else {
            const Val index = value(parts[size_t(axis)]);
            const std::optional<long> k = constant_int(index);
            s.value = index;
            s.is_constant = k.has_value();
            s.at.push_back(k ? check_static_index(node, *k, extent) : 0);
        }
    }
    std::vector<int> comps;
    for (const int i : axes[0].at)
        for (const int j : axes[1].at) comps.push_back(i * m + j);
    if (comps.empty()) fail_syntax(node, "An empty slice of a vector or matrix");
    const int rows = int(axes[0].at.size()), cols = int(axes[1].at.size());
    const int dims = int(axes[0].is_slice) + int(axes[1].is_slice);
    AtNode at(*this, node);
    for (int axis = 0; axis < ndim; ++axis)
        if (!axes[axis].is_constant) return slice_run_time(node, base, comps, rows * cols, axis, axes[axis].value);
    return select_components(base, comps, dims == 2 ? rows : rows * cols, dims == 2 ? cols : 1, dims);
}

/// m[i, :] or m[:, i] with i known only at run time.
Val Walker::slice_run_time(const Node *node, const Val &given, const std::vector<int> &comps, int count, int axis,
                           const Val &index) {
    Val base = given;
    const auto is_whole = [](const Ref &ref) {
        for (size_t k = 0; k < ref.comps.size(); ++k)
            if (ref.comps[k] != int(k)) return false;
        return !ref.shift;
    };
    const bool is_place = base.tag == Tag::ref && is_whole(*base.ref);
    if (!is_place) base = indexed_value(node, load(base));
    const Ref &ref = *base.ref;
    check_indexable(node, ref);
    ir::Value at = index_value(node, index);
    const int extents[] = {axis == 0 ? ref.n : ref.m};
    check_matrix_bounds(ref, std::span(&at, 1), extents);
    if (axis == 0) {
        const ir::Value width = b_.i32(ref.m);
        at = b_.mul(at, width);
    }
    Val out = select_components(base, comps, count, 1, 1);
    out.ref->shift = at;
    return is_place ? out : load(out);
}

void Walker::check_matrix_bounds(const Ref &ref, std::span<const ir::Value> indices, std::span<const int> extents) {
    if (!request_.options.debug && !request_.options.check_bounds) return;
    if (ref.base == Ref::Base::element && arrays_.at(ref.array.id).clamp) return;
    std::vector<ir::Value> lower, upper;
    for (const int extent : extents) {
        lower.push_back(b_.i32(0));
        upper.push_back(b_.i32(extent));
    }
    const ir::Value legal = inside(indices, lower, upper);
    ir::Message message;
    message.pieces.push_back({"(kernel=" + request_.source.name + ") Out of bound access to a [" +
                                  std::to_string(ref.n) + (ref.ndim == 2 ? ", " + std::to_string(ref.m) : "") +
                                  "] matrix with index ",
                              -1});
    append_values(message, indices.size(), "[", "]");
    emit_assert(legal, std::move(message), indices);
}

/// A part of a matrix: a place if the matrix is one.
Val Walker::select_components(const Val &base, const std::vector<int> &which, int n, int m, int ndim) {
    Val out;
    if (base.tag == Tag::ref) {
        const Ref &ref = *base.ref;
        const bool packed = ref.field && ref.field->is_packed(); // its address says no more than the word's
        if (ndim == 0 && !packed) return element_ref(ref, part_pointer(ref, which[0]));
        out.tag = Tag::ref;
        out.ref = std::make_shared<Ref>(ref);
        out.ref->n = n;
        out.ref->m = m;
        out.ref->ndim = ndim;
        out.ref->comps.clear();
        for (const int k : which) out.ref->comps.push_back(ref.comps[size_t(k)]);
        return out;
    }
    if (ndim == 0) return component(base, which[0]);
    out.tag = Tag::matrix;
    out.elem = base.elem;
    out.n = n;
    out.m = m;
    out.ndim = ndim;
    for (const int k : which) out.comps.push_back(base.comps[size_t(k)]);
    return out;
}

Val Walker::subscript_run_time(const Node *node, const Val &given, const std::vector<Val> &indices) {
    const bool is_place = given.tag == Tag::ref;
    const Val base = is_place ? given : indexed_value(node, given);
    Ref &ref = *base.ref;
    if (int(indices.size()) != ref.ndim)
        fail(node, UserErrorKind::index,
             "Expected " + std::to_string(ref.ndim) + " indices, got " + std::to_string(indices.size()) + ".");
    const std::vector<ir::Value> values = index_values(node, indices, false);
    const int extents[] = {ref.n, ref.m};
    check_matrix_bounds(ref, values, std::span(extents, values.size()));
    ir::Value k = values[0];
    if (values.size() == 2) {
        const ir::Value width = b_.i32(ref.m);
        const ir::Value row = b_.mul(values[0], width);
        k = b_.add(row, values[1]);
    }
    const Val element = element_ref(ref, part_pointer(node, ref, k));
    return is_place ? element : load(element);
}

/// A variable that holds a value, so that it can be indexed. Host matrices and arguments of the kernel never change:
/// theirs stands once at the start of the task, outside of its loops.
Val Walker::indexed_value(const Node *node, const Val &v) {
    const auto is_argument = [&](ir::Value c) {
        return std::find(fn_.params.begin(), fn_.params.end(), c) != fn_.params.end();
    };
    const bool from_host = v.is_constant();
    if (!from_host && !std::all_of(v.comps.begin(), v.comps.end(), is_argument)) return new_variable(node, v);
    const uintptr_t key = from_host ? reinterpret_cast<uintptr_t>(v.object.get()) : v.comps[0].id;
    Val &table = tables_[{key, region_.id}];
    if (table.tag != Tag::none) return table;
    const ir::BlockId block = std::exchange(b_.block, region_);
    b_.at = 0;
    table = new_variable(node, from_host ? to_matrix(node, v) : v);
    b_.at = size_t(-1);
    b_.block = block;
    if (from_host) kept_.push_back(v.object);
    return table;
}

} // namespace qd::frontend
