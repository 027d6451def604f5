#include <Python.h>

#include "interrupt.h"

#include <csignal>
#include <ctime>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace qd::kernel::interrupt {

namespace {
using Verb = void (*)();
std::atomic<Verb> core_stop{nullptr}, core_clear{nullptr};
struct sigaction python_action;
int signalled = -1;
pthread_t main_thread;
std::mutex running_mutex;
bool running = false;

sigset_t only_sigint() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

void on_sigint(int number) {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t n = write(signalled, &one, sizeof one);
    if (python_action.sa_handler != SIG_DFL && python_action.sa_handler != SIG_IGN) python_action.sa_handler(number);
}

void drain() {
    sigset_t set = only_sigint();
    timespec none{0, 0};
    while (sigtimedwait(&set, nullptr, &none) > 0) {
    }
}
} // namespace

void block_everywhere() {
    signalled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigset_t set = only_sigint();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    main_thread = pthread_self();
}

void install() {
    struct sigaction ours{};
    ours.sa_handler = on_sigint;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGINT, &ours, &python_action);
}

Request::Request() {
    drain();
    if (Verb clear = core_clear.load()) clear();
    std::lock_guard lock(running_mutex);
    running = true;
}

Request::~Request() {
    {
        std::lock_guard lock(running_mutex);
        running = false;
    }
    sigset_t set = only_sigint();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    drain();
    if (Verb clear = core_clear.load()) clear();
}

void allow(bool open) {
    sigset_t set = only_sigint();
    pthread_sigmask(open ? SIG_UNBLOCK : SIG_BLOCK, &set, nullptr);
    if (open) return;
    drain();
    if (PyErr_CheckSignals() != 0) PyErr_Clear();
}

void raise_in_user_code() {
    std::lock_guard lock(running_mutex);
    if (running) pthread_kill(main_thread, SIGINT);
}

int signalled_fd() { return signalled; }

void stop_core() {
    uint64_t count;
    [[maybe_unused]] ssize_t n = read(signalled, &count, sizeof count);
    std::lock_guard lock(running_mutex);
    if (!core_stop.load()) {
        void *core = dlopen("libquadrants_core.so", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
        if (!core) return;
        core_clear = reinterpret_cast<Verb>(dlsym(core, "qd_clear_stop"));
        core_stop = reinterpret_cast<Verb>(dlsym(core, "qd_request_stop"));
    }
    if (Verb stop = core_stop.load(); stop && running) stop();
}

} // namespace qd::kernel::interrupt
