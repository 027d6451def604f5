// The current activity of a program. Launches record nothing extra for this, only what they need themselves: the current task in
// `Stream::task`, the chunks that threads have left, and, for graphs, a count of passes. An observer marks the lock that a launch holds, so
// that the next observation can tell whether it is the same launch.
#include "engine/observation.h"
#include "runtime/fault_report.h"

#include <algorithm>

namespace qd::engine {
namespace {

using Clock = std::chrono::steady_clock;

/// Formats "kernel step (Cell In[2], line 4)".
std::string name_of(const CompiledKernel &kernel, uint32_t line) {
    constexpr std::string_view cell = "cell ";
    std::string place =
        kernel.file.starts_with(cell) ? "Cell In[" + kernel.file.substr(cell.size()) + "]" : kernel.file;
    if (line != 0) place += (place.empty() ? "line " : ", line ") + std::to_string(line);
    return "kernel " + kernel.info.name + (place.empty() ? "" : " (" + place + ")");
}

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

} // namespace

void Observation::describe_launch(Activity &now) const {
    const Stream &stream = queues_.main;
    const auto *task = static_cast<const KernelTask *>(__atomic_load_n(&stream.task, __ATOMIC_RELAXED));
    const auto has_task = [&](const CompiledKernel *kernel) {
        const KernelTask *first = kernel->tasks.data();
        return task && std::less_equal<>()(first, task) && std::less<>()(task, first + kernel->tasks.size());
    };
    const auto found = std::ranges::find_if(kernels_, has_task);
    if (found == kernels_.end()) return;
    const CompiledKernel &kernel = **found;
    now.kind = Activity::Kind::running;
    now.kernel = kernel.info.name;
    now.file = kernel.file;
    now.seconds = seconds_since(seen_);
    now.tasks = uint32_t(kernel.tasks.size());
    if (!queues_.host_visible) return; // submitted launches run one after another
    const size_t number = size_t(task - kernel.tasks.data());
    const abi::Task &info = kernel.info.tasks[number];
    now.task = info.name;
    now.number = uint32_t(number + 1);
    now.line = info.line;
    if (info.kind == abi::TaskKind::range) {
        const runtime::Progress share = stream.queue->progress_so_far();
        now.chunks = share.all;
        now.chunks_done = share.done;
    }
    for (int32_t level = info.graph.level; level >= 0; level = kernel.info.graph.levels[size_t(level)].parent)
        now.passes.push_back(__atomic_load_n(&kernel.passes[size_t(level)], __ATOMIC_RELAXED));
    std::ranges::reverse(now.passes);
}

Activity Observation::launch_in_progress() const {
    Activity now;
    const std::lock_guard guard(lock_);
    describe_launch(now);
    return now;
}

void Observation::adopt(CompiledKernel &kernel) {
    kernel.program_id = queues_.program_id;
    const std::lock_guard guard(lock_);
    adopted_++;
    kernel.specialisation = specialisations_[kernel.info.name]++;
    kernels_.push_back(&kernel);
    for (const KernelTask &task : kernel.tasks) runtime::name_task(&task, name_of(kernel, task.info->line));
}

void Observation::begin_compiling(const std::string &kernel, const std::string &file) {
    const std::lock_guard guard(lock_);
    compiling_.kernel = kernel;
    compiling_.file = file;
    compiling_.since = Clock::now();
    compiling_.done = compiling_.tasks = 0;
}

void Observation::compile_tasks(size_t all, size_t done) {
    compiling_.done = uint32_t(done);
    compiling_.tasks = uint32_t(all);
}

void Observation::end_compiling() {
    const std::lock_guard guard(lock_);
    compiling_.kernel.clear();
}

Activity Observation::activity() {
    Activity now;
    const std::lock_guard guard(lock_);
    const LaunchLock::Look look = queues_.main.launching.look();
    if (look == LaunchLock::Look::first) seen_ = Clock::now();
    if (!compiling_.kernel.empty()) {
        now.kind = Activity::Kind::compiling;
        now.kernel = compiling_.kernel;
        now.file = compiling_.file;
        now.seconds = seconds_since(compiling_.since);
        now.tasks = compiling_.tasks;
        now.done = std::min(compiling_.done.load(), now.tasks);
    } else if (look != LaunchLock::Look::free) {
        describe_launch(now);
    }
    return now;
}

} // namespace qd::engine
