// Addresses of fields against a second, slow computation, which builds the tree of cells and walks it.
#include "base/error.h"
#include "layout/layout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace {

using namespace qd;
using ir::LevelKind;
using ir::Scalar;
using layout::Tree;

/// Returns all index tuples of a member, last axis fastest.
std::vector<std::vector<int32_t>> all_indices(const ir::Place &place) {
    std::vector<std::vector<int32_t>> list{{}};
    for (size_t a = 0; a < place.shape.size(); ++a) {
        std::vector<std::vector<int32_t>> longer;
        for (const auto &start : list)
            for (int i = 0; i < place.shape[a]; ++i) {
                longer.push_back(start);
                longer.back().push_back(i + place.index_offset[a]);
            }
        list = std::move(longer);
    }
    return list;
}

/// Walks down from the root: on each level the digits of the index select the cell.
uint64_t slow_address(const Tree &tree, int member, const std::vector<int32_t> &indices) {
    const layout::Member &m = tree.members[size_t(member)];
    std::vector<int> path;
    for (int n = m.node; n > 0; n = tree.nodes[size_t(n)].parent) path.insert(path.begin(), n);
    std::map<int, size_t> rank;
    for (int n : path)
        for (auto [axis, extent] : tree.nodes[size_t(n)].axes) rank[axis] = 0;
    size_t r = 0;
    for (auto &[axis, value] : rank) value = r++;

    std::map<int, std::vector<int>> digits; // per axis, the deepest level last
    for (auto [axis, at] : rank) {
        int rest = indices[at] - (at < m.index_offset.size() ? m.index_offset[at] : 0);
        std::vector<int> extents;
        for (int n : path)
            for (auto [a, extent] : tree.nodes[size_t(n)].axes)
                if (a == axis) extents.push_back(extent);
        std::vector<int> list(extents.size());
        for (size_t i = extents.size(); i-- > 0;) {
            list[i] = rest % extents[i];
            rest /= extents[i];
        }
        digits[axis] = list;
    }
    uint64_t address = 0;
    std::map<int, size_t> used;
    for (int n : path) {
        const layout::Node &node = tree.nodes[size_t(n)];
        uint64_t cell = 0;
        for (auto [axis, extent] : node.axes) cell = cell * uint64_t(extent) + uint64_t(digits[axis][used[axis]++]);
        address += node.offset_in_parent + cell * node.cell_bytes;
    }
    return address + m.byte_offset;
}

/// Every element of every member is inside the tree, disjoint from all others, aligned, and at the address of the slow computation.
void check(Tree &tree) {
    uint64_t bytes = tree.finish();
    std::set<uint64_t> taken;
    for (size_t m = 0; m < tree.members.size(); ++m) {
        ir::Place place = tree.place(int(m), 7, uint32_t(m));
        EXPECT_EQ(place.tree, 7u);
        EXPECT_EQ(place.name, tree.members[m].name);
        EXPECT_EQ(place.shape, std::vector<int32_t>(tree.shape(tree.members[m].node)));
        uint64_t size = uint64_t(ir::size_of(place.elem));
        for (const auto &indices : all_indices(place)) {
            uint64_t at = layout::address(place, indices.data());
            EXPECT_EQ(at, slow_address(tree, int(m), indices));
            EXPECT_EQ(at % size, 0u);
            EXPECT_LE(at + size, bytes);
            for (uint64_t byte = at; byte < at + size; ++byte) EXPECT_TRUE(taken.insert(byte).second);
        }
    }
}

TEST(Layout, StructuresOfArrays) {
    Tree tree;
    int x = tree.add_node(0, LevelKind::dense, {{0, 5}, {1, 3}});
    tree.add_member(x, "x", Scalar::f32, {});
    int y = tree.add_node(0, LevelKind::dense, {{0, 7}});
    tree.add_member(y, "y", Scalar::f64, {});
    check(tree);
    ir::Place place = tree.place(0, 0, 0);
    int32_t first[] = {0, 0}, right[] = {0, 1}, below[] = {1, 0};
    EXPECT_EQ(layout::address(place, right) - layout::address(place, first), 4u);
    EXPECT_EQ(layout::address(place, below) - layout::address(place, first), 12u);
    EXPECT_EQ(tree.finish(), 64u + 56u); // 15 * 4, then aligned to 8
}

