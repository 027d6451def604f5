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

using ir::LevelKind;

using ir::Op;

using ir::Scalar;

static Flow cells_parallel(Walk &w, const Node *node, uint32_t place, const Nest &nest);
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
