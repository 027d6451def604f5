// Tasks are compiled without locks if launches rarely need any (llvm/cpu/shared_updates.cpp). Whether a launch needs them is known once its
// ranges and arrays are: the task is then compiled again, during the launch, from the IR of its kernel.
#include "engine/shared_code.h"

#include "base/stack.h"
#include "base/stop.h"
#include "engine/build_task.h"
#include "engine/claims.h"
#include "engine/program.h"
#include "engine/stopwatch.h"
#include "engine/tiers.h"
#include "engine/weight.h"
#include "ir/serial.h"

#include <algorithm>
#include <exception>
#include <mutex>

namespace qd::engine {
namespace {

TaskBuild cut_out(Compiler &c, const CompiledKernel &kernel, size_t number) {
    Reader bytes(kernel.source);
    ir::Function source = ir::read(bytes);
    TaskBuild build;
    with_stack(stack_for(source), [&] {
        std::vector<ir::Function> tasks = c.lowering.tasks(source);
        ir::Function &task = tasks.at(number);
        task.set_flag(ir::CompileFlag::locked);
        build = start_build(std::move(task));
        name_by_content(c.build_key, build);
    });
    return build;
}

std::shared_ptr<TaskCode> code_with_locks(Compiler &c, const CompiledKernel &kernel, size_t number) {
    const std::lock_guard guard(c.compiling);
    TaskBuild build = cut_out(c, kernel, number);
    if (auto known = c.kept.known_task(build.key)) return known;
    const runtime::KernelKey key = key_of_tasks({&build.key, 1});
    std::vector<TaskBuild *> missing;
    std::unique_ptr<runtime::CachedKernel> kept;
    if (!load_from_disk(c, build, nullptr)) missing.push_back(&build);
    const auto claim = claim_kernel(c, key, missing, kept);
    if (!missing.empty()) {
        build_task(c, build);
        load_code(c, build);
    }
    const std::shared_ptr<TaskCode> code = c.kept.keep_task(build.key, build.code);
    if (build.later) optimise_later(std::move(*build.later), claim);
    if (c.kept.disk()) c.kept.disk()->use_kernel(key, kernel.info.name, {build.key}, kept.get());
    return code;
}

} // namespace

bool may_need_locks(const ir::Function &fn) {
    return std::ranges::any_of(fn.blocks, [&](const ir::Block &block) {
        return std::ranges::any_of(block.insts, [&](ir::Value v) { return ir::is_atomic(fn[v].op); });
    });
}

std::vector<uint8_t> source_of_locks(const ir::Function &kernel) {
    if (!may_need_locks(kernel)) return {};
    Writer source;
    ir::write(source, kernel);
    return std::move(source.bytes);
}

void need_locks(const abi::Launch &launch) {
    const auto &task = *static_cast<const KernelTask *>(launch.task);
    const CompiledKernel &kernel = *task.kernel;
    Compiler &c = task.program->compiler();
    if (kernel.source.empty() || task.code->locks_failed) return;
    const Stopwatch watch;
    try {
        std::shared_ptr<TaskCode> locked = task.code->locked();
        if (!locked) locked = code_with_locks(c, kernel, size_t(&task - kernel.tasks.data()));
        const std::lock_guard guard(c.lifetime->lock); // as for publishing better code
        task.code->set_locked_code(std::move(locked));
    } catch (const Interrupted &) { // the launch ends for the same reason
    } catch (const std::exception &error) {
        task.code->locks_failed = true;
        c.observers.warn("task " + task.info->name + " runs on one thread: " + error.what());
    }
    compiled_in_launches += watch.microseconds();
}

} // namespace qd::engine
