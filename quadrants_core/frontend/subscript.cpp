// x[...]: fields, ndarrays, matrices and compile-time sequences. The result is a place if it can be stored to.
#include "frontend/subscript.h"

#include "frontend/bounds.h"
#include "frontend/cells.h"
#include "frontend/dict.h"
#include "frontend/expr.h"
#include "frontend/instance.h"
#include "frontend/lanes.h"
#include "frontend/matrix.h"
#include "frontend/mesh.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/triplets.h"
#include "frontend/types.h"
#include "frontend/views.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace qd::frontend {

static Val subscript_unpacked(Walk &w, const Node *node, const Val &base, const Node *slice);
static Val subscript_python(Walk &w, const Node *node, const Val &base, const Node *slice);
static Val subscript_array(Walk &w, const Node *node, const Val &array, const std::vector<Val> &indices);
static Val subscript_matrix(Walk &w, const Node *node, const Val &base, const Node *slice);
static Val subscript_run_time(Walk &w, const Node *node, const Val &base, const std::vector<Val> &indices);

std::vector<Val> indices_of(Walk &w, const Node *slice) {
    const auto expand = [&](std::vector<Val> &out, const Val &v) {
        if (v.is_matrix() || v.is_sequence() ||
            (v.is_constant() && (w.objects.kind_of(v.object()) == Kind::matrix || PyTuple_Check(v.object())))) {
            for (const Val &item : sequence_items(w, slice, v).sequence().items) out.push_back(w.places.load(item));
        } else if (v.is_constant() && v.object() == Py_None) {
            return;
        } else {
            out.push_back(v);
        }
    };
    std::vector<Val> out;
    if (slice->kind == NodeKind::Tuple) {
        for (const Val &v : eval_sequence(w, slice, true).sequence().items) expand(out, v);
    } else {
        expand(out, value(w, slice));
    }
    return out;
}

/// Indexes a compile-time value.
static Val subscript_constant(Walk &w, const Node *node, const Val &base, const Node *slice) {
    PyObject *object = base.object();
    const Kind kind = w.objects.kind_of(object);
    if (kind == Kind::matrix) return subscript_matrix(w, node, base, slice);
    if (is_field(kind)) {
        const bool may_be_part = kind == Kind::field && contains_slice(slice);
        if (std::optional<Val> part = may_be_part ? tile_part(w, node, base, slice) : std::nullopt) return *part;
        if (contains_slice(slice))
            w.fail_syntax(node, "The type " + type_name(object) + " do not support index of slice type");
        const std::vector<Val> indices = indices_of(w, slice);
        AtNode at(w, node);
        return kind == Kind::struct_field ? w.structs.struct_field_element(node, object, indices)
                                          : subscript_field(w, node, object, indices);
    }
    if (kind == Kind::ndarray)
        w.fail(node, UserErrorKind::compilation, "An ndarray can be used in a kernel only as an argument",
               "annotate a parameter with `qd.types.ndarray(...)` and pass it");
    if (kind != Kind::foreign || contains_slice(slice) || !has_method(w, node, base, "getitem"))
        return subscript_python(w, node, base, slice);
    const Val key = value(w, slice);
    const auto inlined = [&] { return class_method(w, node, base, "getitem", {key}); };
    const PyRef index = to_python(key);
    if (!index) return *inlined();
    w.dependencies.give_up(); // attributes of the class are not recorded
    PyRef found = PyRef::steal(PyObject_GetItem(object, index.get()));
    if (!found)
        if (std::optional<Val> made = instead_of_python(inlined)) return *made;
    if (!found) w.python_failed(node);
    return wrap(w, std::move(found));
}

Val eval_subscript(Walk &w, const Node *node, Use use) {
    const Node *slice = child(node, Field::slice);
    const Val base = eval(w, child(node, Field::value));
    const bool has_slice = contains_slice(slice);
    if (is_builder(w, base)) return triplet(w, node, base, slice, use);
    switch (base.tag()) {
    case Tag::constant: return subscript_constant(w, node, base, slice);
    case Tag::matrix: return subscript_matrix(w, node, base, slice);
    case Tag::dict: return subscript_python(w, node, base, slice);
    case Tag::sequence:
        return base.is(Flavour::unpacked) ? subscript_unpacked(w, node, base, slice)
                                          : subscript_python(w, node, base, slice);
    case Tag::array: {
        if (has_slice && is_view(w, base)) return slice_view(w, node, base, slice);
        const bool may_be_part = has_slice && base.array().element_dim == 0;
        if (std::optional<Val> part = may_be_part ? tile_part(w, node, base, slice) : std::nullopt) return *part;
        if (has_slice) w.fail_syntax(node, "The type ndarray do not support index of slice type");
        const std::vector<Val> indices = indices_of(w, slice);
        AtNode at(w, node);
        return is_view(w, base) ? subscript_view(w, node, base, indices) : subscript_array(w, node, base, indices);
    }
    case Tag::shared:
        if (!has_slice) return subscript_shared(w, node, base, indices_of(w, slice));
        if (std::optional<Val> part = tile_part(w, node, base, slice)) return *part;
        break;
    case Tag::relation:
        if (!has_slice) return w.meshes.subscript_relation(node, base, indices_of(w, slice));
        break;
    case Tag::ref:
        if (base.ref()->ndim > 0) return subscript_matrix(w, node, base, slice);
        break;
    case Tag::structure: {
        const Val key = has_slice ? Val{} : value(w, slice);
        if (std::optional<Val> made = has_slice ? std::nullopt : class_method(w, node, base, "getitem", {key}))
            return *made;
        if (const std::optional<long> k = constant_int(key); k && is_tuple_instance(base)) {
            const long size = long(base.structure().members.size()), at = *k < 0 ? *k + size : *k;
            if (at < 0 || at >= size) w.fail(node, UserErrorKind::index, "tuple index out of range");
            return base.structure().members[size_t(at)];
        }
        if (key.is_constant() && PyUnicode_Check(key.object()))
            return w.structs.struct_attribute(node, base, key.object());
        break;
    }
    case Tag::loop:
        if (PyRef range = to_python(base)) return subscript_constant(w, node, constant(std::move(range)), slice);
        break;
    case Tag::none:
    case Tag::scalar:
    case Tag::bundle:
    case Tag::method:
    case Tag::container:
    case Tag::element:
    case Tag::triplet: break;
    }
    w.fail_type(node, "'" + type_text(w, base) + "' cannot be indexed");
}

