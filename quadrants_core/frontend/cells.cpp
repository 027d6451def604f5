// Sparse trees in kernels: asking about cells, making and removing them, and loops over those that exist.
//
// A loop at the top level of a kernel runs over a list of pieces of containers (abi/tree.h), made by a task before it.
// Its indices carry the cell at hand with them (own_index), so that reaching the field's own elements needs no search.
// A loop further inside, or a serial one, asks level by level which cells exist.
#include "frontend/builtins.h"
#include "frontend/scan.h"

#include "layout/layout.h"

#include <numeric>
#include <utility>

namespace qd::frontend {

using ir::LevelKind;
using ir::Op;
using ir::Scalar;

uint32_t Walker::level_place(const Node *node, PyObject *object) {
    PyRef level = is_field(kind_of(object)) ? PyRef::steal(PyObject_CallMethod(object, "parent", nullptr))
                                            : PyRef::borrow(object);
    if (!level) python_failed(node);
    if (kind_of(level.get()) != Kind::snode)
        fail_type(node, "A level of a tree (SNode) is needed here, not " + repr(object));
    PyRef id = PyRef::steal(PyObject_CallMethodNoArgs(level.get(), names()._qd_place_));
    if (!id) python_failed(node);
    return place_index(int(PyLong_AsLong(id.get())));
}

namespace {

bool is_cell_kind(LevelKind kind) { return kind == LevelKind::pointer || kind == LevelKind::bitmasked; }

} // namespace

LevelKind Walker::last_level(uint32_t place) const {
    const ir::Place &p = fn_.places[place];
    return p.levels.empty() ? LevelKind::dense : p.levels.back().kind;
}

/// Indices of a cell of a level, `missing` of them left out at the end.
std::vector<ir::Value> Walker::cell_indices(const Node *node, uint32_t place, const Val &given, size_t missing) {
    std::vector<Val> list;
    if (given.tag == Tag::scalar || is_number(given))
        list.push_back(given);
    else
        for (const Val &item : sequence_items(node, given).items) list.push_back(load(item));
    const size_t rank = fn_.places[place].shape.size() - missing;
    if (list.size() != rank)
        fail(node, UserErrorKind::index,
             "A level with dim " + std::to_string(rank) + " accessed with indices of dim " +
                 std::to_string(list.size()));
    std::vector<ir::Value> values = index_values(node, list, true);
    check_cell_bounds(place, values);
    return values;
}

/// As check_field_bounds, of a cell of a level or of a container of a dynamic one, whose own axis is left out.
void Walker::check_cell_bounds(uint32_t place, const std::vector<ir::Value> &indices) {
    if (!(request_.options.check_bounds || request_.options.debug) || indices.empty()) return;
    const ir::Place &at = fn_.places[place];
    const bool whole = indices.size() == at.shape.size();
    std::vector<ir::Value> lower, upper;
    std::string size;
    for (size_t axis = 0; axis < at.shape.size(); ++axis) {
        if (!whole && axis == at.levels.back().axes[0].axis) continue;
        lower.push_back(b_.i32(at.index_offset[axis]));
        upper.push_back(b_.i32(at.index_offset[axis] + at.shape[axis]));
        size += (size.empty() ? "" : ", ") + std::to_string(at.shape[axis]);
    }
    const ir::Value legal = inside(indices, lower, upper);
    ir::Message message;
    message.pieces.push_back(
        {"(kernel=" + request_.source.name + ") Accessing a level of size (" + size + ") with indices ", -1});
    append_values(message, indices.size(), "(", ")");
    emit_assert(legal, std::move(message), indices);
}

Val Walker::cell_is_active(const Call &call) {
    const uint32_t place = level_place(call.node, call_object_argument(call, 0));
    if (!is_cell_kind(last_level(place)))
        fail(call.node, UserErrorKind::type, "qd.is_active only works on pointer, hash or bitmasked nodes.");
    const ir::Value cell = b_.place(place, cell_indices(call.node, place, call.args[1], 0));
    return scalar(b_.emit(Op::is_active, {cell}, Scalar::u1));
}

Val Walker::cell_activate(const Call &call) {
    const uint32_t place = level_place(call.node, call_object_argument(call, 0));
    if (!is_cell_kind(last_level(place)))
        fail(call.node, UserErrorKind::type, "qd.activate only works on pointer, hash or bitmasked nodes.",
             "an element of a dynamic node is made by qd.append, or by writing to it");
    const ir::Value cell = b_.place(place, cell_indices(call.node, place, call.args[1], 0));
    b_.activate(cell);
    return Val{};
}

Val Walker::cell_deactivate(const Call &call) {
    const uint32_t place = level_place(call.node, call_object_argument(call, 0));
    const LevelKind kind = last_level(place);
    if (kind == LevelKind::dense)
        fail(call.node, UserErrorKind::type, "qd.deactivate only works on pointer, hash, bitmasked or dynamic nodes.");
    deactivate_cell(call.node, place, call.args[1]);
    return Val{};
}

/// Of a dynamic level the indices may name a container, or an element in it.
void Walker::deactivate_cell(const Node *node, uint32_t place, const Val &indices) {
    const bool dynamic = last_level(place) == LevelKind::dynamic;
    const size_t rank = fn_.places[place].shape.size();
    const size_t given =
        indices.tag == Tag::scalar || is_number(indices) ? 1 : sequence_items(node, indices).items.size();
    std::vector<ir::Value> values = cell_indices(node, place, indices, dynamic && given < rank ? 1 : 0);
    if (values.size() < rank) insert_dynamic_index(place, values, b_.i32(0));
    const ir::Value cell = b_.place(place, values);
    b_.deactivate(cell);
}

/// The index along the axis of a dynamic level stands where that axis does among the others.
void Walker::insert_dynamic_index(uint32_t place, std::vector<ir::Value> &indices, ir::Value index) const {
    const uint8_t axis = fn_.places[place].levels.back().axes[0].axis;
    indices.insert(indices.begin() + axis, index);
}

uint32_t Walker::dynamic_place(const Call &call, const char *name) {
    const uint32_t place = level_place(call.node, call_object_argument(call, 0));
    if (last_level(place) != LevelKind::dynamic)
        fail(call.node, UserErrorKind::type, std::string("qd.") + name + " only works on dynamic nodes.");
    return place;
}

Val Walker::cell_length(const Call &call) {
    const uint32_t place = dynamic_place(call, "length");
    std::vector<ir::Value> indices = cell_indices(call.node, place, call.args[1], 1);
    return length_of_container(place, std::move(indices));
}

Val Walker::length_of_container(uint32_t place, std::vector<ir::Value> indices) {
    insert_dynamic_index(place, indices, b_.i32(0));
    const ir::Value cell = b_.place(place, indices);
    return scalar(b_.emit(Op::length, {cell}, Scalar::i32));
}

Val Walker::cell_append(const Call &call) {
    const uint32_t place = dynamic_place(call, "append");
    std::vector<ir::Value> indices = cell_indices(call.node, place, call.args[1], 1);
    PyObject *object = call_object_argument(call, 0);
    PyRef level = kind_of(object) == Kind::snode ? PyRef::borrow(object)
                                                 : PyRef::steal(PyObject_CallMethod(object, "parent", nullptr));
    PyRef ids = level ? PyRef::steal(PyObject_CallMethod(level.get(), "_qd_member_places_", nullptr)) : PyRef{};
    if (!ids) python_failed(call.node);
    std::vector<uint32_t> members;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(ids.get()); ++i)
        members.push_back(place_index(int(PyLong_AsLong(PyList_GET_ITEM(ids.get(), i)))));
    return append_values_to(call.node, place, std::move(indices), members, call.args[2]);
}

