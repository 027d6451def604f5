#pragma once
// How the range of a task is read and cut, for whoever runs tasks on threads of the host.
#include "abi/abi.h"
#include "abi/range.h"

#include <cstdint>

namespace qd::runtime {

struct TaskEntry;

/// Indices of a chunk of a range of `n`. `block_dim` 0: as it pays.
int64_t chunk_size(int64_t n, abi::Weight weight, uint32_t block_dim, int threads);

/// How the range of a task is found.
struct Bounds {
    abi::Range known;           ///< if it has factors
    abi::Bounds code = nullptr; ///< else

    Bounds() = default;
    Bounds(abi::Bounds function) : code(function) {}
    void read(const abi::Launch *launch, abi::Thread *thread, int64_t *range) const {
        if (known.factors != 1) return read_others(launch, thread, range);
        range[0] = known.begin;
        range[1] = known.factor[0].value(launch->data.args);
    }

  private:
    void read_others(const abi::Launch *launch, abi::Thread *thread, int64_t *range) const;
};

/// Reads the range, and runs the task if it is not worth the pool. One guard for both.
struct Start {
    const Bounds &bounds;
    const TaskEntry &code;
    float weight;
    bool shares_little = false; ///< QD_SHARE_LITTLE
    int64_t range[2] = {0, 0};

    int64_t size() const { return range[1] - range[0]; }
    bool is_small() const;
    /// An abi::Body; its third argument is the address of a Start.
    static void run(const abi::Launch *launch, abi::Thread *thread, int64_t self, int64_t);
};

} // namespace qd::runtime
