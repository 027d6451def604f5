// Sparse trees in kernels: queries, activation and deactivation of cells, and loops over the active ones.
//
// A loop at the top level of a kernel is a parallel loop over the cells in a list, which a preceding task makes; see
// passes/lower_cell_loops.cpp for its form. A loop further inside, or a serial one, tests level by level which cells exist.
#include "frontend/cells.h"

#include "frontend/bounds.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/control.h"
#include "frontend/expr.h"
#include "frontend/format.h"
#include "frontend/loops.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/packed.h"
#include "frontend/place.h"
#include "frontend/scan.h"
#include "frontend/struct_value.h"
#include "frontend/subscript.h"
#include "frontend/types.h"
#include "layout/layout.h"

#include <numeric>
#include <utility>

namespace qd::frontend {

using ir::LevelKind;
using ir::Op;
using ir::Scalar;

static void check_cell_bounds(Walk &w, uint32_t place, const std::vector<ir::Value> &indices);
static void deactivate_cell(Walk &w, const Node *node, uint32_t place, const Val &indices);
static void insert_dynamic_index(Walk &w, uint32_t place, std::vector<ir::Value> &indices, ir::Value index);
static Val length_of_container(Walk &w, uint32_t place, std::vector<ir::Value> indices);
static Val append_values_to(Walk &w, const Node *node, uint32_t place, std::vector<ir::Value> indices,
                            const std::vector<uint32_t> &members, const Val &given);
static void flatten_value(Walk &w, const Node *node, const Val &given, std::vector<Val> &out);
static PyObject *call_object_argument(Walk &w, const Call &call, size_t i);
static Flow cells_parallel(Walk &w, const Node *node, uint32_t place, const Nest &nest);
static void cells_serial(Walk &w, const Node *node, uint32_t place, const Nest &nest, size_t level,
                         std::vector<ir::Value> &units);
static void serial_axes(Walk &w, const Node *node, uint32_t place, const Nest &nest, size_t level, size_t axis,
                        std::vector<ir::Value> &units);

uint32_t level_place(Walk &w, const Node *node, PyObject *object) {
    PyRef level = is_field(w.objects.kind_of(object)) ? PyRef::steal(PyObject_CallMethod(object, "parent", nullptr))
                                                      : PyRef::borrow(object);
    if (!level) w.python_failed(node);
    if (w.objects.kind_of(level.get()) != Kind::snode)
        w.fail_type(node, "A level of a tree (SNode) is needed here, not " + repr(object));
    PyRef id = PyRef::steal(PyObject_CallMethodNoArgs(level.get(), names()._qd_place_));
    if (!id) w.python_failed(node);
    return w.places.place_index(int(PyLong_AsLong(id.get())));
}

LevelKind last_level(Walk &w, uint32_t place) {
    const ir::Place &p = w.fn.places[place];
    return p.levels.empty() ? LevelKind::dense : p.levels.back().kind;
}

/// The indices of a cell of a level, with `missing` axes left out.
static std::vector<ir::Value> cell_indices(Walk &w, const Node *node, uint32_t place, const Val &given,
                                           size_t missing) {
    std::vector<Val> list;
    if (given.is_scalar() || is_number(given))
        list.push_back(given);
    else
        for (const Val &item : sequence_items(w, node, given).sequence().items) list.push_back(w.places.load(item));
    const size_t rank = w.fn.places[place].shape.size() - missing;
    if (list.size() != rank)
        w.fail(node, UserErrorKind::index,
               "A level with dim " + std::to_string(rank) + " accessed with indices of dim " +
                   std::to_string(list.size()));
    std::vector<ir::Value> values = index_values(w, node, list, true);
    check_cell_bounds(w, place, values);
    return values;
}

/// As check_field_bounds, for a cell of a level or for a container of a dynamic one, whose own axis is left out.
static void check_cell_bounds(Walk &w, uint32_t place, const std::vector<ir::Value> &indices) {
    if (!(w.request.options.check_out_of_bound || w.request.options.debug) || indices.empty()) return;
    const ir::Place &at = w.fn.places[place];
    const bool whole = indices.size() == at.shape.size();
    std::vector<ir::Value> lower, upper;
    std::string size;
    for (size_t axis = 0; axis < at.shape.size(); ++axis) {
        if (!whole && axis == at.levels.back().axes[0].axis) continue;
        lower.push_back(w.b.i32(at.index_offset[axis]));
        upper.push_back(w.b.i32(at.index_offset[axis] + at.shape[axis]));
        size += (size.empty() ? "" : ", ") + std::to_string(at.shape[axis]);
    }
    const ir::Value legal = inside(w, indices, lower, upper);
    ir::Message message;
    message.pieces.push_back({"(kernel=" + w.fn.name + ") Accessing a level of size (" + size + ") with indices ", -1});
    append_values(message, indices.size(), "(", ")");
    emit_assert(w, legal, std::move(message), shown_indices(w, indices));
}

Val handlers::cell_is_active(Walk &w, const Call &call) {
    const uint32_t place = level_place(w, call.node, call_object_argument(w, call, 0));
    if (!is_cell_kind(last_level(w, place)))
        w.fail(call.node, UserErrorKind::type, "qd.is_active only works on pointer, hash or bitmasked nodes.");
    const ir::Value cell = w.b.place(place, cell_indices(w, call.node, place, call.args[1], 0));
    return scalar(w, w.b.emit(Op::is_active, {cell}, Scalar::u1));
}

Val handlers::cell_activate(Walk &w, const Call &call) {
    const uint32_t place = level_place(w, call.node, call_object_argument(w, call, 0));
    if (!is_cell_kind(last_level(w, place)))
        w.fail(call.node, UserErrorKind::type, "qd.activate only works on pointer, hash or bitmasked nodes.",
               "an element of a dynamic node is made by qd.append, or by writing to it");
    const ir::Value cell = w.b.place(place, cell_indices(w, call.node, place, call.args[1], 0));
    w.b.activate(cell);
    return Val{};
}

Val handlers::cell_deactivate(Walk &w, const Call &call) {
    const uint32_t place = level_place(w, call.node, call_object_argument(w, call, 0));
    const LevelKind kind = last_level(w, place);
    if (kind == LevelKind::dense)
        w.fail(call.node, UserErrorKind::type,
               "qd.deactivate only works on pointer, hash, bitmasked or dynamic nodes.");
    deactivate_cell(w, call.node, place, call.args[1]);
    return Val{};
}

/// In a dynamic level the indices may name a container, or an element in it.
static void deactivate_cell(Walk &w, const Node *node, uint32_t place, const Val &indices) {
    const bool dynamic = last_level(w, place) == LevelKind::dynamic;
    const size_t rank = w.fn.places[place].shape.size();
    const size_t given =
        indices.is_scalar() || is_number(indices) ? 1 : sequence_items(w, node, indices).sequence().items.size();
    std::vector<ir::Value> values = cell_indices(w, node, place, indices, dynamic && given < rank ? 1 : 0);
    if (values.size() < rank) insert_dynamic_index(w, place, values, w.b.i32(0));
    const ir::Value cell = w.b.place(place, values);
    w.b.deactivate(cell);
}

/// Inserts the index along the axis of a dynamic level at the position of that axis.
static void insert_dynamic_index(Walk &w, uint32_t place, std::vector<ir::Value> &indices, ir::Value index) {
    const uint8_t axis = w.fn.places[place].levels.back().axes[0].axis;
    indices.insert(indices.begin() + axis, index);
}

static uint32_t dynamic_place(Walk &w, const Call &call, const char *name) {
    const uint32_t place = level_place(w, call.node, call_object_argument(w, call, 0));
    if (last_level(w, place) != LevelKind::dynamic)
        w.fail(call.node, UserErrorKind::type, std::string("qd.") + name + " only works on dynamic nodes.");
    return place;
}

Val handlers::cell_length(Walk &w, const Call &call) {
    const uint32_t place = dynamic_place(w, call, "length");
    std::vector<ir::Value> indices = cell_indices(w, call.node, place, call.args[1], 1);
    return length_of_container(w, place, std::move(indices));
}

static Val length_of_container(Walk &w, uint32_t place, std::vector<ir::Value> indices) {
    insert_dynamic_index(w, place, indices, w.b.i32(0));
    const ir::Value cell = w.b.place(place, indices);
    return scalar(w, w.b.emit(Op::length, {cell}, Scalar::i32));
}

Val handlers::cell_append(Walk &w, const Call &call) {
    const uint32_t place = dynamic_place(w, call, "append");
    std::vector<ir::Value> indices = cell_indices(w, call.node, place, call.args[1], 1);
    PyObject *object = call_object_argument(w, call, 0);
    PyRef level = w.objects.kind_of(object) == Kind::snode
                      ? PyRef::borrow(object)
                      : PyRef::steal(PyObject_CallMethod(object, "parent", nullptr));
    PyRef ids = level ? PyRef::steal(PyObject_CallMethod(level.get(), "_qd_member_places_", nullptr)) : PyRef{};
    if (!ids) w.python_failed(call.node);
    std::vector<uint32_t> members;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(ids.get()); ++i)
        members.push_back(w.places.place_index(int(PyLong_AsLong(PyList_GET_ITEM(ids.get(), i)))));
    return append_values_to(w, call.node, place, std::move(indices), members, call.args[2]);
}

