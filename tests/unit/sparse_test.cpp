// Many threads activate and deactivate cells of sparse trees at once; memory is released and reused.
#include "engine/tree_data.h"
#include "layout/layout.h"
#include "runtime/sparse.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

namespace {

using namespace qd;
using ir::LevelKind;

constexpr int threads = 8;

struct Field {
    layout::Tree tree;
    std::atomic<int> blocks{0};
    std::atomic<uint64_t> bytes{0};
    std::unique_ptr<runtime::SparseTrees> sparse;
    char *root = nullptr;
    ir::Place place;

    /// A chain of levels, each with one axis, and an i32 at its end.
    explicit Field(std::vector<std::tuple<LevelKind, int, uint32_t>> levels) {
        int node = 0;
        for (auto [kind, extent, chunk] : levels) node = tree.add_node(node, kind, {{0, extent}}, chunk);
        tree.add_member(node, "x", ir::Scalar::i32, {0});
        root = static_cast<char *>(std::calloc(tree.finish(), 1));
        place = tree.place(0, 0, 0);
        runtime::BlockSource source{[this](uint64_t n) {
                                        ++blocks;
                                        bytes += n;
                                        return std::calloc(n, 1);
                                    },
                                    [this](void *p) {
                                        if (p) --blocks;
                                        std::free(p);
                                    }};
        sparse = std::make_unique<runtime::SparseTrees>(source, threads);
        sparse->add(0, engine::describe_tree({&place, 1}), root);
    }
    ~Field() {
        sparse = nullptr;
        EXPECT_EQ(blocks, 0);
        std::free(root);
    }
    int32_t *at(int32_t index, bool make) {
        char *found =
            layout::address(place, &index, root, [&](const ir::PlaceLevel &level, char *container, uint64_t c) {
                return make ? sparse->make(0, level.node, container, int64_t(c))
                            : sparse->find(0, level.node, container, int64_t(c));
            });
        return reinterpret_cast<int32_t *>(found);
    }
    uint32_t last() const { return place.levels.back().node; }
};

void together(const std::function<void(int)> &work) {
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
    for (std::thread &t : all) t.join();
}

TEST(SparseTrees, threads_that_make_the_same_cells_meet_in_one) {
    constexpr int n = 1 << 14;
    Field field({{LevelKind::pointer, 64, 0}, {LevelKind::pointer, 16, 0}, {LevelKind::dense, 16, 0}});
    uint64_t bytes = 0;
    for (int round = 0; round < 3; ++round) {
        together([&](int t) {
            for (int i = 0; i < n; ++i) {
                const int32_t index = int32_t((uint32_t(i) * 7919u + uint32_t(t)) % n);
                __atomic_fetch_add(field.at(index, true), 1, __ATOMIC_RELAXED);
            }
        });
        for (int i = 0; i < n; ++i) ASSERT_EQ(*field.at(i, false), threads) << i;
        // Memory of removed cells is reused; slow threads may hold a few more.
        if (round == 0) bytes = field.bytes;
        EXPECT_LE(field.bytes, bytes + bytes / 2);
        field.sparse->clear(0, 1);
        for (int i = 0; i < n; i += 7) ASSERT_EQ(*field.at(i, false), 0);
    }
}

TEST(SparseTrees, cells_come_and_go_while_others_read_them) {
    constexpr int cells = 64;
    Field field({{LevelKind::pointer, cells, 0}, {LevelKind::dense, 4, 0}});
    together([&](int t) {
        for (int i = 0; i < 20000; ++i) {
            const int32_t cell = (i * 13 + t) % cells;
            if ((i + t) % 3 == 0) {
                field.sparse->drop(0, 1, field.root, cell);
            } else {
                int32_t *value = field.at(cell * 4 + t % 4, (i + t) % 3 == 1);
                if ((i + t) % 3 == 1)
                    __atomic_store_n(value, 1, __ATOMIC_RELAXED);
                else
                    EXPECT_LE(uint32_t(__atomic_load_n(value, __ATOMIC_RELAXED)), 1u);
            }
        }
    });
    field.sparse->collect();
    field.sparse->clear(0, 1);
    for (int i = 0; i < cells * 4; ++i) ASSERT_EQ(*field.at(i, false), 0);
    for (int i = 0; i < cells * 4; ++i) ASSERT_EQ(*field.at(i, true), 0) << "recycled cells are zeros";
    EXPECT_EQ(field.sparse->make_list(0, 2), cells);
}

TEST(SparseTrees, cells_of_a_small_level_lie_in_one_block) {
    Field field({{LevelKind::pointer, 64, 0}, {LevelKind::pointer, 16, 0}, {LevelKind::dense, 16, 0}});
    for (int round = 0; round < 3; ++round) {
        char *begin = nullptr;
        runtime::CellPool *cells = field.sparse->in_one_block(0, field.place.levels[1].node, begin);
        ASSERT_NE(begin, nullptr);
        together([&](int) {
            for (int i = 0; i < 64 * 16 * 16; ++i) *field.at(i, true) = 1;
        });
        for (int i = 0; i < 64 * 16 * 16; ++i) {
            const auto at = reinterpret_cast<char *>(field.at(i, false)) - begin;
            ASSERT_GE(at, 64); // after the spare cell
            ASSERT_LT(uint64_t(at), cells->used());
        }
        EXPECT_LE(cells->used(), cells->capacity());
        EXPECT_EQ(cells->begin(), begin) << "there is no other block";
        field.sparse->clear(0, 1);
    }
    const uint32_t outer = field.place.levels[0].node;
    char *begin = nullptr;
    *field.at(0, true) = 1;
    field.sparse->drop(0, outer, field.root, 0);
    field.sparse->in_one_block(0, outer, begin);
    EXPECT_EQ(begin, nullptr) << "what was removed still has its memory";
    field.sparse->collect();
    field.sparse->in_one_block(0, outer, begin);
    EXPECT_NE(begin, nullptr);
    Field large({{LevelKind::pointer, 1 << 20, 0}, {LevelKind::dense, 16, 0}});
    EXPECT_NE(large.at(0, true), nullptr);
    large.sparse->in_one_block(0, large.place.levels[0].node, begin);
    EXPECT_EQ(begin, nullptr) << "64 MB of cells";
}

TEST(SparseTrees, appended_cells_are_all_there_once) {
    constexpr int each = 5000;
    Field field({{LevelKind::dense, 3, 0}, {LevelKind::dynamic, 100, 7}}); // takes many more appends than declared
    const ir::PlaceLevel &level = field.place.levels[1];
    char *container = field.root + field.place.levels[0].cell_bytes; // the container of the second cell
    together([&](int t) {
        for (int i = 0; i < each; ++i) {
            const int32_t at = field.sparse->append(0, level.node, container + level.start);
            char *cell = field.sparse->find(0, level.node, container + level.start, at);
            const int32_t value = t * each + i + 1;
            std::memcpy(cell, &value, 4);
        }
    });
    std::set<int32_t> seen;
    for (int i = 0; i < threads * each; ++i) {
        int32_t value;
        std::memcpy(&value, field.sparse->find(0, level.node, container + level.start, i), 4);
        seen.insert(value);
    }
    EXPECT_EQ(seen.size(), size_t(threads) * each);
    EXPECT_EQ(*seen.begin(), 1);
}

TEST(SparseTrees, a_list_made_by_many_threads_is_in_order) {
    constexpr int n = 1 << 16;
    Field field({{LevelKind::pointer, 4096, 0}, {LevelKind::bitmasked, 16, 0}});
    std::vector<int32_t> expected;
    for (int i = 0; i < n; i += 1 + i % 37) {
        field.at(i, true);
        if (expected.empty() || expected.back() != i / 16 * 16) expected.push_back(i / 16 * 16);
    }
    const int32_t length = field.sparse->make_list(0, field.last());
    std::vector<int32_t> found;
    for (int32_t k = 0; k < length; ++k) {
        const char *element = field.sparse->elements(0, field.last()) + uint64_t(k) * qd::abi::list_element_bytes(1);
        int32_t at;
        std::memcpy(&at, element + sizeof(qd::abi::ListElement), 4);
        found.push_back(at);
    }
    EXPECT_EQ(found, expected);
}

} // namespace