/// One value per member of the new cell; the old length.
Val Walker::append_values_to(const Node *node, uint32_t place, std::vector<ir::Value> indices,
                             const std::vector<uint32_t> &members, const Val &given) {
    std::vector<Val> values;
    flatten_value(node, given, values);
    if (values.size() != members.size())
        fail_type(node, "append: the cells of this node have " + std::to_string(members.size()) + " members, " +
                            std::to_string(values.size()) + " values are given");
    insert_dynamic_index(place, indices, b_.i32(0));
    const ir::Value cell = b_.place(place, indices);
    const ir::Value at = b_.emit(Op::append, {cell}, Scalar::i32);
    const uint8_t axis = fn_.places[place].levels.back().axes[0].axis;
    indices[axis] = at;
    check_cell_bounds(place, indices);
    for (size_t k = 0; k < members.size(); ++k) {
        std::vector<ir::Value> own = indices;
        for (size_t a = 0; a < own.size(); ++a)
            if (const int32_t offset = fn_.places[members[k]].index_offset[a]) {
                const ir::Value shift = b_.i32(offset);
                own[a] = b_.add(own[a], shift);
            }
        const ir::Value pointer = b_.place(members[k], own);
        const ir::Value converted = as(node, values[k], fn_.places[members[k]].elem);
        b_.store(pointer, converted);
    }
    return scalar(at);
}