/// Stores one value per member of a new cell; returns the old length.
static Val append_values_to(Walk &w, const Node *node, uint32_t place, std::vector<ir::Value> indices,
                            const std::vector<uint32_t> &members, const Val &given) {
    std::vector<Val> values;
    flatten_value(w, node, given, values);
    if (values.size() != members.size())
        w.fail_type(node, "append: the cells of this node have " + std::to_string(members.size()) + " members, " +
                              std::to_string(values.size()) + " values are given");
    insert_dynamic_index(w, place, indices, w.b.i32(0));
    const ir::Value cell = w.b.place(place, indices);
    const ir::Value at = w.b.emit(Op::append, {cell}, Scalar::i32);
    const uint8_t axis = w.fn.places[place].levels.back().axes[0].axis;
    indices[axis] = at;
    check_cell_bounds(w, place, indices);
    for (size_t k = 0; k < members.size(); ++k) {
        std::vector<ir::Value> own = indices;
        for (size_t a = 0; a < own.size(); ++a)
            if (const int32_t offset = w.fn.places[members[k]].index_offset[a]) {
                const ir::Value shift = w.b.i32(offset);
                own[a] = w.b.add(own[a], shift);
            }
        const ir::Value pointer = w.b.place(members[k], own);
        const ir::Value converted = as(w, node, values[k], w.fn.places[members[k]].elem);
        w.b.store(pointer, converted);
    }
    return scalar(w, at);
}

