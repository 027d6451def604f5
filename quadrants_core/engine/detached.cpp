#include "engine/detached.h"

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qd::engine {

std::thread start_thread(const char *name, std::function<void()> work) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread started;
    try {
        started = std::thread([name, work = std::move(work)] {
            pthread_setname_np(pthread_self(), name);
            work();
        });
    } catch (const std::system_error &) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

bool start_detached(const char *name, std::function<void()> work) {
    std::thread started = start_thread(name, std::move(work));
    if (!started.joinable()) return false;
    started.detach();
    return true;
}

pid_t this_thread() { return pid_t(syscall(SYS_gettid)); }

void lower_priority(pid_t thread, int niceness) { setpriority(PRIO_PROCESS, id_t(thread), niceness); }

} // namespace qd::engine
