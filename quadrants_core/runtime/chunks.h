#pragma once
// Reads the range of a task and cuts it into chunks, for running tasks on threads of the host.
#include "abi/abi.h"

#include <cstdint>

namespace qd::runtime {

struct TaskEntry;

/// The number of indices per chunk for a range of `n`. With `block_dim` 0 it is chosen by cost.
int64_t chunk_size(int64_t n, abi::Weight weight, uint32_t block_dim, int threads);

/// Finds the range, and runs the task if it is too small for the pool. One guarded call covers both.
struct Start {
    const abi::Task &task;
    abi::Bounds bounds; ///< used if Task::range has no factors
    const TaskEntry &code;
    bool shares_all_loops = false; ///< QD_SHARE_LITTLE
    int64_t range[2] = {0, 0};

    void read(const abi::Launch *launch, abi::Thread *thread) {
        const abi::Range &known = task.range;
        if (known.factors != 1) return read_others(launch, thread);
        range[0] = known.begin;
        range[1] = known.factor[0].value(launch->args());
    }
    int64_t size() const { return range[1] - range[0]; }
    bool is_small() const;
    /// An abi::Body; its third argument is the address of a Start.
    static void run(const abi::Launch *launch, abi::Thread *thread, int64_t self, int64_t);

  private:
    void read_others(const abi::Launch *launch, abi::Thread *thread);
};

} // namespace qd::runtime