/// Flattens scalars, vectors, matrices, and sequences, dicts and structs of them into scalars in order.
static void flatten_value(Walk &w, const Node *node, const Val &given, std::vector<Val> &out) {
    const Val v = w.places.load(given);
    if (v.is_scalar() || is_number(v)) {
        out.push_back(v);
    } else if (v.is_sequence() || v.is_dict() || v.is_structure()) {
        for (const Val &item : v.parts()) flatten_value(w, node, item, out);
    } else {
        const Val m = to_matrix(w, node, v);
        for (size_t k = 0; k < m.matrix().comps.size(); ++k) out.push_back(component(m, int(k)));
    }
}

static PyObject *call_object_argument(Walk &w, const Call &call, size_t i) {
    if (!call.args[i].is_constant())
        w.fail_type(call.node, std::string("`") + call.row->name + "` needs a level of a tree (SNode) or a field");
    return call.args[i].object();
}

Val handlers::address_of(Walk &w, const Call &call) {
    PyObject *object = call_object_argument(w, call, 0);
    const Kind kind = w.objects.kind_of(object);
    if (kind != Kind::field && kind != Kind::matrix_field && kind != Kind::snode)
        w.fail_type(call.node, "`get_addr` needs a field or an SNode");
    const uint32_t place =
        kind == Kind::snode ? level_place(w, call.node, object) : w.places.field_info(call.node, object)->places[0];
    const ir::Value element = w.b.place(place, cell_indices(w, call.node, place, call.args[1], 0));
    return scalar(w, w.b.emit(Op::address, {element}, Scalar::u64));
}

