#pragma once
// Storage layout of fields: a tree of levels as built by the user (qd.root.dense(...).place(...)), turned into byte offsets and ir::Place
// entries. Extents are exact: nothing is padded to powers of two.
#include "ir/function.h"

#include <string>
#include <vector>

namespace qd::layout {

/// A node of a tree as built by the user. Node 0 is the root.
struct Node {
    ir::LevelKind kind = ir::LevelKind::dense;
    int parent = -1;
    std::vector<std::pair<int, int>> axes; ///< (axis, extent) of this level, in storage order, outermost first
    uint32_t chunk = 0;                    ///< dynamic: cells of the first chunk
    std::vector<int> children;             ///< nodes and members, in order of creation: >= 0: node, < 0: member ~c
    uint64_t cell_bytes = 0;               ///< filled by `finish`
    uint64_t offset_in_parent = 0;
    uint64_t count = 1; ///< cells of this level in one parent cell
};

struct Member {
    std::string name;
    ir::Scalar elem;
    int node = 0; ///< level that contains it
    std::vector<int> index_offset;
    uint64_t byte_offset = 0; ///< filled by `finish`
};

struct Tree {
    std::vector<Node> nodes = std::vector<Node>(1);
    std::vector<Member> members;
    int add_node(int parent, ir::LevelKind kind, std::vector<std::pair<int, int>> axes, uint32_t chunk = 0);
    int add_member(int node, std::string name, ir::Scalar elem, std::vector<int> index_offset);
    /// Computes sizes and offsets; members are aligned to their size. Returns the bytes of the root cell.
    uint64_t finish();
    ir::Place place(int member, uint32_t tree_slot, uint32_t id) const;
    /// Returns the place of the cells of a level, for ops on cells.
    ir::Place level_place(int node, uint32_t tree_slot, uint32_t id) const;
    std::vector<int> shape(int node) const;

  private:
    void fill_path(ir::Place &place, int node) const;
};

/// Returns the place of the cells that contain `place`, `depth` levels below the root.
ir::Place ancestor(const ir::Place &place, size_t depth);

/// Returns the number of a cell within its container.
uint64_t cell_number(const ir::Place &place, const ir::PlaceLevel &level, const int32_t *indices);
/// Returns the address of an element, computed from the root of the tree downwards. `step(level, container, cell)` returns the address of a
/// cell of a level that is not dense.
template <class Step> char *address(const ir::Place &place, const int32_t *indices, char *root, Step &&step) {
    char *at = root;
    for (const ir::PlaceLevel &level : place.levels) {
        const uint64_t cell = cell_number(place, level, indices);
        at += level.start;
        at = level.kind == ir::LevelKind::dense ? at + cell * level.cell_bytes : step(level, at, cell);
    }
    return at + place.byte_offset;
}
/// Returns the byte offset from the root of the tree, for places with dense levels only.
uint64_t address(const ir::Place &place, const int32_t *indices);

} // namespace qd::layout
