// Implementation of FieldTree, see field.h.
#include "engine/trees.h"
#include "python/bind/field.h"
#include "python/bind/ndarray.h"

#include <stdexcept>

namespace qd::bind {
namespace {

void need(bool ok, const char *what) {
    if (!ok) throw std::invalid_argument(what);
}

template <class List> bool has_item(const List &list, int at) { return at >= 0 && size_t(at) < list.size(); }

} // namespace

int FieldTree::add_node(int parent, int kind, const std::vector<std::pair<int, int>> &axes, uint32_t chunk) {
    need(!memory_, "the tree is finished");
    need(has_item(tree_.nodes, parent), "no such level");
    need(kind >= 0 && kind <= int(ir::LevelKind::dynamic), "no such kind of level");
    for (const auto &[axis, extent] : axes) need(axis >= 0 && axis < max_dims && extent > 0, "no such axis");
    return tree_.add_node(parent, ir::LevelKind(kind), axes, chunk);
}

int FieldTree::add_member(int node, const std::string &name, int elem, const std::vector<int> &offset) {
    need(!memory_, "the tree is finished");
    need(has_item(tree_.nodes, node), "no such level");
    need(elem > 0 && elem <= int(ir::Scalar::f64), "no such type");
    need(offset.size() <= size_t(max_dims), "too many offsets");
    return tree_.add_member(node, name, ir::Scalar(elem), offset);
}

void FieldTree::finish() {
    need(!memory_, "the tree is finished");
    auto memory = std::make_shared<TreeMemory>();
    uint64_t bytes = tree_.finish();
    std::vector<ir::Place> levels;
    for (size_t node = 1; node < tree_.nodes.size(); node++) levels.push_back(tree_.level_place(int(node), 0, 0));
    memory->bytes = bytes ? bytes : 1;
    memory->slot = runtime.program->trees().add(memory->bytes, levels);
    memory->memory = runtime.program->trees().memory(memory->slot);
    memory->generation = runtime.generation;
    memory_ = std::move(memory);
}

std::vector<std::pair<uint64_t, uint64_t>> FieldTree::node_bytes() const {
    std::vector<std::pair<uint64_t, uint64_t>> all;
    for (const layout::Node &node : tree_.nodes) all.emplace_back(node.cell_bytes, node.offset_in_parent);
    return all;
}

void FieldTree::destroy() {
    if (memory_) memory_->destroy();
}

uint32_t FieldTree::slot() const {
    need(memory_ != nullptr, "the tree is not finished");
    return memory_->slot;
}

PyObject *FieldTree::place(int member) {
    need(memory_ != nullptr, "the tree is not finished");
    need(has_item(tree_.members, member), "no such member");
    return make_place(tree_.place(member, memory_->slot, 0));
}

PyObject *FieldTree::level(int node) {
    need(memory_ != nullptr, "the tree is not finished");
    need(has_item(tree_.nodes, node), "no such level");
    return make_place(tree_.level_place(node, memory_->slot, 0));
}

} // namespace qd::bind
