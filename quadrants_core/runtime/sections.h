#pragma once
// Runs the sections of a region concurrently on the threads of the host.
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
    abi::Bounds bounds;
    uint64_t *counters; ///< abi::Launch
    const void *record; ///< abi::Launch::task
};

/// Runs tasks ordered by section; those of one section in order. Threads take available work from any section: a task that is worth only
/// one thread, or chunks of a larger one. Returns the microseconds by which the work of sections overlapped. Returns early, and throws, as
/// Launcher::run does.
double run_sections(Pool &pool, std::span<Launcher::State> states, uint32_t block_dim, std::span<const HostTask> tasks,
                    const abi::Launch &launch);

} // namespace qd::runtime
