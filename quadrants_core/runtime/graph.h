#pragma once
// A kernel whose tasks form a graph (abi/plan.h), as a list of steps, and the walk over it. Who runs the tasks, and where
// flags lie, is the business of the caller: the walk is the same for every device.
#include "abi/abi.h"

#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

namespace qd::runtime {

struct GraphStep {
    enum class Kind : uint8_t {
        task,
        level_begin,      ///< goes on at `target` if a resumed launch begins behind all checkpoints in it
        level_end,        ///< goes on at `target` while the flag is not 0
        checkpoint_begin, ///< goes on at `target` if it is left out
        checkpoint_end,
    };
    Kind kind = Kind::task;
    int32_t index = 0; ///< of the task, level or checkpoint
    uint32_t target = 0;
    static constexpr uint32_t no_slot = UINT32_MAX;
    uint32_t flag = no_slot; ///< slot of LaunchData::args with the address of the flag
    int32_t last = -1;       ///< of level_begin: the last checkpoint in the level; -1: none
};

/// The steps of a kernel in order.
std::vector<GraphStep> graph_steps(const abi::Kernel &kernel);

/// Flags whose arrays may be without elements: the slot of the array, and of each extent.
struct FlagExtents {
    uint32_t parameter = 0, slot = 0, ndim = 0;
};
std::vector<FlagExtents> flag_extents(const abi::Kernel &kernel);

/// Whether the tasks of a launch depend on flags: levels, and checkpoints that may yield.
bool has_flags(const abi::Graph &graph);

/// What runs the steps of a walk. `flag` reads the array whose address is in a slot.
template <class T>
concept GraphRunner = requires(T runner, int32_t task, uint32_t slot) {
    runner.task(task);
    { runner.flag(slot) } -> std::same_as<int32_t>;
};

/// Nobody looks on.
struct Unwatched {
    static constexpr bool before(size_t) { return true; }
    static constexpr void yielded(int32_t) {}
    static constexpr void turned(int32_t) {}
};

/// Runs the steps from `at` on. `watch` is asked before each step, and ends the walk there by saying no. Returns the step
/// that comes next.
template <GraphRunner Runner, class Watch = Unwatched>
size_t walk_graph(const std::vector<GraphStep> &steps, size_t at, abi::GraphWords &words, Runner &&runner,
                  Watch &&watch = {}) {
    constexpr int32_t none_left = std::numeric_limits<int32_t>::max();
    const auto is_set = [&](const GraphStep &step) {
        return step.flag != GraphStep::no_slot && runner.flag(step.flag) != 0;
    };
    for (; at < steps.size(); at++) {
        if (!watch.before(at)) return at;
        const GraphStep &step = steps[at];
        switch (step.kind) {
        case GraphStep::Kind::task: runner.task(step.index); break;
        case GraphStep::Kind::level_begin:
            if (step.last >= 0 && step.last < words.resume_point && words.yielded < 0) at = step.target - 1;
            break;
        case GraphStep::Kind::level_end:
            if (words.yielded >= 0 || !is_set(step)) break;
            words.resume_point = 0;
            watch.turned(step.index);
            at = step.target - 1;
            break;
        case GraphStep::Kind::checkpoint_begin:
            if (step.index < words.resume_point) at = step.target - 1;
            break;
        case GraphStep::Kind::checkpoint_end:
            if (!is_set(step)) break;
            words.yielded = step.index;
            words.resume_point = none_left;
            watch.yielded(step.index);
            break;
        }
    }
    return at;
}

} // namespace qd::runtime
