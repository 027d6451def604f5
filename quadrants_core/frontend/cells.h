#pragma once
// Cells of sparse trees.
#include "frontend/loops.h"

namespace qd::frontend {

struct Call;

/// True if single cells of a level of this kind can be inactive.
inline bool is_cell_kind(ir::LevelKind kind) {
    return kind == ir::LevelKind::pointer || kind == ir::LevelKind::bitmasked;
}
uint32_t level_place(Walk &w, const Node *node, PyObject *object);
ir::LevelKind last_level(Walk &w, uint32_t place);
Val dynamic_container(PyObject *field, const std::vector<ir::Value> &indices);
bool is_cell_method(PyObject *name);
bool is_dynamic_line(Walk &w, const Node *node, PyObject *object);
Val container_method(Walk &w, const Val &bound, Call call);
Flow for_cells(Walk &w, const Node *node, uint32_t place, const Nest &nest);
void inside(Walk &w, ir::BlockId target, const std::function<void()> &emit);

} // namespace qd::frontend
