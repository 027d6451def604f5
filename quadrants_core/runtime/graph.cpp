#include "runtime/graph.h"

#include "base/error.h"

#include <algorithm>

namespace qd::runtime {
namespace {

uint32_t slot_of(const abi::Kernel &kernel, uint32_t flag) {
    return flag == abi::no_flag ? GraphStep::no_slot : kernel.params[flag].slot;
}

/// Opens and closes levels and checkpoints between consecutive tasks.
class Steps {
  public:
    Steps(const abi::Kernel &kernel, std::span<const Region> regions)
        : kernel_(kernel), graph_(kernel.graph), regions_(regions) {}

    std::vector<GraphStep> make() {
        for (size_t i = 0; i < kernel_.tasks.size(); i++) {
            const std::vector<Open> around = around_task(kernel_.tasks[i].graph);
            size_t common = 0;
            while (common < open_.size() && common < around.size() && open_[common].is(around[common])) common++;
            close_down_to(common);
            for (size_t k = common; k < around.size(); k++) begin(around[k]);
            const auto region = std::ranges::find(regions_, i, &Region::first);
            if (region != regions_.end()) // a region contains only tasks
                steps_.push_back({GraphStep::Kind::region, int32_t(region - regions_.begin()),
                                  uint32_t(steps_.size() + 1 + region->end - region->first)});
            steps_.push_back({GraphStep::Kind::task, int32_t(i)});
        }
        close_down_to(0);
        return std::move(steps_);
    }

  private:
    struct Open {
        bool checkpoint = false;
        int32_t index = 0;
        size_t step = 0; ///< index of its first step
        bool is(const Open &other) const { return checkpoint == other.checkpoint && index == other.index; }
    };

    /// The levels and the checkpoint around a task, outermost first.
    std::vector<Open> around_task(const abi::GraphPosition &position) const {
        std::vector<Open> around;
        const int32_t checkpoint = position.checkpoint;
        const int32_t outside = checkpoint < 0 ? -1 : graph_.checkpoints[size_t(checkpoint)].level;
        bool placed = checkpoint < 0;
        for (int32_t level = position.level; level >= 0; level = graph_.levels[size_t(level)].parent) {
            if (!placed && level == outside) {
                around.push_back({true, checkpoint});
                placed = true;
            }
            around.push_back({false, level});
        }
        if (!placed) around.push_back({true, checkpoint});
        std::reverse(around.begin(), around.end());
        return around;
    }

    void begin(Open what) {
        what.step = steps_.size();
        open_.push_back(what);
        steps_.push_back(
            {what.checkpoint ? GraphStep::Kind::checkpoint_begin : GraphStep::Kind::level_begin, what.index});
        if (!what.checkpoint) return;
        for (const size_t level : ended_) steps_[level].next = what.index;
        ended_.clear();
    }

    void close_down_to(size_t depth) {
        for (; open_.size() > depth; open_.pop_back()) {
            const Open &last = open_.back();
            if (last.checkpoint) {
                const uint32_t flag = graph_.checkpoints[size_t(last.index)].flag;
                steps_.push_back({GraphStep::Kind::checkpoint_end, last.index, 0, slot_of(kernel_, flag)});
                steps_[last.step].target = uint32_t(steps_.size());
            } else {
                const uint32_t flag = graph_.levels[size_t(last.index)].flag;
                QD_CHECK(flag != abi::no_flag, "a level without a flag");
                steps_.push_back(
                    {GraphStep::Kind::level_end, last.index, uint32_t(last.step + 1), slot_of(kernel_, flag)});
                steps_[last.step].target = uint32_t(steps_.size());
                ended_.push_back(last.step);
            }
        }
    }

    const abi::Kernel &kernel_;
    const abi::Graph &graph_;
    std::span<const Region> regions_;
    std::vector<Open> open_;
    std::vector<GraphStep> steps_;
    std::vector<size_t> ended_; ///< first steps of ended levels after which no checkpoint has begun yet
};

} // namespace

Region::Region(std::span<const abi::Task> all, size_t from) : number(all[from].graph.region), first(from), end(from) {
    double sum = 0, largest = 0, section = 0;
    for (; end < all.size() && all[end].graph.region == number; end++) {
        if (end == first || all[end].graph.section != all[end - 1].graph.section) section = 0;
        section += all[end].weight.index;
        sum += all[end].weight.index;
        largest = std::max(largest, section);
    }
    pays_ = sum - largest > heavy;
}

std::vector<Region> regions_side_by_side(const abi::Kernel &kernel) {
    std::vector<Region> regions;
    for (size_t at = 0; at < kernel.tasks.size();) {
        if (kernel.tasks[at].graph.region < 0) {
            at++;
            continue;
        }
        const Region region(kernel.tasks, at);
        const auto tasks = std::span(kernel.tasks).subspan(at, region.end - at);
        const bool several = tasks.front().graph.section != tasks.back().graph.section;
        const auto free = [](const abi::Task &task) {
            return !task.runs_in_order && !task.has_side_effects && task.stacks.empty();
        };
        if (several && std::ranges::all_of(tasks, free)) regions.push_back(region);
        at = region.end;
    }
    return regions;
}

std::vector<GraphStep> graph_steps(const abi::Kernel &kernel, std::span<const Region> regions) {
    return Steps(kernel, regions).make();
}

std::vector<FlagExtents> flag_extents(const abi::Kernel &kernel) {
    std::vector<FlagExtents> all;
    const auto add = [&](uint32_t flag) {
        if (flag == abi::no_flag || kernel.params[flag].ndim == 0) return;
        if (std::ranges::any_of(all, [&](const FlagExtents &known) { return known.parameter == flag; })) return;
        all.push_back({flag, kernel.params[flag].slot, kernel.params[flag].ndim});
    };
    for (const abi::DoWhile &level : kernel.graph.levels) add(level.flag);
    for (const abi::Checkpoint &checkpoint : kernel.graph.checkpoints) add(checkpoint.flag);
    return all;
}

bool has_flags(const abi::Graph &graph) {
    return !graph.levels.empty() || std::ranges::any_of(graph.checkpoints, [](const abi::Checkpoint &checkpoint) {
        return checkpoint.flag != abi::no_flag;
    });
}

} // namespace qd::runtime
