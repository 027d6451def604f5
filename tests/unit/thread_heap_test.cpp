#include "runtime/thread_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace qd::runtime {
namespace {

struct Heaped : ::testing::Test {
    abi::Thread thread{};
    ThreadHeap heap{thread, host_chunks()};

    /// Allocates like the code of a task.
    char *take(uint64_t bytes) {
        const uint64_t step = abi::heap_step(bytes);
        if (step > uint64_t(thread.heap.end - thread.heap.top)) return ThreadHeap::reserve(thread, bytes);
        char *found = thread.heap.top;
        thread.heap.top += step;
        thread.heap.used += bytes;
        return found;
    }
};

TEST_F(Heaped, rooms_of_whole_pages_are_not_whole_pages_apart) {
    for (uint64_t bytes : {4096, 8192, 65536, 1 << 20}) {
        std::vector<uint64_t> lines;
        for (int i = 0; i < 8; i++) lines.push_back(reinterpret_cast<uint64_t>(take(bytes)) / 64 % 64);
        int in_one = 0;
        for (uint64_t line : lines) in_one = std::max(in_one, int(std::ranges::count(lines, line)));
        EXPECT_LE(in_one, 4) << bytes << " bytes; how chunks lie to each other is not the heap's affair";
    }
}

TEST_F(Heaped, gaps_between_rooms_are_not_counted) {
    ASSERT_NE(take(65536), nullptr);
    ASSERT_NE(take(65536), nullptr);
    EXPECT_EQ(thread.heap.used, 131072u);
}

TEST_F(Heaped, small_rooms_are_adjacent) {
    char *first = take(512), *second = take(8);
    EXPECT_EQ(second, first + 512);
}

TEST_F(Heaped, impossible_sizes_are_refused) {
    for (uint64_t bytes : {UINT64_MAX, UINT64_MAX - 64, UINT64_MAX - 4096, UINT64_MAX - 8191, UINT64_MAX / 2})
        EXPECT_EQ(ThreadHeap::reserve(thread, bytes), nullptr) << bytes;
}

} // namespace
} // namespace qd::runtime
