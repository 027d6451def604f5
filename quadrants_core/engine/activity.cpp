// The current activity of a program. Launches record nothing extra for this, only what they need themselves: the current task in
// `Stream::now`, the chunks that threads have left, and, for graphs, a count of passes. An observer marks the lock that a launch holds, so
// that the next observation can tell whether it is the same launch.
#include "engine/program_impl.h"
#include "engine/stopped.h"
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

void describe_launch(const Program::Impl &p, Activity &now) {
    const auto *task = static_cast<const KernelTask *>(__atomic_load_n(&p.main.now.host.task, __ATOMIC_RELAXED));
    const auto has_task = [&](const CompiledKernel *kernel) {
        const KernelTask *first = kernel->tasks.data();
        return task && std::less_equal<>()(first, task) && std::less<>()(task, first + kernel->tasks.size());
    };
    const auto found = std::ranges::find_if(p.kernels, has_task);
    if (found == p.kernels.end()) return;
    const CompiledKernel &kernel = **found;
    now.kind = Activity::Kind::running;
    now.kernel = kernel.info.name;
    now.file = kernel.file;
    now.seconds = seconds_since(p.main.seen);
    now.tasks = uint32_t(kernel.tasks.size());
    if (!p.host_visible) return; // submitted launches run one after another
    const size_t number = size_t(task - kernel.tasks.data());
    const abi::Task &info = kernel.info.tasks[number];
    now.task = info.name;
    now.number = uint32_t(number + 1);
    now.line = info.line;
    if (info.kind == abi::TaskKind::range) {
        const runtime::Progress share = p.main.queue->progress_so_far();
        now.chunks = share.all;
        now.chunks_done = share.done;
    }
    for (int32_t level = info.graph.level; level >= 0; level = kernel.info.graph.levels[size_t(level)].parent)
        now.passes.push_back(__atomic_load_n(&kernel.passes[size_t(level)], __ATOMIC_RELAXED));
    std::ranges::reverse(now.passes);
}

void Program::Impl::adopt(CompiledKernel &kernel) {
    kernel.program_id = id;
    kernel.lifetime = lifetime;
    const std::lock_guard guard(watch_lock);
    adopted++;
    kernel.specialisation = specialisations[kernel.info.name]++;
    kernels.push_back(&kernel);
    for (const KernelTask &task : kernel.tasks) runtime::name_task(&task, name_of(kernel, task.info->line));
}

Activity Program::activity() const {
    Impl &p = *impl_;
    Activity now;
    const std::lock_guard guard(p.watch_lock);
    const LaunchLock::Look look = p.main.launching.look();
    if (look == LaunchLock::Look::first) p.main.seen = Clock::now();
    if (!p.compiling.kernel.empty()) {
        now.kind = Activity::Kind::compiling;
        now.kernel = p.compiling.kernel;
        now.file = p.compiling.file;
        now.seconds = seconds_since(p.compiling.since);
        now.tasks = p.compiling.tasks;
        now.done = std::min(p.compiling.done.load(), now.tasks);
    } else if (look != LaunchLock::Look::free) {
        describe_launch(p, now);
    }
    return now;
}

} // namespace qd::engine
