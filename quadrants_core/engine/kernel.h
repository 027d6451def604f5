#pragma once
// A compiled kernel as its callers know it: a handle, which outlives its program and is then inert.
#include "engine/reports.h"

#include <string>
#include <vector>

namespace qd::engine {

/// Tasks loaded on the device, argument layout, coverage counters: compiled_kernel.h.
class CompiledKernel;

const abi::Kernel &kernel_info(const CompiledKernel &kernel);
uint32_t kernel_specialisation(const CompiledKernel &kernel); ///< number among those of this name
/// The cache key of its code on disk, as 64 digits; empty if nothing is stored.
std::string kernel_key(const CompiledKernel &kernel);
/// The meaning of its coverage counters, task by task; `count` is 0.
const std::vector<CounterValue> &kernel_counters(const CompiledKernel &kernel);

/// Before its first launch: sets the displayed name of this specialisation, and whether it computes gradients.
void set_title(CompiledKernel &kernel, std::string title, bool backward);
/// Observers are notified of launches that exceed it.
void set_stack_budget(CompiledKernel &kernel, uint64_t bytes);

/// Before its first launch. Unless counts are asked for, the kernel runs without counters once they have confirmed everything.
void ask_for_coverage(CompiledKernel &kernel, CoverageKind kind);

/// For each parameter: true if it is an array to which some instruction writes, as far as the IR shows.
std::vector<bool> written_parameters(const ir::Function &kernel);

} // namespace qd::engine
