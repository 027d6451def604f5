// Reports how tasks updated shared memory in their last launch.
#include "engine/program_impl.h"

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

std::vector<KernelUpdates> Program::last_updates() const {
    const std::lock_guard guard(impl_->watch_lock);
    std::vector<KernelUpdates> all;
    for (const CompiledKernel *kernel : impl_->kernels) {
        KernelUpdates &own = all.emplace_back(KernelUpdates{kernel->info.name, kernel->specialisation, {}});
        for (const KernelTask &task : kernel->tasks) own.tasks.push_back(updates_of(task));
    }
    return all;
}

} // namespace qd::engine
