#pragma once
// Field trees with levels that are not dense, as machine code and runtime see them. No code.
//
// A cell of a level holds its members and the containers of its child levels, at fixed bytes. The container of
//   dense      is its cells, one after the other;
//   bitmasked  is a mask, one bit per cell in words of 64 bits, then the cells. A cell exists if its bit is set;
//   pointer    is such a mask, then one 8-byte address per cell, null if there is none. Cells are allocated one by one.
//              A clear bit says that there is no cell; a set one that there may be;
//   dynamic    is a length (i32, padded to 8 bytes), then addresses of chunks. Chunk k holds the cells
//              [(2^k - 1) * first, (2^(k+1) - 1) * first). The chunks that the declared extent needs have their address
//              here; one more address leads to a table of those after it. If a chunk is there, so are the ones before.
// All memory starts as zeros. What lies below a cell that does not exist reads as zeros: SparseData::zeros.
#include <cstdint>
#include <string>
#include <vector>

namespace qd::abi {

struct Launch;

/// Same order as ir::LevelKind.
enum class LevelKind : uint8_t { dense, pointer, bitmasked, dynamic };

struct TreeAxis {
    uint8_t rank = 0; ///< which index
    uint32_t extent = 1, divide = 1, stride = 1;
};

/// One level. Its index along an axis is the sum over the levels down to it of (cell / stride % extent) * divide.
struct TreeLevel {
    uint32_t node = 0;
    std::vector<TreeAxis> axes;
};

struct TreeNode {
    LevelKind kind = LevelKind::dense;
    uint32_t parent = 0;
    uint64_t start = 0; ///< byte of the container in the parent's cell
    uint64_t cell_bytes = 0;
    uint64_t cells = 1;          ///< in one container
    uint64_t mask_bytes = 0;     ///< bitmasked, pointer
    uint32_t chunk = 0;          ///< dynamic: cells of the first chunk
    uint32_t chunks = 0;         ///< dynamic: addresses in the container, without the one more
    uint32_t rank = 0;           ///< number of indices of a cell
    std::vector<TreeLevel> path; ///< from below the root to this node
    std::vector<uint32_t> children;
};

/// Node 0 is the root: one cell.
struct Tree {
    std::vector<TreeNode> nodes;
};

/// An element of a list: the piece [begin, end) of one container of the node. Pieces
///  - of a dense level count its rows, cells that agree in their first index; `base` is the container of the outermost
///    level of the dense levels that end with the node;
///  - of a bitmasked level count cells, from a whole word on; `base` is the container;
///  - of a pointer level are one cell: `base`;
///  - of a dynamic level lie in one chunk; `base` is the cell `begin`.
/// The indices follow, i32 each: what the levels above the piece add up to (pointer: with the cell's own).
struct ListElement {
    char *base;
    int32_t begin, end;
};
inline constexpr uint64_t list_element_bytes(uint64_t rank) { return (sizeof(ListElement) + 4 * rank + 7) / 8 * 8; }

/// What tasks read of the sparse trees of a program.
struct SparseData {
    char *zeros = nullptr;               ///< as many as the largest cell has; never written
    char *const *const *lists = nullptr; ///< by tree slot and node: the elements
};

/// What tasks on the host ask of them.
struct SparseCalls {
    /// Address of a cell, which exists from now on. Thread-safe. Never null: without memory the launch fails, and what
    /// is written is lost.
    char *(*make_cell)(const Launch *, uint32_t tree, uint32_t node, char *container, int64_t cell);
    /// Dynamic, beyond the declared extent: the address of a cell, or zeros.
    char *(*find_cell)(const Launch *, uint32_t tree, uint32_t node, char *container, int64_t cell);
    /// Takes a cell away; dynamic: all cells. Its memory stays until the task ends.
    void (*drop_cell)(const Launch *, uint32_t tree, uint32_t node, char *container, int64_t cell);
    /// Makes the list of a node; returns its length. Called by a serial task.
    int32_t (*list)(const Launch *, uint32_t tree, uint32_t node);
};

} // namespace qd::abi
