// Loops over the active cells of a level.
#include "frontend/cells.h"

#include "frontend/builtins.h"
#include "frontend/control.h"
#include "frontend/loops.h"
#include "frontend/packed.h"
#include "frontend/scan.h"
#include "layout/layout.h"

#include <numeric>
#include <utility>

namespace qd::frontend {

/// Cells of one element of a list (abi/tree.h), while the loops over them are emitted.
struct Piece {
    uint32_t place = 0;
    ir::Value base, begin, end;
    std::vector<ir::Value> at; ///< indices where the piece begins
    ir::Value cell, around;    ///< the cell at hand; the one around the containers
};

using ir::LevelKind;

using ir::Op;

using ir::Scalar;

static Flow cells_parallel(Walk &w, const Node *node, uint32_t place, const Nest &nest);
static void piece_cells(Walk &w, const Node *node, Piece &piece, const Nest &nest);
static void add_level_index(Walk &w, const ir::PlaceAxis &axis, ir::Value index, std::vector<ir::Value> &at);
static void dense_cells(Walk &w, const Node *node, Piece &piece, const Nest &nest, size_t level, size_t axis,
                        const std::vector<ir::Value> &at);
static void mask_cells(Walk &w, const Node *node, Piece &piece, const Nest &nest);
static ir::Value byte_offset_as(Walk &w, ir::Value pointer, ir::Scalar elem);
static ir::Value cell_coordinate(Walk &w, ir::Value cell, const ir::PlaceAxis &axis, uint64_t cells);
static std::vector<ir::Value> with_offset(Walk &w, uint32_t place, std::vector<ir::Value> at);
static void own_body(Walk &w, const Node *node, const Piece &piece, const std::vector<ir::Value> &at, const Nest &nest);
static void cells_serial(Walk &w, const Node *node, uint32_t place, const Nest &nest, size_t level,
                         std::vector<ir::Value> &units);
static void serial_axes(Walk &w, const Node *node, uint32_t place, const Nest &nest, size_t level, size_t axis,
                        std::vector<ir::Value> &units);

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

/// The body of a loop over cells, in blocks of its own: what the loop is made of goes on after it.
static void cell_body(Walk &w, const Node *node, const std::vector<ir::Value> &indices, const Nest &nest,
                      bool parallel) {
    const ir::Value always = w.b.u1(true);
    const ir::Value branch = w.b.if_(always);
    const ir::BlockId outer = w.b.block;
    w.b.block = w.fn[branch].blocks[1];
    w.b.yield();
    w.b.block = outer;
    const auto body = [&](std::span<const ir::Value> own) {
        bind_loop_targets(w, node, own, nest);
        return parallel ? iteration(w, node) : loop_body(w, node);
    };
    body_in(w, w.fn[branch].blocks[0], [&] {
        if (!nest.array) return body(indices);
        std::vector<ir::Value> elements;
        return w.packed.each_in_word(*nest.array, indices, elements, [&] { return body(elements); });
    });
}

static Flow cells_parallel(Walk &w, const Node *node, uint32_t place, const Nest &nest) {
    const uint64_t last = w.fn.places[place].levels.size() - 1;
    const ir::Value pieces = w.b.emit(Op::list, {}, Scalar::i32, place * ir::max_levels + last);
    const ir::Value zero = w.b.i32(0);
    const ir::Value bounds[] = {zero, pieces};
    const ir::Value loop = w.b.parallel(bounds, nest.settings);
    const ir::BlockId body = w.fn[loop].blocks[0];
    w.frames.back().loops.push_back({LoopContext::What::parallel, 0});
    const ir::BlockId outer_region = std::exchange(w.region, body);
    body_in(w, body, [&] {
        Piece piece;
        piece.place = place;
        const ir::Value element = w.fn[body].params[0];
        const auto value = [&](size_t k) {
            return w.b.emit(Op::list_value, {element}, Scalar::i32, place * ir::max_levels + k);
        };
        piece.base = w.b.emit(Op::list_cell, {element}, ir::Type::pointer(Scalar::u8), place * ir::max_levels);
        piece.begin = value(0);
        piece.end = value(1);
        for (size_t axis = 0; axis < w.fn.places[place].shape.size(); ++axis) piece.at.push_back(value(2 + axis));
        piece_cells(w, node, piece, nest);
        return Flow::next;
    });
    w.region = outer_region;
    w.frames.back().loops.pop_back();
    return Flow::next;
}

static ir::Value byte_offset(Walk &w, ir::Value base, ir::Value cell, uint64_t bytes) {
    const ir::Value wide = w.b.cast(cell, Scalar::i64);
    const ir::Value size = w.b.i64(int64_t(bytes));
    const ir::Value distance = w.b.mul(wide, size);
    return w.b.offset(base, distance, Scalar::u8);
}

static ir::Value byte_offset(Walk &w, ir::Value base, int64_t bytes) {
    if (!bytes) return base;
    const ir::Value distance = w.b.i64(bytes);
    return w.b.offset(base, distance, Scalar::u8);
}

static void piece_cells(Walk &w, const Node *node, Piece &piece, const Nest &nest) {
    const ir::Place place = w.fn.places[piece.place];
    const ir::PlaceLevel &last = place.levels.back();
    ir::Loop flags = nest.settings;
    flags.vectorize = true;
    switch (last.kind) {
    case LevelKind::pointer: piece.cell = piece.around = piece.base; return own_body(w, node, piece, piece.at, nest);
    case LevelKind::dynamic: {
        const ir::Value loop = w.b.for_(piece.begin, piece.end, {}, flags);
        inside(w, w.fn[loop].blocks[0], [&] {
            const ir::Value index = w.fn[w.b.block].params[0];
            const ir::Value position = w.b.sub(index, piece.begin);
            piece.cell = piece.around = byte_offset(w, piece.base, position, last.cell_bytes);
            std::vector<ir::Value> at = piece.at;
            add_level_index(w, last.axes[0], index, at);
            own_body(w, node, piece, at, nest);
            w.b.yield();
        });
        return;
    }
    case LevelKind::bitmasked: return mask_cells(w, node, piece, nest);
    case LevelKind::dense: {
        size_t first = place.levels.size() - 1;
        while (first > 0 && place.levels[first - 1].kind == LevelKind::dense) --first;
        piece.around = byte_offset(w, piece.base, -int64_t(place.levels[first].start));
        piece.cell = piece.base;
        return dense_cells(w, node, piece, nest, first, 0, piece.at);
    }
    }
}

/// at[axis] += index * divide
static void add_level_index(Walk &w, const ir::PlaceAxis &axis, ir::Value index, std::vector<ir::Value> &at) {
    if (axis.divide != 1) {
        const ir::Value unit = w.b.i32(int32_t(axis.divide));
        index = w.b.mul(index, unit);
    }
    at[axis.axis] = w.b.add(at[axis.axis], index);
}

/// Nested loops over the axes of the dense levels from `level` on; the first one runs over the rows of the piece.
static void dense_cells(Walk &w, const Node *node, Piece &piece, const Nest &nest, size_t level, size_t axis,
                        const std::vector<ir::Value> &at) {
    const ir::Place place = w.fn.places[piece.place];
    const bool first = axis == 0 && (level == 0 || place.levels[level - 1].kind != LevelKind::dense);
    const ir::PlaceLevel &here = place.levels[level];
    if (axis == here.axes.size()) {
        if (level + 1 == place.levels.size()) return own_body(w, node, piece, at, nest);
        const ir::Value outer = piece.cell;
        piece.cell = byte_offset(w, outer, int64_t(place.levels[level + 1].start));
        dense_cells(w, node, piece, nest, level + 1, 0, at);
        piece.cell = outer;
        return;
    }
    const ir::PlaceAxis &a = here.axes[axis];
    const ir::Value lo = first ? piece.begin : w.b.i32(0);
    const ir::Value hi = first ? piece.end : w.b.i32(int32_t(a.extent));
    ir::Loop flags = nest.settings;
    flags.vectorize = true;
    const ir::Value loop = w.b.for_(lo, hi, {}, flags);
    inside(w, w.fn[loop].blocks[0], [&] {
        const ir::Value index = w.fn[w.b.block].params[0];
        const ir::Value outer = piece.cell;
        piece.cell = byte_offset(w, outer, index, uint64_t(a.stride) * here.cell_bytes);
        std::vector<ir::Value> inner = at;
        add_level_index(w, a, index, inner);
        dense_cells(w, node, piece, nest, level, axis + 1, inner);
        piece.cell = outer;
        w.b.yield();
    });
}

/// Word by word; in each the bits that are set, the lowest first.
static void mask_cells(Walk &w, const Node *node, Piece &piece, const Nest &nest) {
    const ir::Place place = w.fn.places[piece.place];
    const ir::PlaceLevel &level = place.levels.back();
    uint64_t cells = 1;
    for (const ir::PlaceAxis &axis : level.axes) cells *= axis.extent;
    piece.around = byte_offset(w, piece.base, -int64_t(level.start));
    const ir::Value first_cell = byte_offset(w, piece.base, int64_t((cells + 63) / 64 * 8));
    const auto indices_of_cell = [&](ir::Value cell) {
        std::vector<ir::Value> at = piece.at;
        for (const ir::PlaceAxis &axis : level.axes)
            add_level_index(w, axis, cell_coordinate(w, cell, axis, cells), at);
        return at;
    };
    const auto body_at = [&](ir::Value cell) {
        piece.cell = byte_offset(w, first_cell, cell, level.cell_bytes);
        own_body(w, node, piece, indices_of_cell(cell), nest);
    };
    if (w.request.mode == autodiff::Mode::reverse) { // a loop that can be run backward
        const ir::Value all = w.b.i32(int32_t(cells));
        const ir::Value loop = w.b.for_(piece.begin, w.b.min(piece.end, all), {}, nest.settings);
        inside(w, w.fn[loop].blocks[0], [&] {
            const ir::Value cell = w.fn[w.b.block].params[0];
            const ir::Value named = w.b.place(piece.place, with_offset(w, piece.place, indices_of_cell(cell)));
            const ir::Value branch = w.b.if_(w.b.emit(Op::is_active, {named}, Scalar::u1));
            inside(w, w.fn[branch].blocks[0], [&] {
                body_at(cell);
                w.b.yield();
            });
            inside(w, w.fn[branch].blocks[1], [&] { w.b.yield(); });
            w.b.yield();
        });
        return;
    }
    const ir::Value six = w.b.i32(6);
    const ir::Value begin = w.b.shr(piece.begin, six);
    const ir::Value end = w.b.shr(piece.end, six);
    const ir::Value words = w.b.for_(begin, end, {}, nest.settings);
    inside(w, w.fn[words].blocks[0], [&] {
        const ir::Value number = w.fn[w.b.block].params[0];
        ir::Value at_word = byte_offset(w, piece.base, number, 8);
        at_word = byte_offset_as(w, at_word, Scalar::u64);
        const ir::Value word = w.b.load(at_word);
        const ir::Value bits = w.b.loop({&word, 1}, {});
        inside(w, w.fn[bits].blocks[0], [&] {
            const ir::Value rest = w.fn[w.b.block].params[0];
            const ir::Value none = w.b.constant(Scalar::u64, 0);
            const ir::Value done = w.b.eq(rest, none);
            const ir::Value branch = w.b.if_(done);
            inside(w, w.fn[branch].blocks[0], [&] { w.b.break_({&rest, 1}); });
            inside(w, w.fn[branch].blocks[1], [&] { w.b.yield(); });
            const ir::Value one = w.b.constant(Scalar::u64, 1);
            const ir::Value below = w.b.sub(rest, one);
            const ir::Value next = w.b.band(rest, below);
            const ir::Value others = w.b.bnot(rest);
            const ir::Value trailing = w.b.band(others, below);
            const ir::Value count = w.b.popcnt(trailing);
            const ir::Value bit = w.b.cast(count, Scalar::i32);
            const ir::Value start = w.b.shl(number, six);
            body_at(w.b.bor(start, bit));
            w.b.yield({&next, 1});
        });
        w.b.yield();
    });
}

static ir::Value byte_offset_as(Walk &w, ir::Value pointer, Scalar elem) {
    const ir::Value zero = w.b.i64(0);
    return w.b.offset(pointer, zero, elem);
}

/// cell / stride % extent, of a cell number that is not negative.
static ir::Value cell_coordinate(Walk &w, ir::Value cell, const ir::PlaceAxis &axis, uint64_t cells) {
    const auto shifted = [](uint32_t n) { return n && !(n & (n - 1)); };
    ir::Value index = cell;
    if (axis.stride != 1) {
        const ir::Value by = w.b.i32(int32_t(shifted(axis.stride) ? __builtin_ctz(axis.stride) : axis.stride));
        index = shifted(axis.stride) ? w.b.shr(index, by) : w.b.div(index, by);
    }
    if (uint64_t(axis.stride) * axis.extent == cells) return index; // the outermost
    const ir::Value by = w.b.i32(int32_t(shifted(axis.extent) ? axis.extent - 1 : axis.extent));
    return shifted(axis.extent) ? w.b.band(index, by) : w.b.rem(index, by);
}

/// As the user counts.
static std::vector<ir::Value> with_offset(Walk &w, uint32_t place, std::vector<ir::Value> at) {
    for (size_t axis = 0; axis < at.size(); ++axis) {
        const int32_t offset = w.fn.places[place].index_offset[axis];
        if (!offset) continue;
        const ir::Value shift = w.b.i32(offset);
        at[axis] = w.b.add(at[axis], shift);
    }
    return at;
}

static void own_body(Walk &w, const Node *node, const Piece &piece, const std::vector<ir::Value> &at,
                     const Nest &nest) {
    std::vector<ir::Value> indices = with_offset(w, piece.place, at);
    for (size_t axis = 0; axis < at.size(); ++axis)
        indices[axis] = w.b.emit(Op::own_index, {indices[axis], piece.cell, piece.around}, Scalar::i32,
                                 piece.place * ir::max_levels + axis);
    cell_body(w, node, indices, nest, true);
}

void inside(Walk &w, ir::BlockId target, const std::function<void()> &emit) {
    const ir::BlockId outer = std::exchange(w.b.block, target);
    emit();
    w.b.block = outer;
}

/// Loops over the axes of one level after the other; `units`: the indices in cells of the levels so far.
static void cells_serial(Walk &w, const Node *node, uint32_t place, const Nest &nest, size_t level,
                         std::vector<ir::Value> &units) {
    const ir::Place whole = w.fn.places[place];
    if (level == whole.levels.size()) {
        std::vector<ir::Value> indices;
        for (size_t axis = 0; axis < units.size(); ++axis) {
            const ir::Value shift = w.b.i32(whole.index_offset[axis]);
            indices.push_back(w.b.add(units[axis], shift));
        }
        return cell_body(w, node, indices, nest, false);
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

/// The cell of a level with the given unit indices, as a place of that level.
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