/// Scalars, vectors and matrices, sequences and dicts of them, as scalars in order.
void Walker::flatten_value(const Node *node, const Val &given, std::vector<Val> &out) {
    const Val v = load(given);
    if (v.tag == Tag::scalar || is_number(v)) {
        out.push_back(v);
    } else if (v.is_sequence() || v.tag == Tag::dict || v.tag == Tag::record) {
        for (const Val &item : v.items) flatten_value(node, item, out);
    } else {
        const Val m = to_matrix(node, v);
        for (size_t k = 0; k < m.comps.size(); ++k) out.push_back(component(m, int(k)));
    }
}

PyObject *Walker::call_object_argument(const Call &call, size_t i) {
    if (!call.args[i].is_constant())
        fail_type(call.node, std::string("`") + call.row->name + "` needs a level of a tree (SNode) or a field");
    return call.args[i].object.get();
}

Val Walker::address_of(const Call &call) {
    PyObject *object = call_object_argument(call, 0);
    const Kind kind = kind_of(object);
    if (kind != Kind::field && kind != Kind::matrix_field && kind != Kind::snode)
        fail_type(call.node, "`get_addr` needs a field or an SNode");
    const uint32_t place =
        kind == Kind::snode ? level_place(call.node, object) : field_info(call.node, object)->places[0];
    const ir::Value element = b_.place(place, cell_indices(call.node, place, call.args[1], 0));
    return scalar(b_.emit(Op::address, {element}, Scalar::u64));
}

Val Walker::rescale_index(const Call &call) {
    const auto shape_of = [&](size_t i) {
        PyObject *object = call.args[i].is_constant() ? call.args[i].object.get() : Py_None;
        PyRef shape = is_field(kind_of(object)) || kind_of(object) == Kind::snode
                          ? PyRef::steal(PyObject_GetAttr(object, names().shape))
                          : PyRef();
        if (!shape || !PyTuple_Check(shape.get()))
            fail_type(call.node, std::string("The ") + (i ? "second" : "first") +
                                     " argument of `rescale_index` must be a field or an SNode, not " +
                                     type_text(call.args[i]));
        std::vector<long> extents;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(shape.get()); ++k)
            extents.push_back(PyLong_AsLong(PyTuple_GET_ITEM(shape.get(), k)));
        return extents;
    };
    const std::vector<long> from = shape_of(0), to = shape_of(1);
    const std::vector<Val> given = sequence_items(call.node, call.args[2]).items;
    std::vector<ir::Value> out;
    for (size_t i = 0; i < given.size(); ++i) {
        ir::Value index = index_value(call.node, load(given[i]));
        if (i < from.size() && i < to.size() && from[i] != to[i] && from[i] > 0 && to[i] > 0) {
            const ir::Value factor = b_.i32(int32_t(from[i] > to[i] ? from[i] / to[i] : to[i] / from[i]));
            index = from[i] > to[i] ? b_.floordiv(index, factor) : b_.mul(index, factor);
        }
        out.push_back(index);
    }
    const int n = int(out.size());
    return make_matrix(std::move(out), n, 1, 1);
}

/// Writes make the cells they need anyway; that these exist already is a hint.
Val Walker::no_activate(const Call &call) {
    for (size_t i = 0; i < call.args.size(); ++i) level_place(call.node, call_object_argument(call, i));
    return Val{};
}

// x[i] where x lies in a dynamic level and its last index is left out

Val Walker::dynamic_container(PyObject *field, const std::vector<ir::Value> &indices) {
    Val out;
    out.tag = Tag::container;
    out.object = PyRef::borrow(field);
    out.comps = indices;
    return out;
}

bool Walker::is_cell_method(PyObject *name) const {
    const auto is = [&](const char *what) { return PyUnicode_CompareWithASCIIString(name, what) == 0; };
    return is("append") || is("length") || is("deactivate");
}

