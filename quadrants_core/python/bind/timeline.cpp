#include "python/bind/timeline.h"

#include "base/fork.h"

#include <vector>

namespace qd::bind {
namespace {

constexpr size_t kept_events = 1 << 18; ///< the first ones

struct Event {
    const char *what;
    std::string kernel;
    double begin, duration;
};

struct Events {
    BriefMutex lock;
    std::vector<Event> all;
};

/// Never destroyed: threads may still add to it while the process ends.
Events &all_events = *new Events;
Events &events() { return all_events; }

double microseconds(TimelineClock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

} // namespace

void add_to_timeline(const char *what, const std::string &kernel, TimelineClock::time_point begin,
                     TimelineClock::time_point end) {
    const std::lock_guard guard(events().lock);
    if (events().all.size() < kept_events)
        events().all.push_back({what, kernel, microseconds(begin.time_since_epoch()), microseconds(end - begin)});
}

PyObject *timeline() {
    const std::lock_guard guard(events().lock);
    PyObject *list = PyList_New(0);
    for (const Event &e : events().all) {
        PyObject *entry = list ? Py_BuildValue("(ssdd)", e.what, e.kernel.c_str(), e.begin, e.duration) : nullptr;
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

void clear_timeline() {
    const std::lock_guard guard(events().lock);
    events().all.clear();
}

} // namespace qd::bind
