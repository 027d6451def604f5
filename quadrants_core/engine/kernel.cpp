#include "engine/kernel.h"

#include "engine/compiled_kernel.h"
#include "engine/completion.h"
#include "engine/device_memory.h"
#include "engine/observation.h"
#include "engine/program.h"
#include "engine/queues.h"

#include <mutex>

namespace qd::engine {

CompiledKernel::~CompiledKernel() {
    if (!lifetime) return;
    const std::lock_guard guard(lifetime->lock);
    if (lifetime->program) lifetime->program->observation().retire(*this);
}

std::string kernel_key(const CompiledKernel &kernel) {
    return kernel.key == runtime::KernelKey{} ? std::string() : runtime::to_hex(kernel.key);
}
const abi::Kernel &kernel_info(const CompiledKernel &kernel) { return kernel.info; }
uint32_t kernel_specialisation(const CompiledKernel &kernel) { return kernel.specialisation; }
const std::vector<CounterValue> &kernel_counters(const CompiledKernel &kernel) { return kernel.counters; }

void set_stack_budget(CompiledKernel &kernel, uint64_t bytes) { kernel.stack_budget = bytes; }

void ask_for_coverage(CompiledKernel &kernel, CoverageKind kind) {
    const bool counts = kind == CoverageKind::counts || kernel.counters.empty();
    kernel.completion = counts ? nullptr : std::make_shared<Completion>(kernel, kind);
    choose_launch(kernel.lifetime->program->memory().host_visible(), kernel);
}

} // namespace qd::engine
