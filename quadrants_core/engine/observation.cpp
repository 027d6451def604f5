// Observation of a program: observers, the profile, the timeline.
#include "engine/program_impl.h"
#include "engine/timeline.h"

#include <algorithm>

namespace qd::engine {

void Program::Impl::update_watched() {
    watched = times_tasks() ||
              std::any_of(observers.begin(), observers.end(), [](const Observer *o) { return o->wants_launches(); });
}

void Program::Impl::note_time(std::string_view kernel, std::string_view task, double microseconds) {
    if (live.profile) profile.add(kernel, task, microseconds);
    if (live.timeline) add_to_timeline("task", task, kernel, microseconds);
}

void Program::subscribe(Observer *observer) {
    const std::lock_guard guard(impl_->watch_lock);
    impl_->observers.push_back(observer);
    impl_->update_watched();
}

void Program::unsubscribe(Observer *observer) {
    const std::lock_guard guard(impl_->watch_lock);
    std::erase(impl_->observers, observer);
    impl_->update_watched();
}

void Program::follow(const Options &now) {
    const std::lock_guard guard(impl_->watch_lock);
    impl_->live.follow(now);
    impl_->update_watched();
}

Profile &Program::profile() { return impl_->profile; }

} // namespace qd::engine
