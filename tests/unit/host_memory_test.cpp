#include "runtime/host_memory.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace qd::runtime {
namespace {

const std::vector<uint64_t> sizes = {1, 63, 64, 1000, 100'000, (1 << 20) - 1, 1 << 20, (3 << 20) + 5, 40 << 20};

bool is_zero(const char *from, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i)
        if (from[i]) return false;
    return true;
}

TEST(HostMemory, BlocksAreZeroedAndAligned) {
    for (int round = 0; round < 2; ++round)
        for (const uint64_t bytes : sizes) {
            char *block = static_cast<char *>(host_alloc(bytes));
            EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
            EXPECT_TRUE(is_zero(block, bytes)) << bytes;
            std::memset(block, 1, bytes);
            host_free(block);
        }
    host_free(nullptr);
}

TEST(HostMemory, ContentsOfLargeBlocksBeginWithAHugePage) {
    constexpr uintptr_t huge_page = 2 << 20, few = 17 * 4096;
    std::vector<void *> held;
    std::set<uintptr_t> distances;
    for (int k = 0; k < 8; ++k) {
        held.push_back(host_alloc((4 << 20) + uint64_t(k) * 10'000));
        distances.insert(reinterpret_cast<uintptr_t>(held.back()) % huge_page);
    }
    EXPECT_LT(*distances.rbegin(), few);
    EXPECT_EQ(distances.size(), held.size());
    for (void *block : held) host_free(block);
}

TEST(HostMemory, BlocksOfOneSizeSpreadOverCacheSets) {
    for (const uint64_t bytes : {16 << 10, 256 << 10, 4 << 20}) {
        std::vector<void *> held;
        std::vector<int> lines; // the cache lines within a page, which determine the L1 set
        for (int k = 0; k < 10; ++k) {
            held.push_back(host_alloc(bytes));
            lines.push_back(int(reinterpret_cast<uintptr_t>(held.back()) % 4096 / 64));
        }
        for (size_t i = 0; i < lines.size(); ++i)
            for (size_t k = i + 1; k < lines.size(); ++k) {
                const int apart = std::abs(lines[i] - lines[k]);
                EXPECT_GE(std::min(apart, 64 - apart), 5) << bytes << " bytes, blocks " << i << " and " << k;
            }
        for (void *block : held) host_free(block);
    }
}

#ifndef __SANITIZE_ADDRESS__
TEST(HostMemory, BlocksAreZeroWhereAKernelRanPastTheEndOfAnotherBefore) {
    // beyond all free blocks of this size, in memory that no block has used yet
    std::vector<char *> held;
    for (int k = 0; k < 100; ++k) held.push_back(static_cast<char *>(host_alloc(600)));
    char *last = *std::max_element(held.begin(), held.end());
    std::memset(last, 1, 32 << 10);
    for (const uint64_t bytes : {600, 2000, 5000}) {
        char *block = static_cast<char *>(host_alloc(bytes));
        EXPECT_TRUE(is_zero(block, bytes)) << bytes;
        held.push_back(block);
    }
    for (char *block : held) host_free(block);
}

TEST(HostMemory, AccessesJustPastTheBorderReachNothingElse) {
    std::vector<char *> all;
    for (const uint64_t bytes : sizes) all.push_back(static_cast<char *>(host_alloc(bytes)));
    for (size_t k = 0; k < sizes.size(); ++k) {
        const uint64_t reach = std::max<uint64_t>(256, sizes[k] / 8);
        EXPECT_TRUE(is_zero(all[k] - reach, reach)) << sizes[k];
        EXPECT_TRUE(is_zero(all[k] + sizes[k], reach)) << sizes[k];
        std::memset(all[k] - reach, 1, reach);
        std::memset(all[k] + sizes[k], 1, reach);
    }
    for (size_t k = 0; k < sizes.size(); ++k) {
        EXPECT_TRUE(is_zero(all[k], sizes[k])) << sizes[k];
        host_free(all[k]);
    }
}
#endif

#ifndef __SANITIZE_ADDRESS__
/// Returns the permissions of the mappings below and above the one that contains `block`, from /proc/self/maps.
std::pair<std::string, std::string> around(const void *block) {
    std::ifstream maps("/proc/self/maps");
    const auto at = reinterpret_cast<uintptr_t>(block);
    std::string line, below, above;
    for (uintptr_t last_end = 0; std::getline(maps, line);) {
        uintptr_t begin = 0, end = 0;
        char mode[5] = "";
        std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, mode);
        if (last_end && last_end != begin) above = "nothing";
        if (begin > at) return {below, above.empty() ? mode : above};
        if (at >= end) below = mode;
        if (at < end) last_end = end;
    }
    return {below, "nothing"};
}

TEST(HostMemory, PastTheEndOfAllArraysThereIsAHole) {
    for (const uint64_t bytes : {40u, 100'000u, 1'000'000u, 3u << 20, 100u << 20}) {
        void *block = host_alloc(bytes);
        EXPECT_EQ(around(block), std::pair(std::string("---p"), std::string("---p"))) << bytes;
        host_free(block);
    }
}
#endif

TEST(HostMemory, ReusedBlocksAreZero) {
    std::mt19937 random(1);
    std::vector<std::pair<unsigned char *, uint64_t>> live;
    for (int i = 0; i < 3000; i++) {
        if (live.size() > 20) {
            std::swap(live[random() % live.size()], live.back());
            std::memset(live.back().first, 0xab, live.back().second);
            host_free(live.back().first);
            live.pop_back();
        }
        const uint64_t bytes = 1 + random() % (1u << (random() % 21));
        auto *block = static_cast<unsigned char *>(host_alloc(bytes));
        ASSERT_TRUE(std::all_of(block, block + bytes, [](unsigned char c) { return c == 0; }));
        for (const auto &[other, size] : live) ASSERT_TRUE(block + bytes <= other || other + size <= block);
        live.push_back({block, bytes});
    }
    for (const auto &[block, bytes] : live) host_free(block);
}

TEST(HostMemory, ThreadsAllocateAtOnce) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            for (int i = 0; i < 200; ++i) {
                char *block = static_cast<char *>(host_alloc(uint64_t(1 + t) * 5000));
                block[i] = 1;
                host_free(block);
            }
        });
    for (std::thread &t : threads) t.join();
}

TEST(HostMemory, TooLargeRequestsReportTheAvailableMemory) {
    try {
        host_alloc(uint64_t(1) << 50);
        FAIL();
    } catch (const DeviceError &e) {
        EXPECT_NE(std::string(e.what()).find("(1125899906842624 bytes)"), std::string::npos) << e.what();
    }
}

} // namespace
} // namespace qd::runtime