/// Whether this field has one index that runs along a dynamic level: the field itself names the one container.
bool Walker::is_dynamic_line(const Node *node, PyObject *object) {
    const bool is_struct = kind_of(object) == Kind::struct_field;
    const FieldInfo *info = field_info(node, is_struct ? leaf_field(object).get() : object);
    return info->dims() == 1 && last_level(info->places[0]) == LevelKind::dynamic;
}

Val Walker::container_method(const Node *node, const Val &bound) {
    const std::string &name = bound.extra->name;
    const Val &self = bound.extra->self;
    const Call call = arguments(node, false);
    AtNode at(*this, node);
    PyObject *field = self.object.get();
    const bool is_struct = kind_of(field) == Kind::struct_field;
    const FieldInfo *info = field_info(node, is_struct ? leaf_field(field).get() : field);
    const uint32_t place = level_place(node, field);
    const size_t axis = fn_.places[place].levels.back().axes[0].axis;
    std::vector<ir::Value> indices; // in terms of the level, which has no offset
    for (size_t k = 0; k < self.comps.size(); ++k) {
        const ir::Value shift = b_.i32(info->offset[k < axis ? k : k + 1]);
        indices.push_back(b_.sub(self.comps[k], shift));
    }
    check_cell_bounds(place, indices);
    if (name == "length" && call.args.empty()) return length_of_container(place, std::move(indices));
    insert_dynamic_index(place, indices, b_.i32(0));
    const ir::Value cell = b_.place(place, indices);
    if (name == "deactivate" && call.args.empty()) {
        b_.deactivate(cell);
        return Val{};
    }
    if (name != "append" || call.args.size() != 1)
        fail(node, UserErrorKind::compilation,
             "a dynamic node has append(value), length() and deactivate(), not '" + name + "'");
    const ir::Value number = b_.emit(Op::append, {cell}, Scalar::i32);
    const ir::Value shift = b_.i32(info->offset[axis]);
    std::vector<Val> element;
    for (const ir::Value index : self.comps) element.push_back(scalar(index));
    element.insert(element.begin() + ptrdiff_t(axis), scalar(b_.add(number, shift)));
    const Val target = is_struct ? struct_field_element(node, field, element) : subscript_field(node, field, element);
    if (target.tag == Tag::record)
        store_record(node, target, call.args[0]);
    else
        store(node, *target.ref, call.args[0]);
    return scalar(number);
}

// Loops

Flow Walker::for_cells(const Node *node, uint32_t place, const Nest &settings) {
    check_loop_target(child(node, Field::target));
    Nest nest = settings;
    if (next_loop_) nest.settings = *next_loop_;
    next_loop_.reset();
    if (is_top_level() && !nest.settings.serialize) return cells_parallel(node, place, nest);
    if (has_break(items_of(node, Field::body)))
        fail_syntax(node, "Cannot break in a serial loop over the cells of a sparse field", "use a flag");
    frames_.back().loops.push_back({LoopContext::What::serial, 0});
    std::vector<ir::Value> units(fn_.places[place].shape.size());
    cells_serial(node, place, nest, 0, units);
    frames_.back().loops.pop_back();
    return Flow::next;
}

/// The body of a loop over cells, in blocks of its own: what the loop is made of goes on after it.
void Walker::cell_body(const Node *node, const std::vector<ir::Value> &indices, const Nest &nest, bool parallel) {
    const ir::Value always = b_.u1(true);
    const ir::Value branch = b_.if_(always);
    const ir::BlockId outer = b_.block;
    b_.block = fn_[branch].blocks[1];
    b_.yield();
    b_.block = outer;
    const auto body = [&](std::span<const ir::Value> own) {
        bind_loop_targets(node, own, nest);
        return parallel ? iteration(node) : loop_body(node);
    };
    body_in(fn_[branch].blocks[0], [&] {
        if (!nest.array) return body(indices);
        std::vector<ir::Value> elements;
        return each_in_word(*nest.array, indices, elements, [&] { return body(elements); });
    });
}

