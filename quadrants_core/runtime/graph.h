#pragma once
// A kernel whose tasks form a graph (abi/plan.h), as a list of steps, and the walk over it. The walk is the same for every device; the
// caller decides how tasks run and where flags are stored.
#include "abi/abi.h"

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace qd::runtime {

struct GraphStep {
    enum class Kind : uint8_t {
        task,
        level_begin, ///< continues at `target` if the level ends before the resume point of the launch, or after a yield
        level_end,   ///< continues at `target` while the flag is not 0
        checkpoint_begin, ///< continues at `target` if it is skipped
        checkpoint_end,
        region, ///< continues at `target` if its sections, whose tasks come next, were run concurrently
    };
    Kind kind = Kind::task;
    int32_t index = 0; ///< of the task, level, checkpoint, or entry of the regions
    uint32_t target = 0;
    static constexpr uint32_t no_slot = UINT32_MAX;
    uint32_t flag = no_slot; ///< slot of a launch record with the address of the flag
    static constexpr int32_t none_left = std::numeric_limits<int32_t>::max();
    int32_t next = none_left; ///< of level_begin: the first checkpoint after the level
};

/// A region whose sections may run concurrently, and whether that pays: judged by recent launches, and before the first launch by the
/// weight of its tasks.
class Region {
  public:
    int32_t number = 0;        ///< abi::GraphPosition
    size_t first = 0, end = 0; ///< tasks

    explicit Region(std::span<const abi::Task> all, size_t first);
    bool pays() const { return pays_; }
    /// True if a sequential run should be timed; this samples some of the runs.
    bool wants_time() { return runs_++ % timed_one_in == 0; }
    /// Reports the duration of a sequential run. A long one is followed by a concurrent run, which measures the gain.
    void took(double microseconds) { pays_ = microseconds > 2 * worth; }
    /// Reports how much single-threaded work overlapped.
    void saved(double microseconds) { pays_ = microseconds > worth; }

  private:
    static constexpr uint32_t timed_one_in = 16;
    static constexpr double worth = 15;     ///< microseconds: waking a thread and the cache misses it causes
    static constexpr double heavy = 30'000; ///< in the unit of abi::Task::weight
    bool pays_ = false;
    uint32_t runs_ = 0;
};

/// The regions of a kernel whose sections may run concurrently.
std::vector<Region> regions_side_by_side(const abi::Kernel &kernel);

/// The steps of a kernel in order, including steps for these regions.
std::vector<GraphStep> graph_steps(const abi::Kernel &kernel, std::span<const Region> regions = {});

/// Flags whose arrays may be empty: the slot of the array and its number of extents.
struct FlagExtents {
    uint32_t parameter = 0, slot = 0, ndim = 0;
};
std::vector<FlagExtents> flag_extents(const abi::Kernel &kernel);

/// True if the tasks of a launch depend on flags: levels, and checkpoints that may yield.
bool has_flags(const abi::Graph &graph);

/// Runs the steps of a walk. `flag` reads the array whose address is in a slot; `region` may run an entry of the regions concurrently and
/// returns whether it did.
template <class T>
concept GraphRunner = requires(T runner, int32_t task, uint32_t slot) {
    runner.task(task);
    { runner.flag(slot) } -> std::same_as<int32_t>;
    { runner.region(task) } -> std::same_as<bool>;
};

/// A walk without an observer.
struct Unwatched {
    static constexpr bool before(size_t) { return true; }
    static constexpr void yielded(int32_t) {}
    static constexpr void began(int32_t) {}
    static constexpr void repeated(int32_t) {}
};

/// Runs the steps from `at` on. `watch.before` is called before each step and ends the walk there by returning false. Returns the next
/// step.
template <GraphRunner Runner, class Watch = Unwatched>
size_t walk_graph(const std::vector<GraphStep> &steps, size_t at, abi::GraphWords &words, Runner &&runner,
                  Watch &&watch = {}) {
    for (; at < steps.size(); at++) {
        if (!watch.before(at)) return at;
        const GraphStep &step = steps[at];
        switch (step.kind) {
        case GraphStep::Kind::task: runner.task(step.index); break;
        case GraphStep::Kind::region:
            if (runner.region(step.index)) at = step.target - 1;
            break;
        case GraphStep::Kind::level_begin:
            if (step.next <= words.resume_point)
                at = step.target - 1;
            else
                watch.began(step.index);
            break;
        case GraphStep::Kind::level_end:
            if (words.yielded >= 0 || runner.flag(step.flag) == 0) break;
            words.resume_point = abi::GraphWords::from_the_start;
            watch.repeated(step.index);
            at = step.target - 1;
            break;
        case GraphStep::Kind::checkpoint_begin:
            if (step.index < words.resume_point) at = step.target - 1;
            break;
        case GraphStep::Kind::checkpoint_end:
            if (step.flag == GraphStep::no_slot || runner.flag(step.flag) == 0) break;
            words.yielded = step.index;
            words.resume_point = GraphStep::none_left;
            watch.yielded(step.index);
            break;
        }
    }
    return at;
}

} // namespace qd::runtime
