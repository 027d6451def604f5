#pragma once
// Sections of a region side by side on the threads of the host.
#include "abi/abi.h"
#include "runtime/launcher.h"
#include "runtime/pool.h"

#include <atomic>
#include <span>

namespace qd::runtime {

/// A task of a section, ready to run.
struct HostTask {
    const abi::Task *info;
    const std::atomic<const TaskEntry *> *entry;
    Bounds bounds;
    uint64_t *counters; ///< abi::LaunchData
    const void *record; ///< abi::HostServices::task
};

/// Runs tasks that stand section by section; those of one section in order. Threads take from any section what is to be had: a task
/// that is worth one thread alone, or chunks of one that is worth more. Returns the microseconds that sections did not wait for each
/// other. Returns early, and throws, as Launcher::run does.
double run_sections(Pool &pool, std::span<Launcher::State> states, uint32_t block_dim, std::span<const HostTask> tasks,
                    const abi::Launch &launch);

} // namespace qd::runtime
