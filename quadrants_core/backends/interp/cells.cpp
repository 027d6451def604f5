#include "backends/interp/cells.h"

#include "layout/layout.h"

namespace qd::backends::interpreter {

uint64_t Cells::pointer(Value v, bool writes) {
    const Inst &in = fn()[v];
    if (in.op == Op::offset) return pointer(fn().args(v)[0], writes) + values_.arg(v, 1);
    if (in.op != Op::place || !is_sparse(fn().places[in.imm])) return values_.get(v);
    const Place &place = fn().places[in.imm];
    return number_of(find(v, place.levels.size(), writes)) + place.byte_offset;
}

/// Returns the cell, `depth` levels below the root, that contains a place; `make`: creates missing cells.
char *Cells::find(Value v, size_t depth, bool make) {
    Place place = fn().places[fn()[v].imm];
    place.levels.resize(depth);
    place.byte_offset = 0;
    int32_t indices[16] = {};
    for (size_t a = 0; a < fn().args(v).size() && a < 16; ++a) indices[a] = int32_t(values_.index(fn().args(v)[a]));
    return layout::address(place, indices, launch_.stream.trees[place.tree],
                           [&](const PlaceLevel &level, char *container, uint64_t number) {
                               return make ? trees().make(place.tree, level.node, container, int64_t(number))
                                           : trees().find(place.tree, level.node, container, int64_t(number));
                           });
}

void Cells::cell(Value v) {
    const CellOp op = CellOp(fn()[v].op);
    Value named = fn().args(v)[0];
    if (op == CellOp::address) return values_.set(v, pointer(named, false));
    const Place &place = fn().places[fn()[named].imm];
    const PlaceLevel &level = place.levels.back();
    if (op == CellOp::activate) {
        find(named, place.levels.size(), true);
        return;
    }
    char *container = find(named, place.levels.size() - 1, op == CellOp::append) + level.start;
    int32_t indices[16] = {};
    for (size_t a = 0; a < fn().args(named).size() && a < 16; ++a)
        indices[a] = int32_t(values_.index(fn().args(named)[a]));
    int64_t number = int64_t(layout::cell_number(place, level, indices));
    switch (op) {
    case CellOp::is_active: return values_.set(v, trees().exists(place.tree, level.node, container, number));
    case CellOp::deactivate: return trees().drop(place.tree, level.node, container, number);
    case CellOp::append: return values_.set(v, uint32_t(trees().append(place.tree, level.node, container)));
    case CellOp::length: return values_.set(v, *reinterpret_cast<uint32_t *>(container));
    case CellOp::activate:
    case CellOp::address: return;
    }
}

void Cells::step(Value v) {
    const Inst &in = fn()[v];
    const Place &place = fn().places[place_of(in)];
    const auto node = [&] { return place.levels[level_of(in)].node; };
    const auto container = [&] { return at_address(values_.arg(v, 0)); };
    const auto number = [&] { return values_.index(fn().args(v)[1]); };
    uint64_t result = 0;
    switch (StepOp(in.op)) {
    case StepOp::find_cell: result = number_of(trees().find(place.tree, node(), container(), number())); break;
    case StepOp::make_cell: result = number_of(trees().make(place.tree, node(), container(), number())); break;
    case StepOp::drop_cell: return trees().drop(place.tree, node(), container(), number());
    case StepOp::has_cell: result = trees().exists(place.tree, node(), container(), number()); break;
    case StepOp::new_cell: result = uint32_t(trees().append(place.tree, node(), container())); break;
    case StepOp::count_cells: result = *reinterpret_cast<uint32_t *>(container()); break;
    case StepOp::list: result = uint32_t(trees().make_list(place.tree, place.levels.back().node)); break;
    case StepOp::list_cell: result = memory_.read(element(v), Scalar::u64); break;
    case StepOp::list_value: result = memory_.read(element(v) + 8 + 4 * level_of(in), Scalar::i32); break;
    case StepOp::own_index: result = values_.arg(v, 0); break;
    }
    values_.set(v, result);
}

uint64_t Cells::element(Value v) {
    const Place &place = fn().places[place_of(fn()[v])];
    const char *elements = trees().elements(place.tree, place.levels.back().node);
    return number_of(elements) + uint64_t(values_.index(fn().args(v)[0])) * abi::list_element_bytes(place.shape.size());
}

} // namespace qd::backends::interpreter
