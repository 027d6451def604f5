#include "base/fork.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace qd {
namespace {

/// Returns the exit status of a child that runs this; the child is ended if it hangs.
template <class F> int in_child(const F &work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(work());
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Fork, data_of_a_locked_mutex_are_intact_in_the_child) {
    ForkLockedMutex mutex, other;
    int left = 0, right = 0;
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; t++)
        threads.emplace_back([&] {
            while (!over) {
                const std::lock_guard outer(mutex);
                const std::lock_guard inner(other);
                const std::unique_ptr<ForkLockedMutex> more(
                    new ForkLockedMutex); // made and ended while others are held
                left++;
                for (volatile int pause = 0; pause < 300; pause = pause + 1) {
                }
                right++;
                std::this_thread::yield();
            }
        });
    for (int n = 0; n < 100; n++) {
        ASSERT_EQ(in_child([&] {
                      const std::lock_guard guard(mutex);
                      const std::lock_guard second(other);
                      return left == right ? 0 : 1;
                  }),
                  0)
            << n;
    }
    over = true;
    for (std::thread &thread : threads) thread.join();
}

TEST(Fork, a_reset_mutex_is_free_in_the_child_which_knows_that_it_was_held) {
    ForkResetMutex idle, busy;
    std::atomic<bool> held{false}, over{false};
    std::thread holder([&] {
        const std::lock_guard guard(busy);
        held = true;
        while (!over) std::this_thread::yield();
    });
    while (!held) std::this_thread::yield();
    const int status = in_child([&] {
        for (ForkResetMutex *m : {&idle, &busy}) {
            m->lock();
            m->unlock();
        }
        return !idle.was_held_at_fork() && busy.was_held_at_fork() ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(busy.was_held_at_fork());
    over = true;
    holder.join();
    EXPECT_EQ(in_child([&] { return busy.was_held_at_fork() ? 1 : 0; }), 0);
}

TEST(Fork, a_child_of_a_child_has_its_locks_too) {
    ForkLockedMutex mutex;
    EXPECT_EQ(in_child([&] {
                  const std::unique_ptr<ForkLockedMutex> another(new ForkLockedMutex);
                  return in_child([&] {
                      const std::lock_guard guard(mutex);
                      const std::lock_guard second(*another);
                      return 7;
                  });
              }),
              7);
}

} // namespace
} // namespace qd
