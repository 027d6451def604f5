#include "engine/background.h"

#include "base/fork.h"
#include "engine/detached.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>

namespace qd::engine {
namespace {

/// The end of a process waits this long for the current job, so that short-running programs fill the cache too.
constexpr auto grace = std::chrono::milliseconds(100);

struct Job {
    std::shared_ptr<Lifetime> lifetime;
    std::function<void()> work;
};

class Background {
  public:
    void submit(Job job);
    void forget(const Lifetime *lifetime);
    void finish(const Lifetime *lifetime);
    /// Called when the process ends.
    void stop();
    ForkLockedMutex publishing; ///< held while a job touches its program

  private:
    void work();

    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    const Lifetime *current_ = nullptr; ///< program of the current job
    bool running_ = false;              ///< the thread has work or waits for it
    std::thread thread_;                ///< the most recent thread
};

// Never destroyed, since its thread may be the last to use it. A forked child, which has no such thread, gets a new instance.
std::atomic<Background *> instance{nullptr};
std::atomic<bool> stops_at_exit{false};
const ForkHooks hooks(nullptr, nullptr, [] { instance = nullptr; });

Background &background() {
    if (Background *present = instance.load()) return *present;
    if (!stops_at_exit.exchange(true))
        std::atexit([] {
            if (Background *present = instance.load()) present->stop();
        });
    auto *fresh = new Background;
    Background *expected = nullptr;
    if (instance.compare_exchange_strong(expected, fresh)) return *fresh;
    delete fresh;
    return *expected;
}

void Background::submit(Job job) {
    const std::lock_guard guard(lock_);
    jobs_.push_back(std::move(job));
    if (std::exchange(running_, true)) return;
    if (thread_.joinable()) thread_.detach(); // it has nothing left to do
    thread_ = start_thread("qd-background", [this] { work(); });
    if (thread_.joinable()) return;
    running_ = false; // the current code stays in use
    jobs_.clear();
}

void Background::work() {
    lower_priority(0, background_priority);
    std::unique_lock guard(lock_);
    while (!jobs_.empty()) {
        {
            Job job = std::move(jobs_.front());
            jobs_.pop_front();
            current_ = job.lifetime.get();
            guard.unlock();
            job.work();
        }
        guard.lock();
        current_ = nullptr;
        changed_.notify_all();
    }
    running_ = false;
    changed_.notify_all();
}

void Background::forget(const Lifetime *lifetime) {
    std::deque<Job> dropped;
    const std::lock_guard guard(lock_);
    for (auto job = jobs_.begin(); job != jobs_.end();) {
        if (job->lifetime.get() != lifetime) {
            ++job;
            continue;
        }
        dropped.push_back(std::move(*job));
        job = jobs_.erase(job);
    }
}

void Background::finish(const Lifetime *lifetime) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] {
        return current_ != lifetime &&
               std::none_of(jobs_.begin(), jobs_.end(), [&](const Job &job) { return job.lifetime.get() == lifetime; });
    });
}

/// Joins a finished thread, so that the process does not end while the thread releases its resources.
void Background::stop() {
    std::unique_lock guard(lock_);
    jobs_.clear();
    if (!changed_.wait_for(guard, grace, [&] { return !running_; })) return;
    std::thread last = std::move(thread_);
    guard.unlock();
    if (last.joinable()) last.join();
}

} // namespace

void in_background(std::shared_ptr<Lifetime> lifetime, std::function<void()> work) {
    background().submit({std::move(lifetime), std::move(work)});
}

bool with_program(Lifetime &lifetime, const std::function<void(Program &)> &touch) {
    const std::lock_guard hold(background().publishing);
    const std::lock_guard guard(lifetime.lock);
    if (!lifetime.program) return false;
    touch(*lifetime.program);
    return true;
}

void forget_background(const Lifetime *lifetime) {
    if (Background *present = instance.load()) present->forget(lifetime);
}
void finish_background(const Lifetime *lifetime) {
    if (Background *present = instance.load()) present->finish(lifetime);
}

} // namespace qd::engine
