#pragma once
// How long tasks ran: filled by launches of a program with Options::kernel_profiler, read by qd.profiler.
#include "base/fork.h"

#include <cstdint>
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
    uint32_t task = 0; ///< among the TaskTimes
    double microseconds = 0;
};

class Profile {
  public:
    static constexpr size_t kept_runs = 1 << 16; ///< the first ones; sums go on

    void add(std::string_view kernel, std::string_view task, double microseconds);
    std::vector<TaskTimes> times() const; ///< in the order of their first runs
    std::vector<TaskRun> runs() const;    ///< in the order they ran
    void clear();

  private:
    using Name = std::pair<std::string_view, std::string_view>;
    struct Less { // finds names without making strings
        using is_transparent = void;
        template <class A, class B> bool operator()(const A &a, const B &b) const {
            return Name(a.first, a.second) < Name(b.first, b.second);
        }
    };
    mutable BriefMutex lock_;
    std::map<std::pair<std::string, std::string>, uint32_t, Less> index_;
    std::vector<TaskTimes> times_;
    std::vector<TaskRun> runs_;
};

} // namespace qd::engine