Flow Walker::cells_parallel(const Node *node, uint32_t place, const Nest &nest) {
    const uint64_t last = fn_.places[place].levels.size() - 1;
    const ir::Value pieces = b_.emit(Op::list, {}, Scalar::i32, place * ir::max_levels + last);
    const ir::Value zero = b_.i32(0);
    const ir::Value bounds[] = {zero, pieces};
    const ir::Value loop = b_.parallel(bounds, nest.settings);
    const ir::BlockId body = fn_[loop].blocks[0];
    frames_.back().loops.push_back({LoopContext::What::parallel, 0});
    const ir::BlockId outer_region = std::exchange(region_, body);
    body_in(body, [&] {
        Piece piece;
        piece.place = place;
        const ir::Value element = fn_[body].params[0];
        const auto value = [&](size_t k) {
            return b_.emit(Op::list_value, {element}, Scalar::i32, place * ir::max_levels + k);
        };
        piece.base = b_.emit(Op::list_cell, {element}, ir::Type::pointer(Scalar::u8), place * ir::max_levels);
        piece.begin = value(0);
        piece.end = value(1);
        for (size_t axis = 0; axis < fn_.places[place].shape.size(); ++axis) piece.at.push_back(value(2 + axis));
        piece_cells(node, piece, nest);
        return Flow::next;
    });
    region_ = outer_region;
    frames_.back().loops.pop_back();
    return Flow::next;
}

ir::Value Walker::byte_offset(ir::Value base, ir::Value cell, uint64_t bytes) {
    const ir::Value wide = b_.cast(cell, Scalar::i64);
    const ir::Value size = b_.i64(int64_t(bytes));
    const ir::Value distance = b_.mul(wide, size);
    return b_.offset(base, distance, Scalar::u8);
}

ir::Value Walker::byte_offset(ir::Value base, int64_t bytes) {
    if (!bytes) return base;
    const ir::Value distance = b_.i64(bytes);
    return b_.offset(base, distance, Scalar::u8);
}

void Walker::piece_cells(const Node *node, Piece &piece, const Nest &nest) {
    const ir::Place place = fn_.places[piece.place];
    const ir::PlaceLevel &last = place.levels.back();
    ir::Loop flags = nest.settings;
    flags.vectorize = true;
    switch (last.kind) {
    case LevelKind::pointer: piece.cell = piece.around = piece.base; return own_body(node, piece, piece.at, nest);
    case LevelKind::dynamic: {
        const ir::Value loop = b_.for_(piece.begin, piece.end, {}, flags);
        inside(fn_[loop].blocks[0], [&] {
            const ir::Value index = fn_[b_.block].params[0];
            const ir::Value position = b_.sub(index, piece.begin);
            piece.cell = piece.around = byte_offset(piece.base, position, last.cell_bytes);
            std::vector<ir::Value> at = piece.at;
            add_level_index(last.axes[0], index, at);
            own_body(node, piece, at, nest);
            b_.yield();
        });
        return;
    }
    case LevelKind::bitmasked: return mask_cells(node, piece, nest);
    case LevelKind::dense: {
        size_t first = place.levels.size() - 1;
        while (first > 0 && place.levels[first - 1].kind == LevelKind::dense) --first;
        piece.around = byte_offset(piece.base, -int64_t(place.levels[first].start));
        piece.cell = piece.base;
        return dense_cells(node, piece, nest, first, 0, piece.at);
    }
    }
}

/// at[axis] += index * divide
void Walker::add_level_index(const ir::PlaceAxis &axis, ir::Value index, std::vector<ir::Value> &at) {
    if (axis.divide != 1) {
        const ir::Value unit = b_.i32(int32_t(axis.divide));
        index = b_.mul(index, unit);
    }
    at[axis.axis] = b_.add(at[axis.axis], index);
}

/// Nested loops over the axes of the dense levels from `level` on; the first one runs over the rows of the piece.
void Walker::dense_cells(const Node *node, Piece &piece, const Nest &nest, size_t level, size_t axis,
                         const std::vector<ir::Value> &at) {
    const ir::Place place = fn_.places[piece.place];
    const bool first = axis == 0 && (level == 0 || place.levels[level - 1].kind != LevelKind::dense);
    const ir::PlaceLevel &here = place.levels[level];
    if (axis == here.axes.size()) {
        if (level + 1 == place.levels.size()) return own_body(node, piece, at, nest);
        const ir::Value outer = piece.cell;
        piece.cell = byte_offset(outer, int64_t(place.levels[level + 1].start));
        dense_cells(node, piece, nest, level + 1, 0, at);
        piece.cell = outer;
        return;
    }
    const ir::PlaceAxis &a = here.axes[axis];
    const ir::Value lo = first ? piece.begin : b_.i32(0);
    const ir::Value hi = first ? piece.end : b_.i32(int32_t(a.extent));
    ir::Loop flags = nest.settings;
    flags.vectorize = true;
    const ir::Value loop = b_.for_(lo, hi, {}, flags);
    inside(fn_[loop].blocks[0], [&] {
        const ir::Value index = fn_[b_.block].params[0];
        const ir::Value outer = piece.cell;
        piece.cell = byte_offset(outer, index, uint64_t(a.stride) * here.cell_bytes);
        std::vector<ir::Value> inner = at;
        add_level_index(a, index, inner);
        dense_cells(node, piece, nest, level, axis + 1, inner);
        piece.cell = outer;
        b_.yield();
    });
}

