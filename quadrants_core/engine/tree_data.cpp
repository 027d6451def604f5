#include "engine/tree_data.h"

#include "layout/containers.h"
#include "layout/layout.h"

#include <algorithm>

namespace qd::engine {
namespace {

static_assert(int(ir::LevelKind::dynamic) == int(abi::LevelKind::dynamic));
static_assert(int(ir::LevelKind::bitmasked) == int(abi::LevelKind::bitmasked));

abi::TreeNode describe_level(const ir::Place &place, size_t depth) {
    const ir::Place cells = layout::ancestor(place, depth);
    const ir::PlaceLevel &level = cells.levels.back();
    abi::TreeNode node;
    node.kind = abi::LevelKind(level.kind);
    node.parent = depth > 1 ? cells.levels[depth - 2].node : 0;
    node.start = level.start;
    node.cell_bytes = level.cell_bytes;
    node.cells = layout::cells_of(level);
    node.mask_bytes = layout::mask_bytes(level);
    node.chunk = level.chunk;
    if (level.kind == ir::LevelKind::dynamic) node.chunks = layout::chunks_for(node.cells, level.chunk);
    node.rank = uint32_t(cells.shape.size());
    for (const ir::PlaceLevel &above : cells.levels) {
        abi::TreeLevel &step = node.path.emplace_back();
        step.node = above.node;
        for (const ir::PlaceAxis &axis : above.axes)
            step.axes.push_back({axis.axis, axis.extent, axis.divide, axis.stride});
    }
    return node;
}

} // namespace

abi::Tree describe_tree(std::span<const ir::Place> places) {
    abi::Tree tree;
    tree.nodes.resize(1);
    for (const ir::Place &place : places)
        for (size_t depth = 1; depth <= place.levels.size(); ++depth) {
            const uint32_t number = place.levels[depth - 1].node;
            if (tree.nodes.size() <= number) tree.nodes.resize(number + 1);
            if (!tree.nodes[number].path.empty()) continue;
            tree.nodes[number] = describe_level(place, depth);
            tree.nodes[tree.nodes[number].parent].children.push_back(number);
        }
    return tree;
}

} // namespace qd::engine
