#include "engine/emit.h"

#include "base/stack.h"
#include "base/stop.h"
#include "engine/detached.h"
#include "engine/weight.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace qd::engine {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(5);

/// Shared by the emitting thread and the waiting one, whichever lives longer.
template <class Result> struct Work {
    ir::Function task;
    const Lowering lowering;
    const std::function<Result(const Lowering &, const ir::Function &)> emit;
    std::mutex lock;
    std::condition_variable changed;
    pid_t thread = 0;
    bool done = false;
    Result result;
    std::exception_ptr error;

    void run();
    bool wait();
};

template <class Result> void Work<Result>::run() {
    try {
        with_stack(stack_for(task), [this] {
            {
                const std::lock_guard guard(lock);
                thread = this_thread();
            }
            result = emit(lowering, task);
        });
    } catch (...) {
        error = std::current_exception();
    }
    const std::lock_guard guard(lock);
    done = true;
    changed.notify_one();
}

/// Returns false after Stop.
template <class Result> bool Work<Result>::wait() {
    std::unique_lock guard(lock);
    while (!changed.wait_for(guard, poll_interval, [this] { return done; }))
        if (stop_word) {
            lower_priority(thread, lowest_priority);
            return false;
        }
    return true;
}

/// After Stop the thread is abandoned together with the task.
template <class Result>
Result run_abandonable(const Lowering &lowering, ir::Function &task,
                       std::function<Result(const Lowering &, const ir::Function &)> emit) {
    poll_stop();
    if (code_size(task) < abandonable_from_size) return emit(lowering, task);
    const std::shared_ptr<Work<Result>> work(
        new Work<Result>{std::move(task), lowering, std::move(emit), {}, {}, 0, false, {}, {}});
    if (!start_detached("qd-compile", [work] { work->run(); })) // no thread available
        work->run();
    if (!work->wait()) throw Interrupted{};
    task = std::move(work->task);
    if (work->error) std::rethrow_exception(work->error);
    return std::move(work->result);
}

} // namespace

abi::Binary emit(const Lowering &lowering, ir::Function &task, backends::Tier tier) {
    return run_abandonable<abi::Binary>(
        lowering, task, [tier](const Lowering &way, const ir::Function &legal) { return way.emit(legal, tier); });
}

std::string disassemble(const Lowering &lowering, ir::Function &task, backends::Tier tier, backends::Listing listing) {
    return run_abandonable<std::string>(lowering, task, [=](const Lowering &way, const ir::Function &legal) {
        return way.disassemble(legal, tier, listing);
    });
}

} // namespace qd::engine