/// Word by word; in each the bits that are set, the lowest first.
void Walker::mask_cells(const Node *node, Piece &piece, const Nest &nest) {
    const ir::Place place = fn_.places[piece.place];
    const ir::PlaceLevel &level = place.levels.back();
    uint64_t cells = 1;
    for (const ir::PlaceAxis &axis : level.axes) cells *= axis.extent;
    piece.around = byte_offset(piece.base, -int64_t(level.start));
    const ir::Value first_cell = byte_offset(piece.base, int64_t((cells + 63) / 64 * 8));
    const ir::Value six = b_.i32(6);
    const ir::Value begin = b_.shr(piece.begin, six);
    const ir::Value end = b_.shr(piece.end, six);
    const ir::Value words = b_.for_(begin, end, {}, nest.settings);
    inside(fn_[words].blocks[0], [&] {
        const ir::Value number = fn_[b_.block].params[0];
        ir::Value at_word = byte_offset(piece.base, number, 8);
        at_word = byte_offset_as(at_word, Scalar::u64);
        const ir::Value word = b_.load(at_word);
        const ir::Value bits = b_.loop({&word, 1}, {});
        inside(fn_[bits].blocks[0], [&] {
            const ir::Value rest = fn_[b_.block].params[0];
            const ir::Value none = b_.constant(Scalar::u64, 0);
            const ir::Value done = b_.eq(rest, none);
            const ir::Value branch = b_.if_(done);
            inside(fn_[branch].blocks[0], [&] { b_.break_({&rest, 1}); });
            inside(fn_[branch].blocks[1], [&] { b_.yield(); });
            const ir::Value one = b_.constant(Scalar::u64, 1);
            const ir::Value below = b_.sub(rest, one);
            const ir::Value next = b_.band(rest, below);
            const ir::Value others = b_.bnot(rest);
            const ir::Value trailing = b_.band(others, below);
            const ir::Value count = b_.popcnt(trailing);
            const ir::Value bit = b_.cast(count, Scalar::i32);
            const ir::Value start = b_.shl(number, six);
            const ir::Value cell = b_.bor(start, bit);
            piece.cell = byte_offset(first_cell, cell, level.cell_bytes);
            std::vector<ir::Value> at = piece.at;
            for (const ir::PlaceAxis &axis : level.axes) add_level_index(axis, cell_coordinate(cell, axis, cells), at);
            own_body(node, piece, at, nest);
            b_.yield({&next, 1});
        });
        b_.yield();
    });
}

ir::Value Walker::byte_offset_as(ir::Value pointer, Scalar elem) {
    const ir::Value zero = b_.i64(0);
    return b_.offset(pointer, zero, elem);
}

/// cell / stride % extent, of a cell number that is not negative.
ir::Value Walker::cell_coordinate(ir::Value cell, const ir::PlaceAxis &axis, uint64_t cells) {
    const auto shifted = [](uint32_t n) { return n && !(n & (n - 1)); };
    ir::Value index = cell;
    if (axis.stride != 1) {
        const ir::Value by = b_.i32(int32_t(shifted(axis.stride) ? __builtin_ctz(axis.stride) : axis.stride));
        index = shifted(axis.stride) ? b_.shr(index, by) : b_.div(index, by);
    }
    if (uint64_t(axis.stride) * axis.extent == cells) return index; // the outermost
    const ir::Value by = b_.i32(int32_t(shifted(axis.extent) ? axis.extent - 1 : axis.extent));
    return shifted(axis.extent) ? b_.band(index, by) : b_.rem(index, by);
}

