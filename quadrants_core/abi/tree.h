#pragma once
// Field trees with levels that are not dense, as seen by machine code and runtime. No code.
//
// A cell of a level holds its members and the containers of its child levels, at fixed byte offsets. The container of
//   dense      is its cells, one after the other;
//   bitmasked  is a mask, one bit per cell in words of 64 bits, then the cells. A cell exists if its bit is set;
//   pointer    is such a mask, then one 8-byte address per cell, null if there is none. Cells are allocated one by one.
//              A clear bit says that there is no cell; a set bit that there may be one;
//   dynamic    is a length (i32, padded to 8 bytes), then addresses of chunks. Chunk k holds the cells
//              [(2^k - 1) * first, (2^(k+1) - 1) * first). The addresses of the chunks that the declared extent needs are
//              stored here; one more address leads to a table of further chunks. If a chunk exists, so do the earlier ones.
// All memory starts as zeros. Everything below a cell that does not exist reads as zeros: SparseData::zeros.
#include <cstdint>
#include <string>
#include <vector>

namespace qd::abi {

struct Launch;

/// Same order as ir::LevelKind.
enum class LevelKind : uint8_t { dense, pointer, bitmasked, dynamic };

struct TreeAxis {
    uint8_t rank = 0; ///< the index that it contributes to
    uint32_t extent = 1, divide = 1, stride = 1;
};

/// One level. The index along an axis is the sum over the levels down to this one of (cell / stride % extent) * divide.
struct TreeLevel {
    uint32_t node = 0;
    std::vector<TreeAxis> axes;
};

struct TreeNode {
    LevelKind kind = LevelKind::dense;
    uint32_t parent = 0;
    uint64_t start = 0; ///< byte offset of the container in the parent's cell
    uint64_t cell_bytes = 0;
    uint64_t cells = 1;          ///< in one container
    uint64_t mask_bytes = 0;     ///< bitmasked, pointer
    uint32_t chunk = 0;          ///< dynamic: cells of the first chunk
    uint32_t chunks = 0;         ///< dynamic: addresses in the container, without the extra one
    uint32_t rank = 0;           ///< number of indices of a cell
    std::vector<TreeLevel> path; ///< from below the root to this node
    std::vector<uint32_t> children;
};

/// Node 0 is the root: one cell.
struct Tree {
    std::vector<TreeNode> nodes;
};

/// An element of a list: the piece [begin, end) of one container of the node. Pieces
///  - of a dense level count its rows, cells that share their first index; `base` is the container of the outermost
///    level of the dense levels that end with the node;
///  - of a bitmasked level count cells, starting at a whole word; `base` is the container;
///  - of a pointer level are one cell: `base`;
///  - of a dynamic level lie in one chunk; `base` is the cell `begin`.
/// The indices follow, i32 each: the sums over the levels above the piece (pointer: including the cell's own index).
struct ListElement {
    char *base;
    int32_t begin, end;
};
inline constexpr uint64_t list_element_bytes(uint64_t rank) { return (sizeof(ListElement) + 4 * rank + 7) / 8 * 8; }

/// The data of a program's sparse trees that tasks read.
struct SparseData {
    char *zeros = nullptr;               ///< as many bytes as the largest cell; never written
    char *const *const *lists = nullptr; ///< by tree slot and node: the elements
};

/// Functions of the sparse trees that tasks on the host call.
struct SparseCalls {
    /// Returns the address of a cell and creates it if needed. Thread-safe. Never null: if out of memory, the launch fails and writes to
    /// the cell are lost.
    char *(*make_cell)(const Launch *, uint32_t tree, uint32_t node, char *container, int64_t cell);
    /// For dynamic levels, beyond the declared extent: the address of a cell, or zeros.
    char *(*find_cell)(const Launch *, uint32_t tree, uint32_t node, char *container, int64_t cell);
    /// Removes a cell; of a dynamic level, all cells. The memory is kept until the task ends.
    void (*drop_cell)(const Launch *, uint32_t tree, uint32_t node, char *container, int64_t cell);
    /// Builds the list of a node and returns its length. Called by a serial task.
    int32_t (*list)(const Launch *, uint32_t tree, uint32_t node);
};

} // namespace qd::abi
