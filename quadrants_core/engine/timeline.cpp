#include "engine/timeline.h"

#include "base/fork.h"
#include "engine/detached.h"

namespace qd::engine {
namespace {

struct Events {
    ForkLockedMutex lock;
    std::vector<TimelineEvent> all;
    uint64_t lost = 0;
};

/// Never destroyed: threads may still add to it while the process ends.
Events &events = *new Events;

double microseconds(TimelineClock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

} // namespace

void add_to_timeline(const char *what, std::string_view name, std::string_view of, TimelineClock::time_point begin,
                     TimelineClock::time_point end) {
    TimelineEvent event{what,
                        std::string(name),
                        std::string(of),
                        microseconds(begin.time_since_epoch()),
                        microseconds(end - begin),
                        int32_t(this_thread())};
    const std::lock_guard guard(events.lock);
    if (events.all.size() < max_events) {
        events.all.push_back(std::move(event));
    } else {
        events.lost++;
    }
}

void add_to_timeline(const char *what, std::string_view name, std::string_view of, double microseconds) {
    const auto now = TimelineClock::now();
    const std::chrono::duration<double, std::micro> spent(microseconds);
    add_to_timeline(what, name, of, now - std::chrono::duration_cast<TimelineClock::duration>(spent), now);
}

std::vector<TimelineEvent> timeline_events() {
    const std::lock_guard guard(events.lock);
    return events.all;
}

uint64_t timeline_lost() {
    const std::lock_guard guard(events.lock);
    return events.lost;
}

void clear_timeline() {
    const std::lock_guard guard(events.lock);
    events.all.clear();
    events.lost = 0;
}

} // namespace qd::engine
