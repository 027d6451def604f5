#include "runtime/sparse_tree.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace qd::runtime {

using abi::LevelKind;
using abi::TreeNode;

namespace {

SparseTrees &of(const abi::Launch *launch) {
    return const_cast<SparseTrees &>(static_cast<const SparseTrees &>(*launch->stream.sparse));
}

void max_length(char *container, int64_t length) {
    int32_t *at = reinterpret_cast<int32_t *>(container);
    int32_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (old < length &&
           !__atomic_compare_exchange_n(at, &old, int32_t(length), true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
}

bool test_bit(const char *mask, uint64_t cell) { return load_word(mask, cell / 64) >> (cell % 64) & 1; }

void set_bit(char *mask, uint64_t cell) {
    if (!test_bit(mask, cell))
        __atomic_fetch_or(&word_at(mask, cell / 64), uint64_t(1) << (cell % 64), __ATOMIC_RELAXED);
}

} // namespace

SparseTrees::SparseTrees(BlockSource source, int threads) : source_(std::move(source)), pool_(Pool::shared(threads)) {}

const abi::SparseCalls SparseTrees::calls = {
    .make_cell =
        [](const abi::Launch *launch, uint32_t tree, uint32_t node, char *container, int64_t cell) {
            SparseTrees &self = of(launch);
            try {
                return self.make(tree, node, container, cell);
            } catch (...) {
                self.fail(launch);
                return self.sink(tree, node);
            }
        },
    .find_cell = [](const abi::Launch *launch, uint32_t tree, uint32_t node, char *container,
                    int64_t cell) { return of(launch).find(tree, node, container, cell); },
    .drop_cell =
        [](const abi::Launch *launch, uint32_t tree, uint32_t node, char *container, int64_t cell) {
            try {
                of(launch).drop(tree, node, container, cell);
            } catch (...) {
                of(launch).fail(launch);
            }
        },
    .list =
        [](const abi::Launch *launch, uint32_t tree, uint32_t node) {
            try {
                return of(launch).make_list(tree, node);
            } catch (...) {
                of(launch).fail(launch);
                return 0;
            }
        },
};

SparseTrees::~SparseTrees() {
    trees_.clear();
    source_.free(zeros);
    source_.free(sink_);
}

void SparseTrees::add(uint32_t slot, abi::Tree data, char *root) {
    uint64_t largest = 8;
    for (const TreeNode &node : data.nodes)
        if (node.kind != LevelKind::dense) largest = std::max(largest, node.cell_bytes);
    if (largest > zero_bytes_) {
        source_.free(zeros);
        source_.free(sink_);
        zeros = sink_ = nullptr;
        zero_bytes_ = 0;
        zeros = static_cast<char *>(source_.alloc(largest));
        sink_ = static_cast<char *>(source_.alloc(largest));
        zero_bytes_ = largest;
    }
    if (trees_.size() <= slot) trees_.resize(slot + 1);
    trees_[slot] = std::make_unique<Tree>(std::move(data), root, source_, pool_->threads());
    update_tables();
}

void SparseTrees::remove(uint32_t slot) {
    if (!holds(slot)) return;
    trees_[slot] = nullptr;
    update_tables();
}

void SparseTrees::update_tables() {
    list_tables_.clear();
    for (const std::unique_ptr<Tree> &tree : trees_)
        list_tables_.push_back(tree ? tree->list_addresses.data() : nullptr);
    lists = list_tables_.data();
}

char *SparseTrees::find(uint32_t slot, uint32_t at, char *container, int64_t cell) const {
    Tree &tree = *trees_[slot];
    const TreeNode &node = tree.data.nodes[at];
    const uint64_t c = uint64_t(cell);
    switch (node.kind) {
    case LevelKind::dense: return container + c * node.cell_bytes;
    case LevelKind::bitmasked: return container + node.mask_bytes + c * node.cell_bytes;
    case LevelKind::pointer: {
        const uint64_t found = c < node.cells ? load_word(container + node.mask_bytes, c) : 0;
        return found ? reinterpret_cast<char *>(found) : zeros;
    }
    case LevelKind::dynamic: {
        if (cell < 0 || cell >= load_length(container)) return zeros;
        const ChunkPlace where = chunk_place(node, c);
        const uint64_t *chunk = tree.chunk_slot(node, container, where.chunk, false);
        const uint64_t cells = chunk ? __atomic_load_n(chunk, __ATOMIC_ACQUIRE) : 0;
        return cells ? reinterpret_cast<char *>(cells) + where.cell * node.cell_bytes : zeros;
    }
    }
    return zeros;
}

char *SparseTrees::make(uint32_t slot, uint32_t at, char *container, int64_t cell) {
    Tree &tree = *trees_[slot];
    const TreeNode &node = tree.data.nodes[at];
    const uint64_t c = uint64_t(cell);
    switch (node.kind) {
    case LevelKind::dense: return container + c * node.cell_bytes;
    case LevelKind::bitmasked: set_bit(container, c); return container + node.mask_bytes + c * node.cell_bytes;
    case LevelKind::pointer: {
        if (c >= node.cells) return sink(slot, at);
        uint64_t &address = word_at(container + node.mask_bytes, c);
        if (const uint64_t found = __atomic_load_n(&address, __ATOMIC_ACQUIRE)) return reinterpret_cast<char *>(found);
        set_bit(container, c); // first: a clear bit says that there is no cell
        return Tree::install(address, tree.pool(at, 0));
    }
    case LevelKind::dynamic: {
        if (cell < 0 || cell >= INT32_MAX) return sink_;
        const ChunkPlace where = chunk_place(node, c);
        tree.ensure_chunk(at, container, where.chunk);
        max_length(container, cell + 1);
        return reinterpret_cast<char *>(*tree.chunk_slot(node, container, where.chunk, false)) +
               where.cell * node.cell_bytes;
    }
    }
    return sink_;
}

int32_t SparseTrees::append(uint32_t slot, uint32_t at, char *container) {
    const int32_t index = __atomic_fetch_add(reinterpret_cast<int32_t *>(container), 1, __ATOMIC_ACQ_REL);
    make(slot, at, container, index);
    return index;
}

bool SparseTrees::exists(uint32_t slot, uint32_t at, const char *container, int64_t cell) const {
    const TreeNode &node = trees_[slot]->data.nodes[at];
    const uint64_t c = uint64_t(cell);
    switch (node.kind) {
    case LevelKind::dense: return true;
    case LevelKind::bitmasked: return test_bit(container, c);
    case LevelKind::pointer: return c < node.cells && load_word(container + node.mask_bytes, c) != 0;
    case LevelKind::dynamic: return cell >= 0 && cell < load_length(container);
    }
    return false;
}

void SparseTrees::drop(uint32_t slot, uint32_t at, char *container, int64_t cell) {
    Tree &tree = *trees_[slot];
    const TreeNode &node = tree.data.nodes[at];
    const uint64_t c = uint64_t(cell);
    switch (node.kind) {
    case LevelKind::dense: return;
    case LevelKind::bitmasked:
        __atomic_fetch_and(&word_at(container, c / 64), ~(uint64_t(1) << (c % 64)), __ATOMIC_RELAXED);
        return;
    case LevelKind::pointer: {
        if (c >= node.cells) return;
        uint64_t &address = word_at(container + node.mask_bytes, c);
        if (!__atomic_load_n(&address, __ATOMIC_RELAXED)) return;
        if (const uint64_t old = __atomic_exchange_n(&address, 0, __ATOMIC_ACQ_REL)) {
            tree.remember({at, 0, reinterpret_cast<char *>(old)});
            garbage_.store(true, std::memory_order_relaxed);
        }
        return;
    }
    case LevelKind::dynamic:
        __atomic_store_n(reinterpret_cast<int32_t *>(container), 0, __ATOMIC_RELEASE);
        for (uint32_t chunk = 0;; chunk++) {
            uint64_t *address = tree.chunk_slot(node, container, chunk, false);
            const uint64_t old = address ? __atomic_exchange_n(address, 0, __ATOMIC_ACQ_REL) : 0;
            if (!old) return;
            tree.remember({at, chunk, reinterpret_cast<char *>(old)});
            garbage_.store(true, std::memory_order_relaxed);
        }
    }
}

void SparseTrees::each_cell(uint32_t slot, uint32_t node, char *container,
                            const std::function<void(uint64_t, char *)> &visit) {
    trees_[slot]->each_cell(node, container, visit);
}

CellPool *SparseTrees::in_one_block(uint32_t slot, uint32_t node, char *&begin) {
    CellPool &cells = trees_[slot]->pool(node, 0);
    try {
        begin = has_garbage() ? nullptr : cells.begin();
    } catch (const DeviceError &) {
        begin = nullptr;
    }
    return &cells;
}

char *SparseTrees::sink(uint32_t slot, uint32_t node) const {
    const auto &pools = trees_[slot]->pools[node];
    char *own = pools.empty() ? nullptr : pools[0]->spare_place();
    return own ? own : sink_;
}

void SparseTrees::collect() {
    if (!garbage_.exchange(false)) return;
    for (const std::unique_ptr<Tree> &tree : trees_)
        if (tree) tree->collect();
}

uint64_t SparseTrees::allocated(uint32_t slot, uint32_t node) const {
    uint64_t cells = 0;
    for (const auto &pool : trees_[slot]->pools[node]) cells += pool->allocated();
    return cells;
}

void SparseTrees::fail(const abi::Launch *launch) {
    const std::lock_guard guard(error_lock_);
    if (!error_) error_ = std::current_exception();
    __atomic_store_n(launch->stream.failed, 1, __ATOMIC_RELEASE);
}

void SparseTrees::rethrow() {
    std::exception_ptr error;
    {
        const std::lock_guard guard(error_lock_);
        error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
}

void SparseTrees::clear(uint32_t slot, uint32_t at) {
    Tree &tree = *trees_[slot];
    const auto clear_container = [&](auto &self, uint32_t number, char *container) -> void {
        const TreeNode &node = tree.data.nodes[number];
        const bool stays = node.kind == LevelKind::dense || node.kind == LevelKind::bitmasked;
        if (stays && !node.children.empty())
            tree.each_cell(number, container, [&](uint64_t, char *cell) {
                for (const uint32_t child : node.children) self(self, child, cell + tree.data.nodes[child].start);
            });
        if (node.kind == LevelKind::bitmasked) std::memset(container, 0, node.mask_bytes);
        if (node.kind == LevelKind::pointer)
            tree.each_cell(number, container, [&](uint64_t c, char *) { drop(slot, number, container, int64_t(c)); });
        if (node.kind == LevelKind::dynamic) drop(slot, number, container, 0);
    };
    const auto visit = [&](auto &self, const std::vector<abi::TreeLevel> &path, size_t depth, char *cell) -> void {
        char *container = cell + tree.data.nodes[path[depth].node].start;
        if (depth + 1 == path.size()) return clear_container(clear_container, at, container);
        tree.each_cell(path[depth].node, container, [&](uint64_t, char *inner) { self(self, path, depth + 1, inner); });
    };
    if (at == 0)
        for (const uint32_t child : tree.data.nodes[0].children)
            clear_container(clear_container, child, tree.root + tree.data.nodes[child].start);
    else
        visit(visit, tree.data.nodes[at].path, 0, tree.root);
    collect();
}

} // namespace qd::runtime
