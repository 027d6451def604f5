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

bool start_detached(const char *name, std::function<void()> work) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
        std::thread([name, work = std::move(work)] {
            pthread_setname_np(pthread_self(), name);
            work();
        }).detach();
    } catch (const std::system_error &) {
        started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

pid_t this_thread() { return pid_t(syscall(SYS_gettid)); }

void lower_priority(pid_t thread, int niceness) { setpriority(PRIO_PROCESS, id_t(thread), niceness); }

} // namespace qd::engine