static Val subscript_unpacked(Walk &w, const Node *node, const Val &base, const Node *slice) {
    const std::vector<Val> &items = base.sequence().items;
    const std::string name = text(base.sequence().member.get());
    const Val index = slice->kind == NodeKind::Slice ? slice_object(w, slice) : value(w, slice);
    const std::optional<long> k = constant_int(index);
    if (!k)
        w.fail_syntax(node,
                      "unpacked vector " + name +
                          "[i] requires a python-int index (possibly via qd.static); got runtime index of type " +
                          type_text(w, index),
                      "declare the vector without unpacked=True to index it at run time");
    if (*k < 0 || *k >= long(items.size()))
        w.fail_syntax(node, "unpacked vector index out of bounds: " + name + "[" + std::to_string(*k) +
                                "] (count=" + std::to_string(items.size()) + ")");
    return items[size_t(*k)];
}

static Val subscript_python(Walk &w, const Node *node, const Val &base, const Node *slice) {
    if (base.is_sequence() && slice->kind != NodeKind::Slice) {
        const Val index = value(w, slice);
        AtNode at(w, node);
        const std::optional<long> k = constant_int(index);
        if (!k) {
            if (!index.is_scalar())
                w.fail_type(node, "indices must be integers, however " + type_text(w, index) + " is provided as index");
            return subscript_run_time(w, node, to_matrix(w, node, base), {index});
        }
        const std::vector<Val> &items = base.sequence().items;
        const long size = long(items.size()), at_item = *k < 0 ? *k + size : *k;
        if (at_item < 0 || at_item >= size)
            w.fail(node, UserErrorKind::index, type_text(w, base) + " index out of range");
        return items[size_t(at_item)];
    }
    if (base.is_dict()) {
        const Val key = value(w, slice);
        if (const std::optional<size_t> at = find_key(w, node, base, key)) return base.dict().values[*at];
        w.fail(node, UserErrorKind::index, "the dict has no such key");
    }
    if (base.is_sequence()) return slice_sequence(w, node, base, slice);
    const Val index = slice->kind == NodeKind::Slice ? slice_object(w, slice) : value(w, slice);
    const PyRef key = to_python(index);
    if (!key) {
        const Val items = unpacked(w, node, base);
        if (items.is_sequence()) {
            AtNode at(w, node);
            return subscript_run_time(w, node, base, {index});
        }
        if (std::strcmp(Py_TYPE(base.object())->tp_name, "numpy.ndarray") == 0)
            w.fail_type(node,
                        "a NumPy array from outside the kernel is a compile-time constant: it cannot be indexed with a "
                        "value known only at run time",
                        "pass it as an argument annotated `qd.types.ndarray()`, or copy it into a field: "
                        "`f.from_numpy(x)`");
        w.fail_type(node, "a " + type_text(w, base) + " cannot be indexed with a value known only at run time",
                    "use a field, an ndarray or a vector");
    }
    if (base.node() >= 0) return w.parameters.member(node, base, key.get(), true);
    PyRef found = PyRef::steal(PyObject_GetItem(base.object(), key.get()));
    if (!found) w.python_failed(node);
    return wrap(w, std::move(found));
}

std::vector<ir::Value> index_values(Walk &w, const Node *node, const std::vector<Val> &indices, bool may_be_negative) {
    std::vector<ir::Value> out;
    for (const Val &index : indices) {
        const std::optional<long> k = constant_int(index);
        if (k && *k < 0 && !may_be_negative)
            w.fail_syntax(node, "Negative indices are not supported in Quadrants kernels.");
        out.push_back(index_value(w, node, index));
    }
    return out;
}

