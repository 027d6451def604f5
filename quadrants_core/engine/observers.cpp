#include "engine/observers.h"

#include "engine/timeline.h"

#include <algorithm>
#include <cstdio>
#include <mutex>

namespace qd::engine {

Observers::Observers(const Options &options)
    : watched_(options.kernel_profiler || options.timeline), profiles_(options.kernel_profiler),
      timeline_(options.timeline), sees_compiling_(options.show_compiling) {}

void Observers::follow(const Options &now) {
    const std::lock_guard guard(lock_);
    profiles_ = now.kernel_profiler;
    timeline_ = now.timeline;
    update_watched();
}

void Observers::update_watched() { watched_ = time_tasks() || std::ranges::any_of(all_, &Observer::wants_launches); }

void Observers::subscribe(Observer *observer) {
    const std::lock_guard guard(lock_);
    all_.push_back(observer);
    update_watched();
}

void Observers::unsubscribe(Observer *observer) {
    const std::lock_guard guard(lock_);
    std::erase(all_, observer);
    update_watched();
}

void Observers::write(std::string_view text) {
    const std::lock_guard guard(lock_);
    bool taken = false;
    for (Observer *observer : all_) {
        if (!observer->wants_output()) continue;
        observer->output(text);
        taken = true;
    }
    if (taken) return;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void Observers::warn(const std::string &text) {
    const std::lock_guard guard(lock_);
    for (Observer *observer : all_) observer->warning(text);
    if (all_.empty()) std::fprintf(stderr, "[quadrants] warning: %s\n", text.c_str());
}

void Observers::announce(const CompileReport &report) {
    const std::lock_guard guard(lock_);
    for (Observer *observer : all_) observer->compiled(report);
}

void Observers::announce_launch(std::string_view kernel) {
    const std::lock_guard guard(lock_);
    for (Observer *observer : all_)
        if (observer->wants_launches()) observer->launched(kernel);
}

void Observers::stack_budget_exceeded() {
    const std::lock_guard guard(lock_);
    for (Observer *observer : all_) observer->stack_budget_exceeded();
}

void Observers::closing(Program &program) {
    for (Observer *observer : std::vector(all_)) observer->closing(program);
}

void Observers::note_time(std::string_view kernel, std::string_view task, double microseconds) {
    if (profiles_) profile_.add(kernel, task, microseconds);
    if (timeline_) add_to_timeline("task", task, kernel, microseconds);
}

void Observers::show_compiling(const std::string &kernel) {
    if (sees_compiling_) write("Compiling kernel '" + kernel + "'\n");
}

} // namespace qd::engine
