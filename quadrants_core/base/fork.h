#pragma once
// Locks that a fork leaves usable. A child has one thread, the one that forked; what another thread holds at that
// moment nobody would ever give back there. Every lock of the core that a child may meet is of one of these two kinds.
#include <atomic>
#include <mutex>

namespace qd {

/// Held for moments, never while waiting for anybody. A fork holds all of these, so that what they guard is whole in
/// the child.
class BriefMutex {
  public:
    BriefMutex();
    ~BriefMutex();
    BriefMutex(const BriefMutex &) = delete;

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    /// For condition variables. A child must replace those on which others may have waited.
    std::mutex &plain() { return mutex_; }

  private:
    friend class ForkScope;
    std::mutex mutex_;
    BriefMutex *before_ = nullptr, *after_ = nullptr;
    bool held_ = false; ///< by the fork under way
};

/// May be held for as long as work takes. In a child it is free.
class LongMutex {
  public:
    LongMutex();
    ~LongMutex();
    LongMutex(const LongMutex &) = delete;

    void lock() {
        mutex_.lock();
        held_.store(true, std::memory_order_relaxed);
    }
    void unlock() {
        held_.store(false, std::memory_order_relaxed);
        mutex_.unlock();
    }
    /// In a child: somebody held it at the fork, so what it guards may be half done.
    bool torn() const { return torn_; }

  private:
    friend class ForkScope;
    std::mutex mutex_;
    LongMutex *before_ = nullptr, *after_ = nullptr;
    std::atomic<bool> held_{false};
    bool torn_ = false;
};

/// Functions to call around each fork, of an object that is never destroyed: before the locks above are taken; after
/// they are free again in the child. Null: none.
class ForkHooks {
  public:
    ForkHooks(void (*before)(), void (*in_parent)(), void (*in_child)());

  private:
    friend class ForkScope;
    void (*before_)(), (*in_parent_)(), (*in_child_)();
    ForkHooks *after_;
};

} // namespace qd
