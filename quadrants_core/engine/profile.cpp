#include "engine/profile.h"

#include "engine/stepping.h"

#include <algorithm>

namespace qd::engine {

void Profile::add(std::string_view kernel, std::string_view task, double microseconds) {
    const std::lock_guard guard(lock_);
    auto at = index_.find(Name(kernel, task));
    if (at == index_.end()) {
        at = index_.try_emplace({std::string(kernel), std::string(task)}, uint32_t(times_.size())).first;
        times_.push_back({std::string(kernel), std::string(task), 0, microseconds, microseconds, 0});
    }
    TaskTimes &times = times_[at->second];
    times.runs++;
    times.total += microseconds;
    times.shortest = std::min(times.shortest, microseconds);
    times.longest = std::max(times.longest, microseconds);
    if (runs_.size() < kept_runs) runs_.push_back({at->second, microseconds});
}

std::vector<TaskTimes> Profile::times() const {
    const std::lock_guard guard(lock_);
    return times_;
}

std::vector<TaskRun> Profile::runs() const {
    const std::lock_guard guard(lock_);
    return runs_;
}

void Profile::begin_graph(std::string_view kernel, const GraphRun &run) {
    {
        const std::lock_guard guard(lock_);
        auto at = graphs_.find(kernel);
        if (at == graphs_.end()) at = graphs_.try_emplace(std::string(kernel)).first;
        at->second.kernel = kernel;
        at->second.launches++;
    }
    note_graph(kernel, run, true);
}

void Profile::note_graph(std::string_view kernel, const GraphRun &run, bool running) {
    const std::lock_guard guard(lock_);
    const auto at = graphs_.find(kernel);
    if (at == graphs_.end()) return;
    GraphLaunch &launch = at->second;
    launch.running = running;
    launch.passes = run.passes;
    launch.checkpoints.clear();
    for (const GraphRun::State state : run.checkpoints) launch.checkpoints.push_back(name_of(state));
    launch.yielded = run.words.yielded;
}

std::vector<GraphLaunch> Profile::graphs() const {
    const std::lock_guard guard(lock_);
    std::vector<GraphLaunch> all;
    for (const auto &[name, launch] : graphs_) all.push_back(launch);
    return all;
}

void Profile::clear() {
    const std::lock_guard guard(lock_);
    index_.clear();
    times_.clear();
    runs_.clear();
}

} // namespace qd::engine
