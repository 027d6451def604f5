#include "runtime/graph.h"

#include <gtest/gtest.h>

#include <string>

namespace qd::runtime {
namespace {

abi::Task task(int32_t level, int32_t checkpoint) {
    abi::Task made;
    made.graph.level = level;
    made.graph.checkpoint = checkpoint;
    return made;
}

/// A kernel with flags 0, 1, ... without dimensions.
abi::Kernel kernel(std::vector<abi::DoWhile> levels, std::vector<abi::Checkpoint> checkpoints,
                   std::vector<abi::Task> tasks, uint32_t flags) {
    abi::Kernel made;
    made.graph = {std::move(levels), std::move(checkpoints)};
    made.tasks = std::move(tasks);
    for (uint32_t i = 0; i < flags; i++) {
        abi::Param param;
        param.kind = abi::ParamKind::array;
        param.slot = i;
        made.params.push_back(param);
    }
    return made;
}

std::string shown(const std::vector<GraphStep> &steps) {
    std::string text;
    for (const GraphStep &step : steps) {
        constexpr const char *names[] = {"t", "(", ")", "[", "]", "|"};
        text += names[size_t(step.kind)] + std::to_string(step.index);
    }
    return text;
}

/// Records the numbers of the tasks that run; reading a flag lowers it.
struct Written {
    std::vector<int32_t> flags;
    std::string text;
    void task(int32_t index) { text += std::to_string(index); }
    int32_t flag(uint32_t slot) { return flags[slot] > 0 ? flags[slot]-- : flags[slot]; }
    bool region(int32_t) { return false; }
};

TEST(Graph, StepsDescribeTheNesting) {
    // A checkpoint inside a level, and a level inside a checkpoint.
    const auto in_level = kernel({{0, -1}}, {{1, 0}}, {task(-1, -1), task(0, 0), task(0, 0), task(0, -1)}, 2);
    EXPECT_EQ(shown(graph_steps(in_level)), "t0(0[0t1t2]0t3)0");
    const auto around = kernel({{0, -1}}, {{1, -1}}, {task(-1, 0), task(0, 0), task(-1, 0), task(-1, -1)}, 2);
    EXPECT_EQ(shown(graph_steps(around)), "[0t0(0t1)0t2]0t3");
    const auto only = kernel({{0, -1}}, {{1, -1}}, {task(0, 0)}, 2);
    EXPECT_EQ(shown(graph_steps(only)), "[0(0t0)0]0");
    const auto siblings = kernel({{0, -1}, {1, 0}, {1, 0}}, {}, {task(1, -1), task(2, -1), task(0, -1)}, 2);
    EXPECT_EQ(shown(graph_steps(siblings)), "(0(1t0)1(2t1)2t2)0");
}

TEST(Graph, LevelsRepeatWhileTheirFlagIsSet) {
    const auto nested = kernel({{0, -1}, {1, 0}}, {}, {task(0, -1), task(1, -1), task(-1, -1)}, 2);
    Written run{{1, 1}, {}};
    abi::GraphWords words;
    walk_graph(graph_steps(nested), 0, words, run);
    EXPECT_EQ(run.text, "011012"); // the inner flag is 0 in the second pass
    EXPECT_EQ(words.yielded, -1);
}

TEST(Graph, AYieldSkipsCheckpointsAndEndsLevels) {
    const auto staged = kernel({{0, -1}}, {{1, 0}, {abi::no_flag, 0}}, {task(0, 0), task(0, 1), task(0, -1)}, 2);
    Written run{{5, 1}, {}};
    abi::GraphWords words;
    walk_graph(graph_steps(staged), 0, words, run);
    EXPECT_EQ(run.text, "02");
    EXPECT_EQ(words.yielded, 0);
    words = {.resume_point = 1, .yielded = -1};
    run = {{1, 0}, {}};
    walk_graph(graph_steps(staged), 0, words, run);
    EXPECT_EQ(run.text, "12012"); // all of the second pass
}

TEST(Graph, ALevelBeforeTheResumedCheckpointIsSkipped) {
    const auto staged =
        kernel({{0, -1}}, {{abi::no_flag, 0}, {1, -1}}, {task(0, 0), task(0, -1), task(-1, -1), task(-1, 1)}, 2);
    Written run{{1, 0}, {}};
    abi::GraphWords words{.resume_point = 1, .yielded = -1};
    walk_graph(graph_steps(staged), 0, words, run);
    EXPECT_EQ(run.text, "23"); // and its flag is not read
    EXPECT_EQ(run.flags[0], 1);
}

TEST(Graph, LevelsWithoutCheckpointsAreInOrder) {
    // Level 0, checkpoint 0, level 1 around level 2 and checkpoint 1, level 3. Checkpoint 1 contains level 4.
    const auto staged =
        kernel({{0, -1}, {1, -1}, {2, 1}, {3, -1}, {4, 1}}, {{abi::no_flag, -1}, {5, 1}},
               {task(0, -1), task(-1, 0), task(1, -1), task(2, -1), task(4, 1), task(1, 1), task(3, -1)}, 6);
    const auto steps = graph_steps(staged);
    EXPECT_EQ(shown(steps), "(0t0)0[0t1]0(1t2(2t3)2[1(4t4)4t5]1)1(3t6)3");
    const auto ran = [&](abi::GraphWords words, std::vector<int32_t> flags) {
        Written run{std::move(flags), {}};
        walk_graph(steps, 0, words, run);
        return run.text;
    };
    EXPECT_EQ(ran({}, {1, 0, 0, 0, 0, 0}), "00123456");
    EXPECT_EQ(ran({.resume_point = 0}, {1, 0, 0, 0, 0, 0}), "123456");      // resumes at the first checkpoint
    EXPECT_EQ(ran({.resume_point = 1}, {1, 1, 1, 1, 1, 0}), "24452334566"); // all of the second pass
    EXPECT_EQ(ran({}, {0, 1, 0, 1, 0, 1}), "012345");                       // the part after a yield
}

TEST(Graph, RegionsWhoseSectionsMayRunInParallel) {
    const auto in = [](int32_t region, int32_t section, float weight) {
        abi::Task made = task(-1, -1);
        made.graph.region = region;
        made.graph.section = section;
        made.weight = weight;
        return made;
    };
    auto several = kernel({}, {},
                          {in(-1, -1, 1), in(0, 0, 1), in(0, 0, 1), in(0, 1, 1), in(1, 0, 1), in(2, 0, 9e9f),
                           in(2, 1, 9e9f), in(-1, -1, 1)},
                          0);
    const auto regions = regions_side_by_side(several);
    ASSERT_EQ(regions.size(), 2u); // region 1 has one section
    EXPECT_FALSE(regions[0].pays());
    EXPECT_TRUE(regions[1].pays()); // because of its weight
    const auto steps = graph_steps(several, regions);
    EXPECT_EQ(shown(steps), "t0|0t1t2t3t4|1t5t6t7");
    EXPECT_EQ(steps[1].target, 5u);
    EXPECT_EQ(steps[6].target, 9u);
    for (bool abi::Task::*why : {&abi::Task::runs_in_order, &abi::Task::has_side_effects}) {
        auto kept = several;
        kept.tasks[2].*why = true;
        EXPECT_EQ(regions_side_by_side(kept).size(), 1u);
    }
}

TEST(Graph, TheBenefitOfARegionIsMeasured) {
    std::vector<abi::Task> tasks(2);
    tasks[1].graph.section = 1;
    for (abi::Task &one : tasks) one.graph.region = 0;
    Region region(tasks, 0);
    EXPECT_TRUE(region.wants_time()); // the first launch
    EXPECT_FALSE(region.wants_time());
    region.took(5);
    EXPECT_FALSE(region.pays());
    region.took(1000);
    EXPECT_TRUE(region.pays());
    region.saved(2); // tasks that used all threads
    EXPECT_FALSE(region.pays());
    region.took(1000);
    region.saved(500);
    EXPECT_TRUE(region.pays());
}

TEST(Graph, DetectsFlags) {
    EXPECT_FALSE(has_flags(kernel({}, {{abi::no_flag, -1}}, {}, 0).graph));
    EXPECT_TRUE(has_flags(kernel({}, {{abi::no_flag, -1}, {0, -1}}, {}, 1).graph));
    EXPECT_TRUE(has_flags(kernel({{0, -1}}, {}, {}, 1).graph));
    auto of_lines = kernel({{1, -1}}, {{1, -1}, {0, -1}}, {}, 2);
    of_lines.params[1].ndim = 2;
    ASSERT_EQ(flag_extents(of_lines).size(), 1u);
    EXPECT_EQ(flag_extents(of_lines)[0].ndim, 2u);
}

} // namespace
} // namespace qd::runtime
