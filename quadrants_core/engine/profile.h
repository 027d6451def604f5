#pragma once
// Task times and the paths that graphs took: recorded by launches of a program with Options::kernel_profiler, read by qd.profiler.
#include "base/fork.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qd::engine {

/// One task of one kernel. Times are in microseconds.
struct TaskTimes {
    std::string kernel, task;
    uint64_t runs = 0;
    double shortest = 0, longest = 0, total = 0;
};
struct TaskRun {
    uint32_t task = 0; ///< index into the TaskTimes
    double microseconds = 0;
};

struct GraphRun;
/// The newest launch of a kernel that follows flags.
struct GraphLaunch {
    std::string kernel;
    uint64_t launches = 0;
    bool running = false;
    std::vector<uint64_t> passes;          ///< as in GraphRun
    std::vector<const char *> checkpoints; ///< names of GraphRun::State
    int32_t yielded = -1;                  ///< number of a checkpoint, or -1
};

class Profile {
  public:
    static constexpr size_t kept_runs = 1 << 16; ///< only the first runs are kept; sums go on

    void add(std::string_view kernel, std::string_view task, double microseconds);
    std::vector<TaskTimes> times() const; ///< in the order of their first runs
    std::vector<TaskRun> runs() const;    ///< in the order they ran
    /// Called when the launch of a graph begins, and whenever it progresses or ends.
    void begin_graph(std::string_view kernel, const GraphRun &run);
    void note_graph(std::string_view kernel, const GraphRun &run, bool running);
    std::vector<GraphLaunch> graphs() const;
    void clear(); ///< clears the times

  private:
    using Name = std::pair<std::string_view, std::string_view>;
    struct Less { // finds names without making strings
        using is_transparent = void;
        template <class A, class B> bool operator()(const A &a, const B &b) const {
            return Name(a.first, a.second) < Name(b.first, b.second);
        }
    };
    mutable ForkLockedMutex lock_;
    std::map<std::pair<std::string, std::string>, uint32_t, Less> index_;
    std::vector<TaskTimes> times_;
    std::vector<TaskRun> runs_;
    std::map<std::string, GraphLaunch, std::less<>> graphs_;
};

} // namespace qd::engine
