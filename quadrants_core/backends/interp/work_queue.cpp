#include "backends/interp/work_queue.h"

#include "base/error.h"
#include "runtime/faults.h"

#include <chrono>
#include <csignal>
#include <mutex>
#include <new>
#include <utility>

#include <pthread.h>

namespace qd::backends::interpreter {

namespace {

constexpr auto moment = std::chrono::milliseconds(1);
constexpr auto patience = std::chrono::milliseconds(100); ///< how long a fork waits for the current item

ForkLockedMutex &listing = *new ForkLockedMutex; // never destroyed: a fork may happen during exit
constinit WorkQueue *first = nullptr;

} // namespace

/// A fork happens between two work items: parent and child each do the remaining ones. If the fork had to proceed before the
/// current item was done, the next wait in the child throws.
struct ForkedQueues {
    static void before() {
        const std::lock_guard guard(listing);
        for (WorkQueue *q = first; q; q = q->after_) {
            std::unique_lock lock(q->lock_.plain());
            q->paused_ = true;
            q->ended_.wait_for(lock, patience, [&] { return !q->busy_; });
        }
    }
    static void in_parent() {
        const std::lock_guard guard(listing);
        for (WorkQueue *q = first; q; q = q->after_) {
            const std::lock_guard own(q->lock_);
            q->paused_ = false;
            q->changed_.notify_all();
        }
    }
    static void in_child() {
        for (WorkQueue *q = first; q; q = q->after_) {
            new (&q->changed_) std::condition_variable;
            new (&q->ended_) std::condition_variable;
            new (&q->thread_) std::thread;
            q->waiting_ = 0;
            q->paused_ = false;
            if (std::exchange(q->working_, false)) q->leave_();
            if (!std::exchange(q->busy_, false)) continue;
            q->queue_.clear();
            q->done_ = q->trouble_at_ = q->given_;
            q->trouble_ = std::make_exception_ptr(InternalError("the process was forked while a device worked"));
        }
    }
};

namespace {
/// Made before other hooks, so its `before` runs after theirs: by then no thread launches, and no thread waits for work.
[[gnu::init_priority(200)]] const ForkHooks hooks(ForkedQueues::before, ForkedQueues::in_parent,
                                                  ForkedQueues::in_child);
} // namespace

WorkQueue::WorkQueue(std::function<void()> enter, std::function<void()> leave)
    : enter_(std::move(enter)), leave_(std::move(leave)) {
    const std::lock_guard guard(listing);
    after_ = first;
    if (first) first->before_ = this;
    first = this;
}

WorkQueue::~WorkQueue() {
    {
        const std::lock_guard guard(listing);
        (before_ ? before_->after_ : first) = after_;
        if (after_) after_->before_ = before_;
    }
    {
        const std::lock_guard guard(lock_);
        quit_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

/// Requires the lock. The thread blocks all signals, which belong to the threads of the program.
void WorkQueue::start() {
    if (thread_.joinable()) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WorkQueue::add(std::function<void()> work) {
    const std::lock_guard guard(lock_);
    start();
    queue_.push_back(std::move(work));
    given_++;
    changed_.notify_all();
}

void WorkQueue::wait(uint64_t number) {
    std::unique_lock lock(lock_.plain());
    if (done_ < number) {
        start();
        waiting_++;
        changed_.notify_all();
        ended_.wait(lock, [&] { return done_ >= number; });
        waiting_--;
    }
    if (!trouble_ || trouble_at_ > number) return;
    const std::exception_ptr trouble = std::exchange(trouble_, nullptr);
    lock.unlock();
    std::rethrow_exception(trouble);
}

void WorkQueue::run() {
    pthread_setname_np(pthread_self(), "qd-far");
    runtime::prepare_thread_for_faults();
    std::unique_lock lock(lock_.plain());
    for (;;) {
        changed_.wait(lock, [&] { return quit_ || !queue_.empty(); });
        changed_.wait_for(lock, moment, [&] { return quit_ || waiting_; });
        if (quit_) return;
        changed_.wait(lock, [&] { return !paused_; });
        busy_ = true;
        lock.unlock();
        enter_();
        lock.lock();
        working_ = true;
        for (bool last = false; !last;) {
            if (paused_) {
                busy_ = false;
                ended_.notify_all();
                changed_.wait(lock, [&] { return !paused_; });
                busy_ = true;
            }
            std::function<void()> work = std::move(queue_.front());
            queue_.pop_front();
            const bool in_vain = trouble_ != nullptr;
            lock.unlock();
            std::exception_ptr met;
            try {
                if (!in_vain) work();
            } catch (...) {
                met = std::current_exception();
            }
            work = nullptr;
            lock.lock();
            last = queue_.empty() || quit_;
            if (last) { // before any waiter learns that all is done
                lock.unlock();
                leave_();
                lock.lock();
                working_ = busy_ = false;
            }
            done_++;
            if (met && !trouble_) {
                trouble_ = std::move(met);
                trouble_at_ = done_;
            }
            ended_.notify_all();
        }
    }
}

} // namespace qd::backends::interpreter