Val handlers::rescale_index(Walk &w, const Call &call) {
    const auto shape_of = [&](size_t i) {
        PyObject *object = call.args[i].is_constant() ? call.args[i].object() : Py_None;
        PyRef shape = is_field(w.objects.kind_of(object)) || w.objects.kind_of(object) == Kind::snode
                          ? PyRef::steal(PyObject_GetAttr(object, names().shape))
                          : PyRef();
        if (!shape || !PyTuple_Check(shape.get()))
            w.fail_type(call.node, std::string("The ") + (i ? "second" : "first") +
                                       " argument of `rescale_index` must be a field or an SNode, not " +
                                       type_text(w, call.args[i]));
        std::vector<long> extents;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(shape.get()); ++k)
            extents.push_back(PyLong_AsLong(PyTuple_GET_ITEM(shape.get(), k)));
        return extents;
    };
    const std::vector<long> from = shape_of(0), to = shape_of(1);
    const std::vector<Val> given = sequence_items(w, call.node, call.args[2]).sequence().items;
    std::vector<ir::Value> out;
    for (size_t i = 0; i < given.size(); ++i) {
        ir::Value index = index_value(w, call.node, w.places.load(given[i]));
        if (i < from.size() && i < to.size() && from[i] != to[i] && from[i] > 0 && to[i] > 0) {
            const ir::Value factor = w.b.i32(int32_t(from[i] > to[i] ? from[i] / to[i] : to[i] / from[i]));
            index = from[i] > to[i] ? w.b.floordiv(index, factor) : w.b.mul(index, factor);
        }
        out.push_back(index);
    }
    const int n = int(out.size());
    return make_matrix(w, std::move(out), n, 1, 1);
}

/// A hint that the cells exist already. It has no effect, since writes activate the cells that they need.
Val handlers::no_activate(Walk &w, const Call &call) {
    for (size_t i = 0; i < call.args.size(); ++i) level_place(w, call.node, call_object_argument(w, call, i));
    return Val{};
}

// x[i] for a field x in a dynamic level, without the last index

Val dynamic_container(PyObject *field, const std::vector<ir::Value> &indices) {
    return val::Container{PyRef::borrow(field), indices};
}

bool is_cell_method(PyObject *name) {
    const auto is = [&](const char *what) { return PyUnicode_CompareWithASCIIString(name, what) == 0; };
    return is("append") || is("length") || is("deactivate");
}

/// True if the only index of this field runs along a dynamic level: the field itself then denotes the one container.
bool is_dynamic_line(Walk &w, const Node *node, PyObject *object) {
    const bool is_struct = w.objects.kind_of(object) == Kind::struct_field;
    const FieldInfo *info = w.places.field_info(node, is_struct ? w.structs.leaf_field(object).get() : object);
    return info->dims() == 1 && last_level(w, info->places[0]) == LevelKind::dynamic;
}

