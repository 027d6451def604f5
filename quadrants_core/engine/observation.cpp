// Reads the heap use of adstacks, and the way in which tasks updated shared memory, after launches.
#include "engine/observation.h"

#include <mutex>

namespace qd::engine {
namespace {

std::string_view name_of(runtime::UpdateMode::How how) {
    using How = runtime::UpdateMode::How;
    switch (how) {
    case How::unknown: return "";
    case How::unlocked: return "unlocked";
    case How::locked: return "locked";
    case How::copies: return "copies";
    case How::parts: return "parts";
    case How::one_thread: return "one_thread";
    }
    return "";
}

TaskUpdates updates_of(const KernelTask &task) {
    const runtime::LoadedTask *code = task.code->current.load(std::memory_order_acquire);
    const runtime::UpdateMode last = code ? code->update_mode() : runtime::UpdateMode();
    return {task.info->name, name_of(last.how), last.copies, last.bytes};
}

} // namespace

std::vector<KernelUpdates> Observation::last_updates() const {
    const std::lock_guard guard(lock_);
    std::vector<KernelUpdates> all;
    for (const CompiledKernel *kernel : kernels_) {
        KernelUpdates &own = all.emplace_back(KernelUpdates{kernel->info.name, kernel->specialisation, {}});
        for (const KernelTask &task : kernel->tasks) own.tasks.push_back(updates_of(task));
    }
    return all;
}

void Observation::abandon_kernels() {
    for (CompiledKernel *kernel : kernels_) {
        kernel->program_id = 0;
        kernel->tasks.clear();
    }
}

void Observation::show_adstack(const KernelTask *task) {
    const std::lock_guard guard(lock_);
    task_with_adstack_ = task;
}

void Observation::note_heap_use(CompiledKernel &kernel, size_t task) {
    const std::lock_guard guard(lock_);
    kernel.heap_use[task] = queues_.main.queue->take_heap_use();
    task_with_adstack_ = nullptr;
}

std::vector<KernelMemory> Observation::adstack_memory(bool wait) {
    Stream &stream = queues_.main;
    std::unique_lock launches(stream.launching, std::defer_lock);
    if (wait) launches.lock();
    const std::lock_guard guard(lock_);
    std::vector<KernelMemory> all;
    for (const CompiledKernel *kernel : kernels_) {
        if (!kernel->has_adstack) continue;
        KernelMemory &own =
            all.emplace_back(KernelMemory{kernel->info.name, kernel->specialisation, kernel->stack_budget, {}});
        for (size_t i = 0; i < kernel->tasks.size(); ++i)
            if (const abi::Task &task = kernel->info.tasks[i]; !task.stacks.empty()) {
                const bool running = task_with_adstack_ == &kernel->tasks[i];
                own.tasks.push_back({task.name, task.line, task.stacks,
                                     running ? stream.queue->heap_use_so_far() : kernel->heap_use[i], running});
            }
    }
    return all;
}

} // namespace qd::engine
