#include "engine/launch_lock.h"

#include "base/error.h"
#include "base/fork.h"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace qd::engine {
namespace {

/// A fork waits this long for launches to end.
constexpr auto patience = std::chrono::milliseconds(100);

constinit std::mutex listing;
constinit LaunchLock *first = nullptr;

void pause(int tries) {
    if (tries < 100)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

} // namespace

struct ForkedLaunches {
    static void before() {
        listing.lock();
        const auto until = std::chrono::steady_clock::now() + patience;
        for (LaunchLock *l = first; l; l = l->after_)
            for (int tries = 0; !(l->by_fork_ = l->take()); tries++) {
                if (std::chrono::steady_clock::now() > until) break;
                pause(tries);
            }
    }
    static void in_parent() {
        for (LaunchLock *l = first; l; l = l->after_)
            if (std::exchange(l->by_fork_, false)) l->unlock();
        listing.unlock();
    }
    static void in_child() {
        for (LaunchLock *l = first; l; l = l->after_) {
            l->abandoned_ |= l->is_held() && !l->by_fork_;
            if (std::exchange(l->by_fork_, false)) l->unlock();
        }
        new (&listing) std::mutex;
    }
};

namespace {
const ForkHooks hooks(ForkedLaunches::before, ForkedLaunches::in_parent, ForkedLaunches::in_child);
} // namespace

LaunchLock::LaunchLock() {
    const std::lock_guard guard(listing);
    after_ = first;
    if (first) first->before_ = this;
    first = this;
}

LaunchLock::~LaunchLock() {
    const std::lock_guard guard(listing);
    (before_ ? before_->after_ : first) = after_;
    if (after_) after_->before_ = before_;
}

void LaunchLock::wait() {
    if (abandoned_)
        fail_user(UserErrorKind::runtime,
                  "This process was forked while another thread ran a kernel, so its fields hold an incomplete result "
                  "of that kernel",
                  {}, "call qd.init() in the child, or fork while no kernel runs");
    for (int tries = 0; !take(); tries++) pause(tries);
}

} // namespace qd::engine