Val container_method(Walk &w, const Val &bound, Call call) {
    const Node *node = call.node;
    const std::string &name = bound.method().bound->name;
    const val::Container &self = bound.method().bound->self.container();
    AtNode at(w, node);
    PyObject *field = self.field.get();
    const bool is_struct = w.objects.kind_of(field) == Kind::struct_field;
    const FieldInfo *info = w.places.field_info(node, is_struct ? w.structs.leaf_field(field).get() : field);
    const uint32_t place = level_place(w, node, field);
    const size_t axis = w.fn.places[place].levels.back().axes[0].axis;
    std::vector<ir::Value> indices; // relative to the level, which has no offset
    for (size_t k = 0; k < self.indices.size(); ++k) {
        const ir::Value shift = w.b.i32(info->offset[k < axis ? k : k + 1]);
        indices.push_back(w.b.sub(self.indices[k], shift));
    }
    check_cell_bounds(w, place, indices);
    if (name == "length" && call.args.empty()) return length_of_container(w, place, std::move(indices));
    insert_dynamic_index(w, place, indices, w.b.i32(0));
    const ir::Value cell = w.b.place(place, indices);
    if (name == "deactivate" && call.args.empty()) {
        w.b.deactivate(cell);
        return Val{};
    }
    if (name != "append" || call.args.size() != 1)
        w.fail(node, UserErrorKind::compilation,
               "a dynamic node has append(value), length() and deactivate(), not '" + name + "'");
    const ir::Value number = w.b.emit(Op::append, {cell}, Scalar::i32);
    const ir::Value shift = w.b.i32(info->offset[axis]);
    std::vector<Val> element;
    for (const ir::Value index : self.indices) element.push_back(scalar(w, index));
    element.insert(element.begin() + ptrdiff_t(axis), scalar(w, w.b.add(number, shift)));
    const Val target =
        is_struct ? w.structs.struct_field_element(node, field, element) : subscript_field(w, node, field, element);
    if (target.is_structure())
        w.structs.store_struct(node, target, call.args[0]);
    else
        w.places.store(node, *target.ref(), call.args[0]);
    return scalar(w, number);
}

// Loops

Flow for_cells(Walk &w, const Node *node, uint32_t place, const Nest &settings) {
    check_loop_target(w, child(node, Field::target));
    Nest nest = settings;
    w.loops.take_settings(nest.settings);
    if (is_top_level(w) && !nest.settings.serialize) return cells_parallel(w, node, place, nest);
    if (has_break(items_of(node, Field::body)))
        w.fail_syntax(node, "Cannot break in a serial loop over the cells of a sparse field", "use a flag");
    w.frames.back().loops.push_back({LoopContext::What::serial, 0});
    std::vector<ir::Value> units(w.fn.places[place].shape.size());
    cells_serial(w, node, place, nest, 0, units);
    w.frames.back().loops.pop_back();
    return Flow::next;
}

/// The body of a loop over cells, or over the elements of their quant arrays.
static Flow cell_body(Walk &w, const Node *node, const std::vector<ir::Value> &indices, const Nest &nest,
                      bool parallel) {
    const auto body = [&](std::span<const ir::Value> own) {
        bind_loop_targets(w, node, own, nest);
        return parallel ? iteration(w, node) : loop_body(w, node);
    };
    if (!nest.array) return body(indices);
    std::vector<ir::Value> elements;
    return w.packed.each_in_word(*nest.array, indices, elements, [&] { return body(elements); });
}

static Flow cells_parallel(Walk &w, const Node *node, uint32_t place, const Nest &nest) {
    const uint64_t last = w.fn.places[place].levels.size() - 1;
    const ir::Value pieces = w.b.emit(Op::list, {}, Scalar::i32, place * ir::max_levels + last);
    const ir::Value zero = w.b.i32(0);
    const ir::Value bounds[] = {zero, pieces};
    ir::Loop settings = nest.settings;
    settings.cells = true;
    const ir::Value loop = w.b.parallel(bounds, settings);
    const ir::BlockId body = w.fn[loop].blocks[0];
    w.frames.back().loops.push_back({LoopContext::What::parallel, 0});
    const ir::BlockId outer_region = std::exchange(w.region, body);
    const std::vector<ir::Value> indices = w.fn[body].params;
    body_in(w, body, [&] { return cell_body(w, node, indices, nest, true); });
    w.region = outer_region;
    w.frames.back().loops.pop_back();
    return Flow::next;
}

void inside(Walk &w, ir::BlockId target, const std::function<void()> &emit) {
    const ir::BlockId outer = std::exchange(w.b.block, target);
    emit();
    w.b.block = outer;
}

