#pragma once
// Locks that stay usable after a fork. A child has only the thread that forked, so a lock that another thread holds at that moment would
// never be released there. Every lock of the core that a child may use is of one of these two kinds.
#include <atomic>
#include <mutex>

namespace qd {

/// Held briefly, never while waiting for another thread. A fork takes all of these locks, so that the data they guard is consistent in the
/// child.
class ForkLockedMutex {
  public:
    ForkLockedMutex();
    ~ForkLockedMutex();
    ForkLockedMutex(const ForkLockedMutex &) = delete;

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    /// For condition variables. A child must replace those on which other threads may have waited.
    std::mutex &plain() { return mutex_; }

  private:
    friend class ForkScope;
    std::mutex mutex_;
    ForkLockedMutex *before_ = nullptr, *after_ = nullptr;
    bool held_ = false; ///< held by the current fork
};

/// May be held for as long as work takes. Free in a forked child.
class ForkResetMutex {
  public:
    ForkResetMutex();
    ~ForkResetMutex();
    ForkResetMutex(const ForkResetMutex &) = delete;

    void lock() {
        mutex_.lock();
        held_.store(true, std::memory_order_relaxed);
    }
    void unlock() {
        held_.store(false, std::memory_order_relaxed);
        mutex_.unlock();
    }
    /// In a child: true if another thread held it at the fork, so the data it guards may be inconsistent.
    bool was_held_at_fork() const { return held_at_fork_; }

  private:
    friend class ForkScope;
    std::mutex mutex_;
    ForkResetMutex *before_ = nullptr, *after_ = nullptr;
    std::atomic<bool> held_{false};
    bool held_at_fork_ = false;
};

/// Functions to call around each fork: before the locks above are taken, and after they are released or, in the child, free again. The
/// object is never destroyed. Null: no function.
class ForkHooks {
  public:
    ForkHooks(void (*before)(), void (*in_parent)(), void (*in_child)());

  private:
    friend class ForkScope;
    void (*before_)(), (*in_parent_)(), (*in_child_)();
    ForkHooks *after_;
};

} // namespace qd
