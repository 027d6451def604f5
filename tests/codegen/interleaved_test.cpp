// Gathers and scatters of adjacent components: random ones in any order against a model, and the resulting code.
#include "run_task.h"

#include <sys/mman.h>

#include <random>
#include <sstream>

using namespace qd;
using test::Launch;

namespace {

/// A task with random operations on elements of two arrays, and a model of it.
struct Random {
    using Lanes = std::vector<int32_t>;
    std::mt19937 random;
    int lanes, apart, next = 100;
    int on, masks; ///< number of active lanes; masks: never, sometimes, always
    std::vector<int32_t> before[2], memory[2];
    std::vector<std::pair<int, Lanes>> values; ///< names and their values
    std::ostringstream text;

    explicit Random(unsigned seed) : random(seed) {
        lanes = 4 << below(3);
        apart = 2 + below(below(3) ? 2 : 15);
        on = below(lanes + 1);
        masks = below(3);
        for (auto &array : memory)
            for (int i = 0; i < 20 * apart + lanes * apart; ++i) array.push_back(below(1000));
        for (int array = 0; array < 2; ++array) before[array] = memory[array];
        text << "task serial @far(%0: array<i32, 1>, %1: array<i32, 1>)" << (seed % 2 ? " aliased" : "") << "\n"
             << "    %2: ptr<i32> = array_base %0\n    %3: ptr<i32> = array_base %1\n"
             << "    %4: i64 = constant " << 4 * apart << "\n    %5: i64x" << lanes << " = splat %4\n"
             << "    %6: i64x" << lanes << " = iota\n    %7: i64x" << lanes << " = mul %6, %5\n";
        text << "    %8: u1 = constant 1\n    %9: u1x" << lanes << " = splat %8\n    %10: i32 = constant " << on
             << "\n    %11: i32x" << lanes << " = splat %10\n    %12: i32x" << lanes << " = iota\n    %13: u1x" << lanes
             << " = lt %12, %11\n";
        for (int i = 0; i < 60; ++i) step();
        text << "    ret\n";
    }

    int below(int n) { return int(random() % unsigned(n)); }

    void step() {
        const int array = below(2);
        // most of them within one window, some one or more lanes further
        const int element = below(12) ? below(apart) : below(2 * apart + 2);
        const int address = next++;
        text << "    %" << address << ": i64 = constant " << 4 * element << "\n";
        const int pointer = next++;
        text << "    %" << pointer << ": ptr<i32> = offset %" << 2 + array << ", %" << address << "\n";
        const int kind = below(40);
        const bool all = masks == 0 || (masks == 1 && below(4));
        const char *mask = all ? "%9" : "%13";
        const int count = all ? lanes : on;
        const auto at = [&](int lane) -> int32_t & { return memory[array][size_t(element + lane * apart)]; };
        const std::string vector = "i32x" + std::to_string(lanes);
        if (kind < 19) {
            text << "    %" << next << ": " << vector << " = gather %" << pointer << ", %7, " << mask << "\n";
            Lanes got;
            for (int lane = 0; lane < lanes; ++lane) got.push_back(lane < count ? at(lane) : 0);
            values.emplace_back(next++, got);
        } else if (kind < 38 && !values.empty()) {
            const auto a = values[size_t(below(int(values.size())))], b = values.back();
            text << "    %" << next << ": " << vector << " = add %" << a.first << ", %" << b.first << "\n"
                 << "    scatter %" << pointer << ", %7, %" << next << ", " << mask << "\n";
            ++next;
            for (int lane = 0; lane < count; ++lane)
                at(lane) = int32_t(uint32_t(a.second[size_t(lane)]) + uint32_t(b.second[size_t(lane)]));
        } else if (kind == 38 && !values.empty()) { // adjacent
            text << "    store %" << pointer << ", %" << values.back().first << "\n";
            for (int lane = 0; lane < lanes; ++lane)
                memory[array][size_t(element + lane)] = values.back().second[size_t(lane)];
        } else {
            text << "    %" << next << ": " << vector << " = load %" << pointer << "\n";
            Lanes got;
            for (int lane = 0; lane < lanes; ++lane) got.push_back(memory[array][size_t(element + lane)]);
            values.emplace_back(next++, got);
        }
    }
};

std::string optimised(const std::string &task) {
    return test::lowering().disassemble(test::read_task(task), backends::Tier::best, backends::Listing::intermediate);
}

/// Doubles vectors of three or nine in place, or only their first components.
std::string doubled(int apart, int components) {
    std::ostringstream text;
    text << "task serial @double(%0: array<f32, 1>)\n    %1: ptr<f32> = array_base %0\n    %2: i64 = constant "
         << 4 * apart << "\n    %3: i64x16 = splat %2\n    %4: i64x16 = iota\n    %5: i64x16 = mul %4, %3\n"
         << "    %6: u1 = constant 1\n    %7: u1x16 = splat %6\n";
    for (int c = 0; c < components; ++c) {
        const int v = 10 + 4 * c;
        text << "    %" << v << ": i64 = constant " << 4 * c << "\n    %" << v + 1 << ": ptr<f32> = offset %1, %" << v
             << "\n    %" << v + 2 << ": f32x16 = gather %" << v + 1 << ", %5, %7\n    %" << v + 3 << ": f32x16 = add %"
             << v + 2 << ", %" << v + 2 << "\n    scatter %" << v + 1 << ", %5, %" << v + 3 << ", %7\n";
    }
    text << "    ret\n";
    return text.str();
}

} // namespace

