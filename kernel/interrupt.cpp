#include <Python.h>

#include "interrupt.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

namespace qd::kernel::interrupt {

namespace {
pthread_t main_thread;
pid_t process;
std::mutex running_mutex;
bool running = false;
std::atomic<bool> open{false}, late{false};
std::atomic<void (*)(int)> python_handler{nullptr};

void on_sigint(int number) {
    if (!pthread_equal(pthread_self(), main_thread) && getpid() == process) {
        // On a thread that user code started: interrupts whatever the main thread waits for.
        pthread_kill(main_thread, number);
        return;
    }
    auto next = python_handler.load();
    if (open.load() && next)
        next(number);
    else
        late.store(true);
}

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
    signal(SIGINT, SIG_DFL); // a shell that starts a server in the background makes its children ignore Ctrl-C
    main_thread = pthread_self();
    process = getpid();
}

void install() {
    struct sigaction now;
    sigaction(SIGINT, nullptr, &now);
    if (now.sa_flags & SA_SIGINFO) return; // a handler is already in front of ours
    if (now.sa_handler == on_sigint || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
    python_handler = now.sa_handler;
    struct sigaction ours{};
    ours.sa_handler = on_sigint;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGINT, &ours, nullptr);
}

Request::Request() {
    block_and_drain();
    install();
    late = false;
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

void allow(bool wanted) {
    if (wanted) {
        install();
        open = true;
        if (late.exchange(false)) raise(SIGINT);
        sigset_t set = only_sigint();
        pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
        return;
    }
    open = false;
    block_and_drain();
    if (PyErr_CheckSignals() != 0) PyErr_Clear();
}

void raise_in_user_code() {
    std::lock_guard lock(running_mutex);
    if (running) pthread_kill(main_thread, SIGINT);
}

} // namespace qd::kernel::interrupt
