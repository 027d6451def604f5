#pragma once
// Sizes of the containers of levels that are not dense, in bytes of the parent's cell. abi/tree.h defines their contents.
#include "ir/function.h"

namespace qd::layout {

/// Number of cells of a level in one cell of its parent.
inline uint64_t cells_of(const ir::PlaceLevel &level) {
    uint64_t cells = 1;
    for (const ir::PlaceAxis &axis : level.axes) cells *= axis.extent;
    return cells;
}

/// Size of the mask, one bit per cell in words of 64, in front of the cells (bitmasked) or addresses (pointer). 0 for other levels.
inline uint64_t mask_bytes(ir::LevelKind kind, uint64_t cells) {
    return kind == ir::LevelKind::bitmasked || kind == ir::LevelKind::pointer ? (cells + 63) / 64 * 8 : 0;
}
inline uint64_t mask_bytes(const ir::PlaceLevel &level) { return mask_bytes(level.kind, cells_of(level)); }

/// Dynamic: number of chunks that hold `cells` cells, each chunk twice as large as the one before.
inline uint32_t chunks_for(uint64_t cells, uint32_t first_chunk) {
    uint32_t chunks = 1;
    while (((uint64_t(1) << chunks) - 1) * first_chunk < cells) ++chunks;
    return chunks;
}

/// Size of a level in its parent's cell, in bytes.
inline uint64_t container_bytes(ir::LevelKind kind, uint64_t cells, uint64_t cell_bytes, uint32_t first_chunk) {
    switch (kind) {
    case ir::LevelKind::dense: return cells * cell_bytes;
    case ir::LevelKind::bitmasked: return mask_bytes(kind, cells) + cells * cell_bytes;
    case ir::LevelKind::pointer: return mask_bytes(kind, cells) + cells * 8;
    case ir::LevelKind::dynamic: return 8 + 8 * (uint64_t(chunks_for(cells, first_chunk)) + 1);
    }
    return 0;
}

} // namespace qd::layout
