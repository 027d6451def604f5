#include "base/stack.h"

#include "base/error.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

namespace qd {

constinit thread_local StackBounds stack_bounds;

const char *const stack_message = "The program is nested too deep for the stack of this thread";
const char *const stack_hint = "call fewer functions within each other, split long expressions, or compile in a thread "
                               "with a larger stack (`threading.stack_size`)";

namespace {

/// The initial thread's stack: it ends above the name of the program, and grows down as far as the limit allows. glibc would read a map of
/// the whole process for this. The size is capped at what the kernel leaves free below it, whatever the limit.
StackBounds initial_stack() {
    constexpr rlim_t most = 64 << 20, page = 4096;
    const char *name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
    rlimit limit;
    if (!name || getrlimit(RLIMIT_STACK, &limit) != 0) return {};
    const uintptr_t high = (uintptr_t(name) + std::strlen(name) + sizeof(void *) + page) / page * page;
    return {high - std::min(limit.rlim_cur, most), high, true};
}

} // namespace

void find_stack_bounds() {
    const auto here = uintptr_t(__builtin_frame_address(0));
    if (gettid() == getpid()) {
        stack_bounds = initial_stack();
        if (here >= stack_bounds.low && here < stack_bounds.high) return;
        stack_bounds = {}; // the stack of a thread, in a forked child
    }
    stack_bounds.known = true;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *low = nullptr;
    size_t size = 0, guard = 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        pthread_attr_getguardsize(&attributes, &guard);
        stack_bounds.low = uintptr_t(low) + guard;
        stack_bounds.high = uintptr_t(low) + size;
    }
    pthread_attr_destroy(&attributes);
}

void fail_stack() { fail_user(UserErrorKind::compilation, stack_message, {}, stack_hint); }

namespace {

struct Job {
    const std::function<void()> &work;
    std::exception_ptr error;

    static void *run(void *job) {
        try {
            static_cast<Job *>(job)->work();
        } catch (...) {
            static_cast<Job *>(job)->error = std::current_exception();
        }
        return nullptr;
    }
};

} // namespace

void with_stack(size_t needed, const std::function<void()> &work) {
    if (stack_left() >= needed) return work();
    Job job{work, {}};
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (needed + stack_reserve + 0xFFFF) & ~size_t(0xFFFF));
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the threads of the program
    pthread_t thread;
    const int failed = pthread_create(&thread, &attributes, Job::run, &job);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (failed) fail_stack();
    pthread_join(thread, nullptr);
    if (job.error) std::rethrow_exception(job.error);
}

} // namespace qd