TEST(Interleaved, RandomAccessesMatchTheModel) {
    for (unsigned seed = 0; seed < 400; ++seed) {
        Random made(seed);
        Launch launch;
        for (size_t array = 0; array < 2; ++array) { // each with its length
            launch.args[2 * array] = reinterpret_cast<uint64_t>(made.before[array].data());
            launch.args[2 * array + 1] = made.before[array].size();
        }
        launch.run(made.text.str());
        for (size_t array = 0; array < 2; ++array)
            ASSERT_EQ(made.before[array], made.memory[array]) << seed << "\n" << made.text.str();
    }
}

TEST(Interleaved, NothingIsAccessedPastTheLastElement) {
    const size_t page = 4096;
    auto *pages =
        static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
    for (const int apart : {3, 4, 5, 9})
        for (const int on : {16, 11, 1}) {
            const size_t elements = size_t((on - 1) * apart + apart - 1); // all but the last component of the last lane
            auto *from = reinterpret_cast<int32_t *>(pages + page) - elements;
            for (size_t i = 0; i < elements; ++i) from[i] = int32_t(i);
            std::ostringstream text;
            text << "task serial @sum(%0: array<i32, 1>, %1: array<i32, 1>)\n    %2: ptr<i32> = array_base %0\n"
                 << "    %3: ptr<i32> = array_base %1\n    %4: i64 = constant " << 4 * apart
                 << "\n    %5: i64x16 = splat %4\n"
                 << "    %6: i64x16 = iota\n    %7: i64x16 = mul %6, %5\n    %8: i32 = constant " << on
                 << "\n    %9: i32x16 = splat %8\n    %10: i32x16 = iota\n"
                 << (on < 16 ? "    %11: u1x16 = lt %10, %9\n"
                             : "    %12: u1 = constant 1\n    %11: u1x16 = splat %12\n");
            int sum = 0;
            for (int c = 0; c + 1 < apart; ++c) {
                const int v = 20 + 4 * c;
                text << "    %" << v << ": i64 = constant " << 4 * c << "\n    %" << v + 1
                     << ": ptr<i32> = offset %2, %" << v << "\n    %" << v + 2 << ": i32x16 = gather %" << v + 1
                     << ", %7, %11\n";
                if (c) text << "    %" << v + 3 << ": i32x16 = add %" << sum << ", %" << v + 2 << "\n";
                sum = c ? v + 3 : v + 2;
            }
            text << "    store %3, %" << sum << "\n    ret\n";
            int32_t sums[16];
            Launch launch;
            launch.args[0] = reinterpret_cast<uint64_t>(from);
            launch.args[1] = elements;
            launch.args[2] = reinterpret_cast<uint64_t>(sums);
            launch.args[3] = 16;
            launch.run(text.str());
            for (int lane = 0; lane < 16; ++lane) {
                int32_t expected = 0;
                for (int c = 0; c + 1 < apart && lane < on; ++c) expected += lane * apart + c;
                EXPECT_EQ(sums[lane], expected) << apart << " apart, lane " << lane << " of " << on;
            }
        }
    munmap(pages, 2 * page);
}

TEST(Interleaved, AdjacentComponentsAreLoadedAndStoredTogether) {
    if (backends::cpu.caps(0).vector_bytes < 64) GTEST_SKIP() << "shuffles of two registers take several instructions";
    for (const int apart : {2, 3, 4, 9}) {
        const std::string ir = optimised(doubled(apart, apart));
        EXPECT_EQ(ir.find("masked.gather"), std::string::npos) << ir;
        EXPECT_EQ(ir.find("masked.scatter"), std::string::npos) << ir;
        size_t loads = 0;
        for (size_t at = 0; (at = ir.find("load <16 x float>", at)) != std::string::npos; ++at) ++loads;
        EXPECT_EQ(loads, size_t(apart)) << ir;
    }
    const std::string part = optimised(doubled(9, 8)); // not all components in between may be written
    EXPECT_EQ(part.find("masked.gather"), std::string::npos) << part;
    EXPECT_NE(part.find("masked.scatter"), std::string::npos) << part;
    EXPECT_NE(optimised(doubled(16, 2)).find("masked.gather"), std::string::npos); // the distance is too large
}
