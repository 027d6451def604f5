// Lists the cells that a loop visits. The walk starts at the root: breadth first until there are enough containers to share, then each
// thread continues depth first from its own; their pieces are concatenated in order.
#include "base/error.h"
#include "runtime/sparse_tree.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace qd::runtime {
namespace {

using abi::LevelKind;
using abi::TreeLevel;
using abi::TreeNode;

constexpr uint64_t piece_cells = 4096; ///< maximum cells of a piece, unless a row has more
constexpr size_t enough = 512;         ///< containers that keep all threads busy
constexpr size_t max_indices = 16;

using Indices = std::array<int32_t, max_indices>;

struct Item {
    char *cell; ///< contains the container of the next level
    Indices at;
};

class Lister {
  public:
    Lister(SparseTrees::Tree &tree, uint32_t number)
        : tree_(tree), node_(tree.data.nodes[number]), path_(node_.path), bytes_(abi::list_element_bytes(node_.rank)) {
        last_ = path_.size() - 1;
        while (node_.kind == LevelKind::dense && last_ > 0 && kind(last_ - 1) == LevelKind::dense) --last_;
        for (size_t l = last_ + 1; l < path_.size(); l++) below_ *= node(l).cells;
    }

    void run(Pool &pool, std::vector<char> &out) {
        std::vector<Item> items{{tree_.root, {}}};
        size_t level = 0;
        for (; level < last_ && items.size() < enough; level++) {
            std::vector<Item> next;
            for (const Item &item : items) expand(level, item, [&](const Item &inner) { next.push_back(inner); });
            items.swap(next);
        }
        out.clear();
        if (items.size() < enough) {
            for (const Item &item : items) descend(level, item, out);
            return;
        }
        share(pool, level, items, out);
    }

  private:
    const TreeNode &node(size_t level) const { return tree_.data.nodes[path_[level].node]; }
    LevelKind kind(size_t level) const { return node(level).kind; }

    static void add(const TreeLevel &level, uint64_t cell, Indices &at) {
        for (const abi::TreeAxis &axis : level.axes)
            at[axis.rank] += int32_t(cell / axis.stride % axis.extent * axis.divide);
    }

    template <class F> void expand(size_t level, const Item &item, F &&f) {
        tree_.each_cell(path_[level].node, item.cell + node(level).start, [&](uint64_t c, char *cell) {
            Item inner{cell, item.at};
            add(path_[level], c, inner.at);
            f(inner);
        });
    }

    void descend(size_t level, const Item &item, std::vector<char> &out) {
        if (level == last_) return emit(item, out);
        expand(level, item, [&](const Item &inner) { descend(level + 1, inner, out); });
    }

    void share(Pool &pool, size_t level, const std::vector<Item> &items, std::vector<char> &out) {
        const size_t chunks = std::min<size_t>(items.size(), size_t(pool.threads()) * 16);
        struct Job {
            Lister *self;
            size_t level, chunks;
            const std::vector<Item> *items;
            std::vector<std::vector<char>> parts;
            std::exception_ptr error;
            std::mutex lock;
        } job{this, level, chunks, &items, std::vector<std::vector<char>>(chunks), {}, {}};
        const auto work = [](const void *data, uint32_t, uint32_t chunk) {
            Job &j = *static_cast<Job *>(const_cast<void *>(data));
            try {
                const size_t n = j.items->size();
                for (size_t i = n * chunk / j.chunks; i < n * (chunk + 1) / j.chunks; i++)
                    j.self->descend(j.level, (*j.items)[i], j.parts[chunk]);
            } catch (...) {
                const std::lock_guard guard(j.lock);
                j.error = std::current_exception();
            }
        };
        pool.run(work, &job, uint32_t(chunks));
        if (job.error) std::rethrow_exception(job.error);
        size_t bytes = 0;
        for (const std::vector<char> &part : job.parts) bytes += part.size();
        out.reserve(bytes);
        for (const std::vector<char> &part : job.parts) out.insert(out.end(), part.begin(), part.end());
    }

    void push(std::vector<char> &out, char *base, uint64_t begin, uint64_t end, const Indices &at) {
        const size_t old = out.size();
        out.resize(old + bytes_);
        const abi::ListElement element{base, int32_t(begin), int32_t(end)};
        std::memcpy(&out[old], &element, sizeof element);
        std::memcpy(&out[old + sizeof element], at.data(), 4 * node_.rank);
    }

    void emit(const Item &item, std::vector<char> &out) {
        const TreeNode &first = node(last_);
        char *container = item.cell + first.start;
        switch (first.kind) {
        case LevelKind::dense: return rows(container, item.at, out);
        case LevelKind::bitmasked: return words(container, item.at, out);
        case LevelKind::pointer:
            return expand(last_, item, [&](const Item &inner) { push(out, inner.cell, 0, 1, inner.at); });
        case LevelKind::dynamic: return chunks(container, item.at, out);
        }
    }

    void rows(char *container, const Indices &at, std::vector<char> &out) {
        const TreeLevel &level = path_[last_];
        const uint64_t rows = level.axes.empty() ? 1 : level.axes[0].extent;
        const uint64_t cells = node(last_).cells / rows * below_;
        const uint64_t step = std::max<uint64_t>(1, piece_cells / std::max<uint64_t>(cells, 1));
        for (uint64_t r = 0; r < rows; r += step) push(out, container, r, std::min(r + step, rows), at);
    }

    void words(char *container, const Indices &at, std::vector<char> &out) {
        const uint64_t all = node_.mask_bytes / 8, step = piece_cells / 64;
        for (uint64_t w = 0; w < all; w += step) {
            const uint64_t end = std::min(w + step, all);
            uint64_t any = 0;
            for (uint64_t k = w; k < end; k++) any |= load_word(container, k);
            if (any) push(out, container, w * 64, end * 64, at);
        }
    }

    void chunks(char *container, const Indices &at, std::vector<char> &out) {
        const uint64_t length = uint64_t(load_length(container));
        uint64_t begin = 0;
        for (uint32_t chunk = 0; begin < length; chunk++) {
            const uint64_t *slot = tree_.chunk_slot(node_, container, chunk, false);
            if (!slot || !*slot) return;
            const uint64_t end = std::min(begin + chunk_cells(node_, chunk), length);
            for (uint64_t c = begin; c < end; c += piece_cells)
                push(out, reinterpret_cast<char *>(*slot) + (c - begin) * node_.cell_bytes, c,
                     std::min(c + piece_cells, end), at);
            begin = end;
        }
    }

    SparseTrees::Tree &tree_;
    const TreeNode &node_;
    const std::vector<TreeLevel> &path_;
    const uint64_t bytes_;
    size_t last_ = 0;    ///< level at which pieces are made
    uint64_t below_ = 1; ///< cells of the dense levels below it, per cell of it
};

} // namespace

int32_t SparseTrees::make_list(uint32_t slot, uint32_t number) {
    Tree &tree = *trees_[slot];
    std::vector<char> &list = tree.lists[number];
    Lister(tree, number).run(*pool_, list);
    tree.list_addresses[number] = list.data();
    const uint64_t elements = list.size() / abi::list_element_bytes(tree.data.nodes[number].rank);
    if (elements > INT32_MAX) fail_user(UserErrorKind::runtime, "a loop over more than 2^31 cells of a sparse field");
    return int32_t(elements);
}

} // namespace qd::runtime
