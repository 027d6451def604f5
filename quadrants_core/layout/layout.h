#pragma once
// How fields are stored: a tree of levels as the user builds it (qd.root.dense(...).place(...)), turned into byte
// offsets and ir::Place records. Extents are exact: nothing is padded to powers of two.
#include "ir/function.h"

#include <string>
#include <vector>

namespace qd::layout {

/// One node of a tree as built by the user. Node 0 is the root.
struct Node {
    ir::LevelKind kind = ir::LevelKind::dense;
    int parent = -1;
    std::vector<std::pair<int, int>> axes; ///< (axis, extent) of this level, in storage order, outermost first
    std::vector<int> children;             ///< nodes and places, in order of creation: >= 0 node, < 0: place ~c
    uint64_t cell_bytes = 0;               ///< filled by `finish`
    uint64_t offset_in_parent = 0;
    uint64_t count = 1; ///< cells of this level in one parent cell
};

struct Member {
    std::string name;
    ir::Scalar elem;
    int node = 0; ///< the level it is placed in
    std::vector<int> index_offset;
    uint64_t byte_offset = 0; ///< filled by `finish`
};

struct Tree {
    std::vector<Node> nodes = std::vector<Node>(1);
    std::vector<Member> members;
    int add_node(int parent, ir::LevelKind kind, std::vector<std::pair<int, int>> axes);
    int add_member(int node, std::string name, ir::Scalar elem, std::vector<int> index_offset);
    /// Computes sizes and offsets, members aligned to their size; the bytes of the root cell.
    uint64_t finish();
    ir::Place place(int member, uint32_t tree_slot, uint32_t id) const;
    std::vector<int> shape(int member) const;
};

/// Byte address of one element relative to the tree's base, for host access and the interpreter. Dense levels only.
uint64_t address(const ir::Place &place, const int32_t *indices);

} // namespace qd::layout
