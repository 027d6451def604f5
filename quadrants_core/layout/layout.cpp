// A cell of a level contains its members and child levels in sequence, each aligned; a dense level is `count` consecutive cells, the first
// listed axis outermost. An index is decomposed like a mixed-radix number: at each level, the index divided by the product of the extents
// below, modulo the extent of the level, selects the cell.
#include "layout/layout.h"

#include "base/error.h"
#include "layout/containers.h"

#include <algorithm>
#include <limits>
#include <map>

namespace qd::layout {

namespace {

uint64_t align_up(uint64_t n, uint64_t a) { return (n + a - 1) / a * a; }

/// Returns the levels from the outermost one, just below the root, to `node`.
std::vector<int> path(const Tree &tree, int node) {
    std::vector<int> nodes;
    for (; node > 0; node = tree.nodes[size_t(node)].parent) nodes.push_back(node);
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
}

/// Returns the rank of each axis on the path, which is the position of its index among those of a field. Ranks follow the order of axes.
std::map<int, int> axis_ranks(const Tree &tree, const std::vector<int> &nodes) {
    std::map<int, int> ranks;
    for (int n : nodes)
        for (auto [axis, extent] : tree.nodes[size_t(n)].axes) ranks[axis] = 0;
    int rank = 0;
    for (auto &[axis, r] : ranks) r = rank++;
    return ranks;
}

/// Returns the distance in bytes from a level below the root to the next one. For large levels it is not a multiple of the page size: one
/// page covers the sets of the L1 cache exactly once, so loops over several fields would conflict in a few sets. Levels of equal size are
/// equally far apart.
uint64_t spacing_of(uint64_t bytes) {
    constexpr uint64_t page = 4096, from = 4 * page, line = 64, lines_apart = 19;
    const uint64_t spare = lines_apart * line;
    return bytes < from ? bytes : align_up(bytes - spare, page) + spare;
}

/// Computes the cell size of a level and the offsets in its cells, after those of its child levels. Returns the alignment of the cells.
uint64_t finish_cell(Tree &tree, Node &node, const std::vector<uint64_t> &alignment) {
    uint64_t at = 0, end = 0, align = 1;
    for (int child : node.children) {
        if (child < 0) {
            Member &m = tree.members[size_t(~child)];
            uint64_t size = uint64_t(ir::size_of(m.elem));
            m.byte_offset = align_up(at, size);
            at = m.byte_offset + size;
            align = std::max(align, size);
        } else {
            Node &c = tree.nodes[size_t(child)];
            const uint64_t own = c.kind == ir::LevelKind::dense ? alignment[size_t(child)] : 8;
            c.offset_in_parent = align_up(at, own);
            const uint64_t bytes = container_bytes(c.kind, c.count, c.cell_bytes, c.chunk);
            end = c.offset_in_parent + bytes;
            at = c.offset_in_parent + (node.parent < 0 ? spacing_of(bytes) : bytes);
            align = std::max(align, own);
            continue;
        }
        end = at;
    }
    at = end; // no distance after the last child
    node.cell_bytes = align_up(at, align);
    return align;
}

} // namespace

int Tree::add_node(int parent, ir::LevelKind kind, std::vector<std::pair<int, int>> axes, uint32_t chunk) {
    Node node;
    node.kind = kind;
    node.chunk = chunk;
    node.parent = parent;
    node.axes = std::move(axes);
    int id = int(nodes.size());
    nodes.push_back(std::move(node));
    nodes[size_t(parent)].children.push_back(id);
    return id;
}

int Tree::add_member(int node, std::string name, ir::Scalar elem, std::vector<int> index_offset) {
    int id = int(members.size());
    members.push_back({std::move(name), elem, node, std::move(index_offset), 0});
    nodes[size_t(node)].children.push_back(~id);
    return id;
}

uint64_t Tree::finish() {
    // A parent is created before its children, so reverse order visits every child before its parent.
    std::vector<uint64_t> alignment(nodes.size(), 1);
    for (size_t n = nodes.size(); n-- > 0;) {
        Node &node = nodes[n];
        node.count = 1;
        for (auto [axis, extent] : node.axes) {
            QD_CHECK(extent > 0, "extent of axis " + std::to_string(axis) + " is " + std::to_string(extent));
            node.count *= uint64_t(extent);
            if (node.count > std::numeric_limits<uint32_t>::max())
                fail_user(UserErrorKind::runtime, "a field level of more than 2^32 cells is too large", {},
                          "split it over nested levels or several fields");
        }
        alignment[n] = finish_cell(*this, node, alignment);
    }
    return nodes[0].cell_bytes;
}

ir::Place Tree::place(int member, uint32_t tree_slot, uint32_t id) const {
    const Member &m = members[size_t(member)];
    ir::Place place;
    place.name = m.name;
    place.elem = m.elem;
    place.tree = tree_slot;
    place.id = id;
    place.byte_offset = m.byte_offset;
    fill_path(place, m.node);
    place.index_offset.assign(m.index_offset.begin(), m.index_offset.end());
    place.index_offset.resize(place.shape.size(), 0);
    return place;
}

ir::Place Tree::level_place(int node, uint32_t tree_slot, uint32_t id) const {
    ir::Place place;
    place.name = "S" + std::to_string(node);
    place.elem = ir::Scalar::u8;
    place.tree = tree_slot;
    place.id = id;
    place.level = true;
    fill_path(place, node);
    place.index_offset.resize(place.shape.size(), 0);
    return place;
}

void Tree::fill_path(ir::Place &place, int last) const {
    place.shape = shape(last);
    std::vector<int> nodes_on_path = path(*this, last);
    std::map<int, int> ranks = axis_ranks(*this, nodes_on_path);
    std::vector<uint32_t> below(ranks.size(), 1); // product of the extents so far, from the deepest level upwards
    for (size_t l = nodes_on_path.size(); l-- > 0;) {
        const Node &node = nodes[size_t(nodes_on_path[l])];
        ir::PlaceLevel level{node.kind, node.offset_in_parent, node.cell_bytes, uint32_t(nodes_on_path[l]), node.chunk,
                             {}};
        uint32_t stride = 1;
        for (size_t a = node.axes.size(); a-- > 0;) {
            auto [axis, extent] = node.axes[a];
            int rank = ranks[axis];
            level.axes.push_back({uint8_t(rank), uint32_t(extent), below[size_t(rank)], stride});
            stride *= uint32_t(extent);
            below[size_t(rank)] *= uint32_t(extent);
        }
        std::reverse(level.axes.begin(), level.axes.end());
        place.levels.push_back(std::move(level));
    }
    std::reverse(place.levels.begin(), place.levels.end());
}

std::vector<int> Tree::shape(int node) const {
    std::vector<int> nodes_on_path = path(*this, node);
    std::map<int, int> ranks = axis_ranks(*this, nodes_on_path);
    std::vector<int> extents(ranks.size(), 1);
    for (int n : nodes_on_path)
        for (auto [axis, extent] : nodes[size_t(n)].axes) extents[size_t(ranks[axis])] *= extent;
    return extents;
}

ir::Place ancestor(const ir::Place &place, size_t depth) {
    ir::Place above = place;
    above.elem = ir::Scalar::u8;
    above.byte_offset = 0;
    above.level = true;
    above.levels.resize(depth);
    above.shape.clear();
    above.index_offset.clear();
    for (size_t axis = 0; axis < place.shape.size(); ++axis) {
        uint32_t extent = 1;
        bool has_axis = false;
        for (size_t l = depth; l-- > 0;)
            for (size_t a = above.levels[l].axes.size(); a-- > 0;) {
                ir::PlaceAxis &x = above.levels[l].axes[a];
                if (place.levels[l].axes[a].axis != axis) continue;
                has_axis = true;
                x.axis = uint8_t(above.shape.size());
                x.divide = extent;
                extent *= x.extent;
            }
        if (has_axis) above.shape.push_back(int32_t(extent));
    }
    above.index_offset.resize(above.shape.size(), 0);
    above.name = "S" + std::to_string(depth ? above.levels.back().node : 0);
    return above;
}

/// True if a level above `level` divides the axis too. If none does, a dynamic level may grow beyond its declared extent.
static bool has_outer_level(const ir::Place &place, const ir::PlaceLevel &level, uint8_t axis) {
    for (const ir::PlaceLevel &above : place.levels) {
        if (&above == &level || above.node == level.node) return false;
        for (const ir::PlaceAxis &a : above.axes)
            if (a.axis == axis) return true;
    }
    return false;
}

uint64_t cell_number(const ir::Place &place, const ir::PlaceLevel &level, const int32_t *indices) {
    uint64_t cell = 0;
    for (const ir::PlaceAxis &a : level.axes) {
        uint32_t index = (uint32_t(indices[a.axis]) - uint32_t(place.index_offset[a.axis])) / a.divide;
        const bool open = level.kind == ir::LevelKind::dynamic && !has_outer_level(place, level, a.axis);
        cell += uint64_t(open ? index : index % a.extent) * a.stride;
    }
    return cell;
}

uint64_t address(const ir::Place &place, const int32_t *indices) {
    uint64_t at = 0;
    for (const ir::PlaceLevel &level : place.levels)
        at += level.start + cell_number(place, level, indices) * level.cell_bytes;
    return at + place.byte_offset;
}

} // namespace qd::layout
