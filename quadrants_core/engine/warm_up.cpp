#include "engine/warm_up.h"

#include "base/error.h"
#include "base/fork.h"
#include "ir/text.h"
#include "runtime/pool.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>

namespace qd::engine {
namespace {

constexpr const char *nothing = R"(fn @nothing(%0: i32)
    %1: ptr<i32> = tmp !0
    store %1, %0
    ret
)";

/// Exercises what most kernels need: the passes, vector code, a tail loop.
constexpr const char *typical = R"(fn @typical(%0: f32, %1: array<f32, 1>, %2: array<f32, 1>)
    %3: i32 = constant 0
    %4: i32 = dim %1 !0
    parallel %3, %4 (%5: i32)
        %6: i32 = constant 0
        %7: ptr<f32> = element %1, %5, %6
        %8: ptr<f32> = element %2, %5, %6
        %9: f32 = load %7
        %10: f32 = load %8
        %11: f32 = mul %0, %9
        %12: f32 = add %11, %10
        store %8, %12
        yield
    ret
)";

void compile_for_nothing(const Lowering &lowering, const char *text) {
    ir::ParseResult read = ir::parse(text);
    QD_CHECK(!read.error, read.error->message);
    for (ir::Function &task : lowering.tasks(read.functions.at(0))) {
        lowering.lower(task);
        lowering.emit(task, backends::Tier::best);
    }
}

/// Called when the thread is past the step that others wait for, whether it succeeded or failed.
void signal_open(std::atomic<bool> &opens) {
    opens.store(false, std::memory_order_release);
    opens.notify_all();
}

struct WarmUp {
    ForkLockedMutex lock; ///< never held at a fork: finish_warm_up runs first
    std::thread thread;
    std::set<const backends::Backend *> warm;
    std::atomic<bool> opens{false};  ///< the thread does work that a concurrent compilation would have to repeat
    std::atomic<bool> wanted{false}; ///< a kernel waits for the compiler: further warm-up is pointless
};
WarmUp &state() {
    static auto *state = new WarmUp; // outlives every exit handler
    return *state;
}

// A child forked while libraries are being opened could not open any itself. The child does not have the thread.
const ForkHooks hooks(finish_warm_up, nullptr, [] { new (&state().thread) std::thread; });

} // namespace

void warm_up(const Lowering &lowering) {
    WarmUp &s = state();
    const std::lock_guard guard(s.lock);
    if (runtime::usable_cores() < 2 || s.thread.joinable() || !s.warm.insert(&lowering.backend()).second) return;
    s.opens = true;
    try {
        s.thread = std::thread([lowering, &s] {
            try {
                compile_for_nothing(lowering, nothing);
                // Registered now, it runs before the exit handlers of the libraries that were just opened.
                std::atexit(finish_warm_up);
                signal_open(s.opens);
                if (!s.wanted) compile_for_nothing(lowering, typical);
            } catch (...) { // Stop; or a kernel that needs the compiler will hit the same error and report it
            }
            signal_open(s.opens);
        });
    } catch (const std::system_error &) { // no thread available
        signal_open(s.opens);
    }
}

void await_compiler() {
    WarmUp &s = state();
    if (!s.wanted.load(std::memory_order_relaxed)) s.wanted = true;
    s.opens.wait(true, std::memory_order_acquire);
}

void finish_warm_up() {
    WarmUp &s = state();
    const std::lock_guard guard(s.lock);
    if (s.thread.joinable()) s.thread.join();
}

} // namespace qd::engine
