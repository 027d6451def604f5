#include <Python.h>

#include "interrupt.h"

#include <csignal>
#include <ctime>
#include <mutex>
#include <pthread.h>

namespace qd::kernel::interrupt {

namespace {
pthread_t main_thread;
std::mutex running_mutex;
bool running = false;

sigset_t only_sigint() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

void block_and_drain() {
    sigset_t set = only_sigint();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    timespec none{0, 0};
    while (sigtimedwait(&set, nullptr, &none) > 0) {
    }
}
} // namespace

void block_everywhere() {
    block_and_drain();
    main_thread = pthread_self();
}

Request::Request() {
    block_and_drain();
    std::lock_guard lock(running_mutex);
    running = true;
}

Request::~Request() {
    {
        std::lock_guard lock(running_mutex);
        running = false;
    }
    block_and_drain();
}

void allow(bool open) {
    if (open) {
        sigset_t set = only_sigint();
        pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
        return;
    }
    block_and_drain();
    if (PyErr_CheckSignals() != 0) PyErr_Clear();
}

void raise_in_user_code() {
    std::lock_guard lock(running_mutex);
    if (running) pthread_kill(main_thread, SIGINT);
}

} // namespace qd::kernel::interrupt