/// Loops over the axes of one level after another; `units`: the indices in cells of the levels so far.
static void cells_serial(Walk &w, const Node *node, uint32_t place, const Nest &nest, size_t level,
                         std::vector<ir::Value> &units) {
    const ir::Place whole = w.fn.places[place];
    if (level == whole.levels.size()) {
        std::vector<ir::Value> indices;
        for (size_t axis = 0; axis < units.size(); ++axis) {
            const ir::Value shift = w.b.i32(whole.index_offset[axis]);
            indices.push_back(w.b.add(units[axis], shift));
        }
        const ir::Value always = w.b.u1(true); // a body that leaves its block must not leave the surrounding loops
        const ir::Value branch = w.b.if_(always);
        inside(w, w.fn[branch].blocks[1], [&] { w.b.yield(); });
        body_in(w, w.fn[branch].blocks[0], [&] { return cell_body(w, node, indices, nest, false); });
        return;
    }
    serial_axes(w, node, place, nest, level, 0, units);
}

static uint32_t ancestor_place(Walk &w, uint32_t place, size_t depth) {
    const ir::Place above = layout::ancestor(w.fn.places[place], depth);
    for (size_t i = 0; i < w.fn.places.size(); ++i)
        if (w.fn.places[i].level && w.fn.places[i].tree == above.tree && w.fn.places[i].levels == above.levels)
            return uint32_t(i);
    w.fn.places.push_back(above);
    return uint32_t(w.fn.places.size() - 1);
}

/// The cell of a level at the given unit indices, as a place of that level.
static ir::Value unit_cell(Walk &w, uint32_t place, size_t depth, const std::vector<ir::Value> &units) {
    const uint32_t above = ancestor_place(w, place, depth);
    std::vector<ir::Value> own;
    for (const ir::Value unit : units)
        if (unit) own.push_back(unit);
    return w.b.place(above, own);
}

static void serial_axes(Walk &w, const Node *node, uint32_t place, const Nest &nest, size_t level, size_t axis,
                        std::vector<ir::Value> &units) {
    const ir::Place whole = w.fn.places[place];
    const ir::PlaceLevel &here = whole.levels[level];
    const auto deeper = [&](const std::vector<ir::Value> &now) {
        std::vector<ir::Value> inner = now;
        cells_serial(w, node, place, nest, level + 1, inner);
    };
    if (axis == here.axes.size()) {
        if (!is_cell_kind(here.kind)) return deeper(units);
        const ir::Value cell = unit_cell(w, place, level + 1, units);
        const ir::Value exists = w.b.emit(Op::is_active, {cell}, Scalar::u1);
        const ir::Value branch = w.b.if_(exists);
        inside(w, w.fn[branch].blocks[0], [&] {
            deeper(units);
            w.b.yield();
        });
        inside(w, w.fn[branch].blocks[1], [&] { w.b.yield(); });
        return;
    }
    const ir::PlaceAxis &a = here.axes[axis];
    const ir::Value zero = w.b.i32(0);
    ir::Value hi;
    if (here.kind == LevelKind::dynamic) {
        std::vector<ir::Value> first = units;
        first[a.axis] = zero;
        const ir::Value container = unit_cell(w, place, level + 1, first);
        hi = w.b.emit(Op::length, {container}, Scalar::i32);
    } else {
        hi = w.b.i32(int32_t(a.extent));
    }
    const ir::Value loop = w.b.for_(zero, hi, {}, nest.settings);
    const size_t loops_before = w.fn.loops.size();
    inside(w, w.fn[loop].blocks[0], [&] {
        ir::Value index = w.fn[w.b.block].params[0];
        std::vector<ir::Value> inner = units;
        if (inner[a.axis]) {
            const ir::Value extent = w.b.i32(int32_t(a.extent));
            const ir::Value scaled = w.b.mul(inner[a.axis], extent);
            index = w.b.add(scaled, index);
        }
        inner[a.axis] = index;
        serial_axes(w, node, place, nest, level, axis + 1, inner);
        w.b.yield();
    });
    poll_in(w, loop, w.fn.loops.size() > loops_before);
}

} // namespace qd::frontend