TEST(Layout, AdjacentLargeLevelsAreNotWholePagesApart) {
    Tree tree;
    for (int k = 0; k < 10; k++) {
        const int n = tree.add_node(0, LevelKind::dense, {{0, 4096}});
        tree.add_member(n, "x" + std::to_string(k), Scalar::f32, {});
    }
    const uint64_t whole = tree.finish();
    const auto begin = [&](int k) { return tree.nodes[size_t(1 + k)].offset_in_parent; };
    const uint64_t distance = begin(1) - begin(0);
    for (int k = 0; k < 10; k++) {
        EXPECT_EQ(begin(k), uint64_t(k) * distance); // they form a vector with one stride
        for (int other = 0; other < k; other++) {
            const uint64_t apart = (begin(k) - begin(other)) % 4096;
            EXPECT_GE(std::min(apart, 4096 - apart), 5u * 64) << other << " and " << k;
        }
    }
    EXPECT_LE(distance, 16384u + 4096 + 1216);
    EXPECT_EQ(whole, begin(9) + 16384) << "nothing follows the last one";
}

TEST(Layout, ArraysOfStructures) {
    Tree tree;
    int n = tree.add_node(0, LevelKind::dense, {{0, 4}});
    tree.add_member(n, "a", Scalar::i8, {});
    tree.add_member(n, "b", Scalar::f64, {});
    tree.add_member(n, "c", Scalar::u16, {});
    check(tree);
    EXPECT_EQ(tree.nodes[size_t(n)].cell_bytes, 24u);
    EXPECT_EQ(tree.members[1].byte_offset, 8u);
    EXPECT_EQ(tree.members[2].byte_offset, 16u);
}

TEST(Layout, NestedLevelsWithExactExtents) {
    Tree tree;
    int blocks = tree.add_node(0, LevelKind::dense, {{0, 3}, {1, 2}});
    int inner = tree.add_node(blocks, LevelKind::dense, {{0, 5}, {1, 7}});
    tree.add_member(inner, "x", Scalar::f32, {});
    tree.add_member(blocks, "per_block", Scalar::i64, {});
    int line = tree.add_node(blocks, LevelKind::dense, {{1, 3}});
    tree.add_member(line, "y", Scalar::u8, {});
    check(tree);
    EXPECT_EQ(tree.shape(tree.members[0].node), (std::vector<int>{15, 14}));
    EXPECT_EQ(tree.shape(tree.members[1].node), (std::vector<int>{3, 2}));
    EXPECT_EQ(tree.shape(tree.members[2].node), (std::vector<int>{3, 6}));
}

TEST(Layout, OrderOfAxesIsStorageOrder) {
    Tree tree;
    int n = tree.add_node(0, LevelKind::dense, {{1, 4}, {0, 3}});
    tree.add_member(n, "x", Scalar::f32, {});
    check(tree);
    ir::Place place = tree.place(0, 0, 0);
    EXPECT_EQ(place.shape, (std::vector<int32_t>{3, 4}));
    int32_t down[] = {1, 0}, right[] = {0, 1};
    EXPECT_EQ(layout::address(place, down), 4u);
    EXPECT_EQ(layout::address(place, right), 12u);
}

TEST(Layout, OffsetsMayBeNegative) {
    Tree tree;
    int n = tree.add_node(0, LevelKind::dense, {{0, 6}, {1, 4}});
    tree.add_member(n, "x", Scalar::f32, {-3, 10});
    check(tree);
}

TEST(Layout, UnusedAxesTakeNoIndex) {
    Tree tree;
    int n = tree.add_node(0, LevelKind::dense, {{2, 5}});
    tree.add_member(n, "x", Scalar::i32, {});
    tree.add_member(0, "scalar", Scalar::f32, {});
    check(tree);
    EXPECT_EQ(tree.shape(tree.members[0].node), std::vector<int>{5});
    EXPECT_TRUE(tree.shape(tree.members[1].node).empty());
    EXPECT_EQ(layout::address(tree.place(1, 0, 0), nullptr), 20u);
}

TEST(Layout, TooLargeIsAUserError) {
    Tree tree;
    int n = tree.add_node(0, LevelKind::dense, {{0, 1 << 20}, {1, 1 << 20}});
    tree.add_member(n, "x", Scalar::f32, {});
    EXPECT_THROW(tree.finish(), UserError);
}

} // namespace