void Walker::own_body(const Node *node, const Piece &piece, const std::vector<ir::Value> &at, const Nest &nest) {
    std::vector<ir::Value> indices;
    for (size_t axis = 0; axis < at.size(); ++axis) {
        ir::Value index = at[axis];
        if (const int32_t offset = fn_.places[piece.place].index_offset[axis]) {
            const ir::Value shift = b_.i32(offset);
            index = b_.add(index, shift);
        }
        indices.push_back(b_.emit(Op::own_index, {index, piece.cell, piece.around}, Scalar::i32,
                                  piece.place * ir::max_levels + axis));
    }
    cell_body(node, indices, nest, true);
}

void Walker::inside(ir::BlockId target, const std::function<void()> &emit) {
    const ir::BlockId outer = std::exchange(b_.block, target);
    emit();
    b_.block = outer;
}

/// Loops over the axes of one level after the other; `units`: the indices in cells of the levels so far.
void Walker::cells_serial(const Node *node, uint32_t place, const Nest &nest, size_t level,
                          std::vector<ir::Value> &units) {
    const ir::Place whole = fn_.places[place];
    if (level == whole.levels.size()) {
        std::vector<ir::Value> indices;
        for (size_t axis = 0; axis < units.size(); ++axis) {
            const ir::Value shift = b_.i32(whole.index_offset[axis]);
            indices.push_back(b_.add(units[axis], shift));
        }
        return cell_body(node, indices, nest, false);
    }
    serial_axes(node, place, nest, level, 0, units);
}

uint32_t Walker::ancestor_place(uint32_t place, size_t depth) {
    const ir::Place above = layout::ancestor(fn_.places[place], depth);
    for (size_t i = 0; i < fn_.places.size(); ++i)
        if (fn_.places[i].level && fn_.places[i].tree == above.tree && fn_.places[i].levels == above.levels)
            return uint32_t(i);
    fn_.places.push_back(above);
    return uint32_t(fn_.places.size() - 1);
}

/// The cell of a level with the given unit indices, as a place of that level.
ir::Value Walker::unit_cell(uint32_t place, size_t depth, const std::vector<ir::Value> &units) {
    const uint32_t above = ancestor_place(place, depth);
    std::vector<ir::Value> own;
    for (const ir::Value unit : units)
        if (unit) own.push_back(unit);
    return b_.place(above, own);
}

void Walker::serial_axes(const Node *node, uint32_t place, const Nest &nest, size_t level, size_t axis,
                         std::vector<ir::Value> &units) {
    const ir::Place whole = fn_.places[place];
    const ir::PlaceLevel &here = whole.levels[level];
    const auto deeper = [&](const std::vector<ir::Value> &now) {
        std::vector<ir::Value> inner = now;
        cells_serial(node, place, nest, level + 1, inner);
    };
    if (axis == here.axes.size()) {
        if (!is_cell_kind(here.kind)) return deeper(units);
        const ir::Value cell = unit_cell(place, level + 1, units);
        const ir::Value exists = b_.emit(Op::is_active, {cell}, Scalar::u1);
        const ir::Value branch = b_.if_(exists);
        inside(fn_[branch].blocks[0], [&] {
            deeper(units);
            b_.yield();
        });
        inside(fn_[branch].blocks[1], [&] { b_.yield(); });
        return;
    }
    const ir::PlaceAxis &a = here.axes[axis];
    const ir::Value zero = b_.i32(0);
    ir::Value hi;
    if (here.kind == LevelKind::dynamic) {
        std::vector<ir::Value> first = units;
        first[a.axis] = zero;
        const ir::Value container = unit_cell(place, level + 1, first);
        hi = b_.emit(Op::length, {container}, Scalar::i32);
    } else {
        hi = b_.i32(int32_t(a.extent));
    }
    const ir::Value loop = b_.for_(zero, hi, {}, nest.settings);
    const size_t loops_before = fn_.loops.size();
    inside(fn_[loop].blocks[0], [&] {
        ir::Value index = fn_[b_.block].params[0];
        std::vector<ir::Value> inner = units;
        if (inner[a.axis]) {
            const ir::Value extent = b_.i32(int32_t(a.extent));
            const ir::Value scaled = b_.mul(inner[a.axis], extent);
            index = b_.add(scaled, index);
        }
        inner[a.axis] = index;
        serial_axes(node, place, nest, level, axis + 1, inner);
        b_.yield();
    });
    poll_in(loop, fn_.loops.size() > loops_before);
}

} // namespace qd::frontend
