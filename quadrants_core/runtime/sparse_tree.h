#pragma once
// One sparse tree: its levels, their pools, its garbage, its lists.
#include "runtime/sparse.h"

#include <bit>

namespace qd::runtime {

inline uint64_t &word_at(char *p, uint64_t i) { return reinterpret_cast<uint64_t *>(p)[i]; }
inline uint64_t load_word(const char *p, uint64_t i) {
    return __atomic_load_n(reinterpret_cast<const uint64_t *>(p) + i, __ATOMIC_ACQUIRE);
}
inline int32_t load_length(const char *container) {
    return __atomic_load_n(reinterpret_cast<const int32_t *>(container), __ATOMIC_ACQUIRE);
}

/// The position of a cell of a dynamic level.
struct ChunkPlace {
    uint32_t chunk;
    uint64_t cell; ///< within the chunk
};
inline ChunkPlace chunk_place(const abi::TreeNode &node, uint64_t cell) {
    const uint64_t q = cell / node.chunk + 1;
    const uint32_t chunk = uint32_t(63 - std::countl_zero(q));
    return {chunk, cell - ((uint64_t(1) << chunk) - 1) * node.chunk};
}
inline uint64_t chunk_cells(const abi::TreeNode &node, uint32_t chunk) { return uint64_t(node.chunk) << chunk; }
inline constexpr uint32_t more_chunks = 32; ///< addresses in the table of chunks beyond the declared extent

struct SparseTrees::Tree {
    abi::Tree data;
    char *root;
    std::vector<bool> owns_memory; ///< by node: true if it or a level below it is pointer or dynamic
    std::vector<std::vector<std::unique_ptr<CellPool>>> pools; ///< by node: pools of cells, or of chunks by number
    std::unique_ptr<CellPool> chunk_tables;
    struct Dropped {
        uint32_t node, chunk;
        char *memory;
    };
    ForkLockedMutex lock; ///< guards `dropped` and the creation of pools
    std::vector<Dropped> dropped;
    std::vector<std::vector<char>> lists; ///< by node
    std::vector<char *> list_addresses;   ///< by node

    Tree(abi::Tree tree, char *root, const BlockSource &source, int threads);

    CellPool &pool(uint32_t node, uint32_t chunk) { return *pools[node][chunk]; }
    /// The slot of a chunk's address; null if it is in a table that does not exist.
    uint64_t *chunk_slot(const abi::TreeNode &node, char *container, uint32_t chunk, bool make);
    void ensure_chunk(uint32_t node, char *container, uint32_t chunk);
    /// Swaps in the address of a new cell; another thread may be faster.
    static char *install(uint64_t &slot, CellPool &pool);

    void remember(Dropped garbage);
    void collect();
    void release(const Dropped &garbage);
    void release_below(uint32_t node, char *cell);
    void release_container(uint32_t node, char *container);

    /// Calls f(cell number, address) for each cell of a container that exists, in order.
    template <class F> void each_cell(uint32_t node, char *container, F &&f);
};

template <class F> void SparseTrees::Tree::each_cell(uint32_t at, char *container, F &&f) {
    const abi::TreeNode &node = data.nodes[at];
    switch (node.kind) {
    case abi::LevelKind::dense:
        for (uint64_t c = 0; c < node.cells; c++) f(c, container + c * node.cell_bytes);
        return;
    case abi::LevelKind::bitmasked:
    case abi::LevelKind::pointer:
        for (uint64_t w = 0; w < node.mask_bytes / 8; w++) {
            for (uint64_t bits = load_word(container, w); bits; bits &= bits - 1) {
                const uint64_t c = w * 64 + uint64_t(std::countr_zero(bits));
                if (node.kind == abi::LevelKind::bitmasked) {
                    f(c, container + node.mask_bytes + c * node.cell_bytes);
                } else if (const uint64_t cell = load_word(container + node.mask_bytes, c)) {
                    f(c, reinterpret_cast<char *>(cell));
                }
            }
        }
        return;
    case abi::LevelKind::dynamic: {
        const uint64_t length = uint64_t(load_length(container));
        uint64_t begin = 0;
        for (uint32_t chunk = 0; begin < length; chunk++) {
            const uint64_t *slot = chunk_slot(node, container, chunk, false);
            if (!slot || !*slot) return;
            char *cells = reinterpret_cast<char *>(*slot);
            const uint64_t count = std::min(chunk_cells(node, chunk), length - begin);
            for (uint64_t c = 0; c < count; c++) f(begin + c, cells + c * node.cell_bytes);
            begin += count;
        }
        return;
    }
    }
}

} // namespace qd::runtime
