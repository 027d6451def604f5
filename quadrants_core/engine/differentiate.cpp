// Computes the derivative kernel of a frontend kernel.
#include "base/stack.h"
#include "engine/program_impl.h"
#include "engine/weight.h"

#include <utility>

namespace qd::engine {

ir::Function Program::differentiate(ir::Function kernel, autodiff::Companions companions, autodiff::Mode mode,
                                    const autodiff::Stacks &stacks) const {
    ir::Function derived;
    with_stack(stack_for(kernel), [&] {
        // The derivative is also launched with overlapping arrays, so it must not rely on their being distinct.
        const bool distinct = std::exchange(kernel.distinct_arrays, false);
        std::vector<uint32_t> of_parameter(companions.arrays.size(), autodiff::Companions::none);
        for (size_t i = 0; i < of_parameter.size(); i++)
            for (size_t k = 0; k < kernel.params.size(); k++)
                if (companions.arrays[i] && kernel.params[k] == companions.arrays[i]) of_parameter[i] = uint32_t(k);
        // Validation checks every access of the program, so no pass may remove any before.
        if (mode != autodiff::Mode::validate) impl_->lowering.prepare(kernel);
        for (size_t i = 0; i < of_parameter.size(); i++) // passes renumber values
            if (companions.arrays[i]) companions.arrays[i] = kernel.params[of_parameter[i]];
        derived = autodiff::differentiate(kernel, companions, mode, stacks);
        derived.distinct_arrays = distinct;
    });
    return derived;
}

std::vector<KernelMemory> Program::adstack_memory(bool wait) const {
    std::unique_lock launches(impl_->main.launching, std::defer_lock);
    if (wait) launches.lock();
    const std::lock_guard guard(impl_->watch_lock);
    std::vector<KernelMemory> all;
    for (const CompiledKernel *kernel : impl_->kernels) {
        if (!kernel->has_adstack) continue;
        KernelMemory &own =
            all.emplace_back(KernelMemory{kernel->info.name, kernel->specialisation, kernel->stack_budget, {}});
        for (size_t i = 0; i < kernel->tasks.size(); ++i)
            if (const abi::Task &task = kernel->info.tasks[i]; !task.stacks.empty()) {
                const bool running = impl_->task_with_adstack == &kernel->tasks[i];
                own.tasks.push_back({task.name, task.line, task.stacks,
                                     running ? impl_->main.queue->heap_use_so_far() : kernel->heap_use[i], running});
            }
    }
    return all;
}

} // namespace qd::engine
