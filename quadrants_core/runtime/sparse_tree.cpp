#include "runtime/sparse_tree.h"

#include <cstring>

namespace qd::runtime {

using abi::LevelKind;
using abi::TreeNode;

namespace {

/// By node: the maximum number of its cells; 0: unknown.
std::vector<uint64_t> max_cells(const std::vector<TreeNode> &nodes) {
    std::vector<uint64_t> most(nodes.size(), 1);
    for (size_t n = 1; n < nodes.size(); n++) // a child comes after its parent
        if (nodes[n].kind == LevelKind::dynamic ||
            __builtin_mul_overflow(most[nodes[n].parent], nodes[n].cells, &most[n]))
            most[n] = 0;
    return most;
}

} // namespace

SparseTrees::Tree::Tree(abi::Tree tree, char *r, const BlockSource &source, int threads)
    : data(std::move(tree)), root(r), owns_memory(data.nodes.size()), pools(data.nodes.size()),
      lists(data.nodes.size()), list_addresses(data.nodes.size()) {
    chunk_tables = std::make_unique<CellPool>(source, 8 * more_chunks);
    const std::vector<uint64_t> most = max_cells(data.nodes);
    for (size_t n = data.nodes.size(); n-- > 0;) {
        const TreeNode &node = data.nodes[n];
        // A thread that was too late to create a cell holds an extra one for a moment.
        if (node.kind == LevelKind::pointer)
            pools[n].push_back(
                std::make_unique<CellPool>(source, node.cell_bytes, most[n] ? most[n] + uint64_t(threads) : 0));
        if (node.kind == LevelKind::dynamic)
            for (uint32_t chunk = 0; chunk_cells(node, chunk) < uint64_t(1) << 31; chunk++)
                pools[n].push_back(std::make_unique<CellPool>(source, chunk_cells(node, chunk) * node.cell_bytes));
        if (!pools[n].empty()) owns_memory[n] = true;
        if (owns_memory[n] && n > 0) owns_memory[node.parent] = true; // a child comes after its parent
    }
}

char *SparseTrees::Tree::install(uint64_t &slot, CellPool &pool) {
    char *fresh = pool.take();
    uint64_t found = 0;
    if (__atomic_compare_exchange_n(&slot, &found, uint64_t(reinterpret_cast<uintptr_t>(fresh)), false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    pool.give_back(fresh);
    return reinterpret_cast<char *>(found);
}

uint64_t *SparseTrees::Tree::chunk_slot(const TreeNode &node, char *container, uint32_t chunk, bool make) {
    if (chunk < node.chunks) return &word_at(container, 1 + chunk);
    uint64_t &table = word_at(container, 1 + node.chunks);
    uint64_t found = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    if (!found && make) found = uint64_t(reinterpret_cast<uintptr_t>(install(table, *chunk_tables)));
    return found ? reinterpret_cast<uint64_t *>(found) + (chunk - node.chunks) : nullptr;
}

void SparseTrees::Tree::ensure_chunk(uint32_t at, char *container, uint32_t chunk) {
    const TreeNode &node = data.nodes[at];
    const uint64_t *wanted = chunk_slot(node, container, chunk, true);
    if (__atomic_load_n(wanted, __ATOMIC_ACQUIRE)) return;
    for (uint32_t k = 0; k <= chunk; k++) {
        uint64_t *slot = chunk_slot(node, container, k, true);
        if (!__atomic_load_n(slot, __ATOMIC_ACQUIRE)) install(*slot, pool(at, k));
    }
}

void SparseTrees::Tree::remember(Dropped garbage) {
    const std::lock_guard guard(lock);
    dropped.push_back(garbage);
}

void SparseTrees::Tree::collect() {
    std::vector<Dropped> list;
    {
        const std::lock_guard guard(lock);
        list.swap(dropped);
    }
    for (const Dropped &garbage : list) release(garbage);
}

void SparseTrees::Tree::release(const Dropped &garbage) {
    const TreeNode &node = data.nodes[garbage.node];
    CellPool &home = pool(garbage.node, garbage.chunk);
    const uint64_t cells = node.kind == LevelKind::dynamic ? chunk_cells(node, garbage.chunk) : 1;
    bool below = false;
    for (const uint32_t child : node.children) below = below || owns_memory[child];
    for (uint64_t c = 0; below && c < cells; c++) release_below(garbage.node, garbage.memory + c * node.cell_bytes);
    std::memset(garbage.memory, 0, home.cell_bytes());
    home.give_back(garbage.memory);
}

void SparseTrees::Tree::release_below(uint32_t at, char *cell) {
    for (const uint32_t child : data.nodes[at].children)
        if (owns_memory[child]) release_container(child, cell + data.nodes[child].start);
}

/// Releases every cell, including cells of a mask that are off: cells below them may still exist.
void SparseTrees::Tree::release_container(uint32_t at, char *container) {
    const TreeNode &node = data.nodes[at];
    switch (node.kind) {
    case LevelKind::dense:
    case LevelKind::bitmasked:
        for (uint64_t c = 0; c < node.cells; c++) release_below(at, container + node.mask_bytes + c * node.cell_bytes);
        return;
    case LevelKind::pointer: each_cell(at, container, [&](uint64_t, char *cell) { release({at, 0, cell}); }); return;
    case LevelKind::dynamic:
        for (uint32_t chunk = 0; const uint64_t *slot = chunk_slot(node, container, chunk, false); chunk++) {
            if (!*slot) break;
            release({at, chunk, reinterpret_cast<char *>(*slot)});
        }
        if (uint64_t table = word_at(container, 1 + node.chunks)) {
            std::memset(reinterpret_cast<char *>(table), 0, 8 * more_chunks);
            chunk_tables->give_back(reinterpret_cast<char *>(table));
        }
    }
}

} // namespace qd::runtime
