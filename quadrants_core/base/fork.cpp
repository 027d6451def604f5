#include "base/fork.h"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include <pthread.h>

namespace qd {
namespace {

/// After this time a fork proceeds without the locks that it could not take: their holder is stopped, or waits for the forking thread.
/// The child replaces all locks by new ones.
constexpr auto lock_timeout = std::chrono::seconds(5);

/// Guards the lists; constant-initialised, so that locks may be created before main.
constinit std::mutex listing;
constinit ForkLockedMutex *first_locked = nullptr;
constinit ForkResetMutex *first_reset = nullptr;
constinit ForkHooks *first_hooks = nullptr;

template <class Mutex> void reinitialise(Mutex &mutex) { new (&mutex) Mutex; }

} // namespace

class ForkScope {
  public:
    static void before() {
        for (ForkHooks *h = first_hooks; h; h = h->after_)
            if (h->before_) h->before_();
        const auto until = std::chrono::steady_clock::now() + lock_timeout;
        for (int tries = 0;; tries++) {
            listing.lock();
            // Take all or none, to avoid a deadlock: a thread that holds one lock may wait for another, or create or destroy one.
            if (take_all() || std::chrono::steady_clock::now() > until) return;
            give_all();
            listing.unlock();
            if (tries < 100)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
    static void in_parent() {
        give_all();
        listing.unlock();
        for (ForkHooks *h = first_hooks; h; h = h->after_)
            if (h->in_parent_) h->in_parent_();
    }
    static void in_child() {
        for (ForkLockedMutex *m = first_locked; m; m = m->after_) {
            m->held_ = false;
            reinitialise(m->mutex_);
        }
        for (ForkResetMutex *m = first_reset; m; m = m->after_) {
            m->held_at_fork_ |= m->held_.exchange(false);
            reinitialise(m->mutex_);
        }
        reinitialise(listing);
        for (ForkHooks *h = first_hooks; h; h = h->after_)
            if (h->in_child_) h->in_child_();
    }

    template <class Mutex> static void add(Mutex *&first, Mutex *m) {
        const std::lock_guard guard(listing);
        m->after_ = first;
        if (first) first->before_ = m;
        first = m;
    }
    template <class Mutex> static void remove(Mutex *&first, Mutex *m) {
        const std::lock_guard guard(listing);
        (m->before_ ? m->before_->after_ : first) = m->after_;
        if (m->after_) m->after_->before_ = m->before_;
    }

  private:
    static bool take_all() {
        for (ForkLockedMutex *m = first_locked; m; m = m->after_)
            if (!(m->held_ = m->mutex_.try_lock())) return false;
        return true;
    }
    static void give_all() {
        for (ForkLockedMutex *m = first_locked; m; m = m->after_)
            if (std::exchange(m->held_, false)) m->mutex_.unlock();
    }
};

namespace {
const int registered = pthread_atfork(ForkScope::before, ForkScope::in_parent, ForkScope::in_child);
} // namespace

ForkLockedMutex::ForkLockedMutex() {
    (void)registered;
    ForkScope::add(first_locked, this);
}
ForkLockedMutex::~ForkLockedMutex() { ForkScope::remove(first_locked, this); }
ForkResetMutex::ForkResetMutex() { ForkScope::add(first_reset, this); }
ForkResetMutex::~ForkResetMutex() { ForkScope::remove(first_reset, this); }

ForkHooks::ForkHooks(void (*before)(), void (*in_parent)(), void (*in_child)())
    : before_(before), in_parent_(in_parent), in_child_(in_child), after_(first_hooks) {
    first_hooks = this;
}

} // namespace qd
