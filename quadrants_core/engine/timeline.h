#pragma once
// Events of programs with the option `timeline`, with their times and threads: compile phases, launches, tasks. There is one list per
// process, which outlives its programs.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qd::engine {

using TimelineClock = std::chrono::steady_clock;

struct TimelineEvent {
    const char *what;   ///< "compile", "phase", "launch" or "task"
    std::string name;   ///< of the kernel, the phase or the task
    std::string of;     ///< the kernel or task that a phase or task belongs to
    double begin = 0;   ///< microseconds of one clock
    double length = 0;  ///< microseconds
    int32_t thread = 0; ///< the system's thread id
};

constexpr size_t max_events = 1 << 18; ///< only the first ones are kept

/// May be called from any thread.
void add_to_timeline(const char *what, std::string_view name, std::string_view of, TimelineClock::time_point begin,
                     TimelineClock::time_point end);
/// Adds an event that ends now.
void add_to_timeline(const char *what, std::string_view name, std::string_view of, double microseconds);
std::vector<TimelineEvent> timeline_events(); ///< in the order in which they ended
uint64_t timeline_lost();                     ///< events for which there was no room
void clear_timeline();

} // namespace qd::engine