/// Returns the indices of an element of a field, after checks of their number and, where options ask for it, of their bounds.
std::vector<ir::Value> field_indices(Walk &w, const Node *node, const FieldInfo &info,
                                     const std::vector<Val> &indices) {
    if (int(indices.size()) != info.dims())
        w.fail(node, UserErrorKind::index,
               "Field with dim " + std::to_string(info.dims()) + " accessed with indices of dim " +
                   std::to_string(indices.size()));
    std::vector<ir::Value> values = index_values(w, node, indices, true);
    if (w.request.options.check_out_of_bound || w.request.options.debug) check_field_bounds(w, node, info, values);
    return values;
}

Val subscript_field(Walk &w, const Node *node, PyObject *field, const std::vector<Val> &indices) {
    const FieldInfo *info = w.places.field_info(node, field);
    if (int(indices.size()) + 1 == info->dims() && last_level(w, info->places[0]) == ir::LevelKind::dynamic)
        return dynamic_container(field, index_values(w, node, indices, true));
    return field_element(w, info, field_indices(w, node, *info, indices));
}

Val field_element(Walk &w, const FieldInfo *info, std::vector<ir::Value> indices) {
    if (info->element_dim != 0 || info->is_packed()) return field_ref(info, std::move(indices));
    const Val out = w.places.scalar_ref(w.b.place(info->places[0], indices), false);
    out.ref()->field = info;
    out.ref()->indices = std::move(indices);
    return out;
}

static Val subscript_array(Walk &w, const Node *node, const Val &base, const std::vector<Val> &indices) {
    const val::Array &array = base.array();
    if (int(indices.size()) != array.ndim)
        w.fail(node, UserErrorKind::index,
               std::to_string(array.ndim) + "d ndarray indexed with " + std::to_string(indices.size()) + "d indices");
    std::vector<ir::Value> values = index_values(w, node, indices, false);
    const ArrayInfo &info = w.parameters.array(array.parameter);
    if (info.clamp)
        for (int axis = 0; axis < array.ndim; ++axis)
            values[size_t(axis)] = clamped(w, values[size_t(axis)], w.parameters.extent(base, axis));
    else if (w.request.options.check_out_of_bound || w.request.options.debug)
        check_array_bounds(w, base, info, values);
    return element_place(w, base, w.parameters.storage_indices(base, std::move(values)));
}

Val element_place(Walk &w, const Val &base, std::vector<ir::Value> values) {
    const val::Array &array = base.array();
    if (array.element_dim == 0) {
        const ir::Value zero = w.b.i32(0);
        return w.places.scalar_ref(w.b.element(array.parameter, values, zero), false);
    }
    auto ref = std::make_shared<Ref>();
    ref->base = Ref::Base::element;
    ref->elem = array.elem;
    ref->n = array.n;
    ref->m = array.m;
    ref->ndim = array.element_dim;
    ref->array = array.parameter;
    ref->indices = std::move(values);
    for (int k = 0; k < array.n * array.m; ++k) ref->comps.push_back(k);
    return val::Place{std::move(ref)};
}

static Val subscript_matrix(Walk &w, const Node *node, const Val &given, const Node *slice) {
    const Val base = given.is_constant() ? to_matrix(w, node, given) : given;
    const auto [n, m, ndim] = shape_of(base);
    if (!contains_slice(slice)) {
        const std::vector<Val> indices = indices_of(w, slice);
        AtNode at(w, node);
        if (int(indices.size()) != ndim)
            w.fail(node, UserErrorKind::index,
                   "Expected " + std::to_string(ndim) + " indices, got " + std::to_string(indices.size()) + ".");
        std::vector<int> k;
        for (int axis = 0; axis < ndim; ++axis)
            if (const std::optional<long> known = constant_int(indices[size_t(axis)]))
                k.push_back(check_static_index(w, node, *known, axis == 0 ? n : m));
        if (int(k.size()) < ndim) return subscript_run_time(w, node, given, indices);
        return select_components(w, base, {ndim == 1 ? k[0] : k[0] * m + k[1]}, 1, 1, 0);
    }
    return slice_matrix(w, node, base, slice, n, m, ndim);
}

static Val subscript_run_time(Walk &w, const Node *node, const Val &given, const std::vector<Val> &indices) {
    const bool is_place = given.is_ref();
    const Val base = is_place ? given : w.places.indexed_value(node, given);
    Ref &ref = *base.ref();
    if (int(indices.size()) != ref.ndim)
        w.fail(node, UserErrorKind::index,
               "Expected " + std::to_string(ref.ndim) + " indices, got " + std::to_string(indices.size()) + ".");
    const std::vector<ir::Value> values = index_values(w, node, indices, false);
    const int extents[] = {ref.n, ref.m};
    check_matrix_bounds(w, ref, values, std::span(extents, values.size()));
    ir::Value k = values[0];
    if (values.size() == 2) {
        const ir::Value width = w.b.i32(ref.m);
        const ir::Value row = w.b.mul(values[0], width);
        k = w.b.add(row, values[1]);
    }
    const Val element = w.places.element_ref(ref, w.places.part_pointer(node, ref, k));
    return is_place ? element : w.places.load(element);
}

} // namespace qd::frontend
