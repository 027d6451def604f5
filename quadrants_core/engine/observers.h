#pragma once
// Those who follow a program: observers, the profile, the timeline. May be called from any thread.
#include "base/fork.h"
#include "engine/observer.h"
#include "engine/profile.h"
#include "options/options.h"

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace qd::engine {

class Observers {
  public:
    explicit Observers(const Options &options);
    /// Takes over the options `kernel_profiler` and `timeline`.
    void follow(const Options &now);

    void subscribe(Observer *observer);
    void unsubscribe(Observer *observer);

    /// True if launches are announced or timed.
    bool watch_launches() const { return watched_.load(std::memory_order_relaxed); }
    bool time_tasks() const { return profiles_ || timeline_; }
    bool have_timeline() const { return timeline_; }
    bool see_compiling() const { return sees_compiling_; }
    Profile &profile() { return profile_; } ///< empty unless Options::kernel_profiler

    /// Writes the output of kernels and dumps: to the observers, or to the C stdout if none takes it.
    void write(std::string_view text);
    void warn(const std::string &text);
    void announce(const CompileReport &report);
    void announce_launch(std::string_view kernel);
    void stack_budget_exceeded();
    void closing(Program &program);
    void note_time(std::string_view kernel, std::string_view task, double microseconds);
    /// Writes the line of QD_SHOW_COMPILING.
    void show_compiling(const std::string &kernel);

  private:
    void update_watched(); ///< the caller holds the lock

    ForkLockedMutex lock_;
    std::vector<Observer *> all_;
    std::atomic<bool> watched_, profiles_, timeline_;
    const bool sees_compiling_;
    Profile profile_;
};

} // namespace qd::engine
