#include "engine/emit.h"

#include "base/stack.h"
#include "base/stop.h"
#include "engine/detached.h"
#include "engine/weight.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

namespace qd::engine {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(5);

/// Shared by the thread that emits and the one that waits, whichever lives longer.
struct Work {
    ir::Function task;
    const Lowering lowering;
    const backends::Tier tier;
    std::mutex lock;
    std::condition_variable changed;
    pid_t thread = 0;
    bool done = false;
    abi::Binary binary;
    std::exception_ptr error;

    void run();
    bool wait();
};

void Work::run() {
    try {
        with_stack(stack_for(task), [this] {
            {
                const std::lock_guard guard(lock);
                thread = this_thread();
            }
            binary = lowering.emit(task, tier);
        });
    } catch (...) {
        error = std::current_exception();
    }
    const std::lock_guard guard(lock);
    done = true;
    changed.notify_one();
}

/// False after Stop.
bool Work::wait() {
    std::unique_lock guard(lock);
    while (!changed.wait_for(guard, poll_interval, [this] { return done; }))
        if (stop_word) {
            lower_priority(thread, lowest_priority);
            return false;
        }
    return true;
}

} // namespace

abi::Binary emit(const Lowering &lowering, ir::Function &task, backends::Tier tier) {
    poll_stop();
    if (code_size(task) < apart_from_size) return lowering.emit(task, tier);
    const std::shared_ptr<Work> work(new Work{std::move(task), lowering, tier, {}, {}, 0, false, {}, {}});
    if (!start_detached("qd-compile", [work] { work->run(); })) // no thread to be had
        work->run();
    if (!work->wait()) throw Interrupted{};
    task = std::move(work->task);
    if (work->error) std::rethrow_exception(work->error);
    return std::move(work->binary);
}

} // namespace qd::engine
