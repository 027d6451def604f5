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

/// A kernel with flags 0, 1, ... of no dimensions.
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
        constexpr const char *names[] = {"t", "(", ")", "[", "]"};
        text += names[size_t(step.kind)] + std::to_string(step.index);
    }
    return text;
}

/// Runs tasks by writing their numbers; each flag is lowered when it is read.
struct Written {
    std::vector<int32_t> flags;
    std::string text;
    void task(int32_t index) { text += std::to_string(index); }
    int32_t flag(uint32_t slot) { return flags[slot] > 0 ? flags[slot]-- : flags[slot]; }
};

TEST(Graph, StepsSayWhatStandsInWhat) {
    // A checkpoint in a level, and a level in a checkpoint.
    const auto in_level = kernel({{0, -1}}, {{1, 0}}, {task(-1, -1), task(0, 0), task(0, 0), task(0, -1)}, 2);
    EXPECT_EQ(shown(graph_steps(in_level)), "t0(0[0t1t2]0t3)0");
    const auto around = kernel({{0, -1}}, {{1, -1}}, {task(-1, 0), task(0, 0), task(-1, 0), task(-1, -1)}, 2);
    EXPECT_EQ(shown(graph_steps(around)), "[0t0(0t1)0t2]0t3");
    const auto only = kernel({{0, -1}}, {{1, -1}}, {task(0, 0)}, 2);
    EXPECT_EQ(shown(graph_steps(only)), "[0(0t0)0]0");
    const auto siblings = kernel({{0, -1}, {1, 0}, {1, 0}}, {}, {task(1, -1), task(2, -1), task(0, -1)}, 2);
    EXPECT_EQ(shown(graph_steps(siblings)), "(0(1t0)1(2t1)2t2)0");
}

TEST(Graph, LevelsGoOnWhileTheirFlagIsSet) {
    const auto nested = kernel({{0, -1}, {1, 0}}, {}, {task(0, -1), task(1, -1), task(-1, -1)}, 2);
    Written run{{1, 1}, {}};
    abi::GraphWords words;
    walk_graph(graph_steps(nested), 0, words, run);
    EXPECT_EQ(run.text, "011012"); // the inner flag is 0 in the second pass
    EXPECT_EQ(words.yielded, -1);
}

TEST(Graph, AYieldLeavesOutCheckpointsAndEndsLevels) {
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

TEST(Graph, WhetherThereAreFlags) {
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
