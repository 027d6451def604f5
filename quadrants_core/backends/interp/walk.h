#pragma once
// The reference interpreter: runs a function by walking its IR, one instruction after the other, with ir/eval for every pure op.
#include "abi/abi.h"
#include "ir/eval.h"
#include "ir/function.h"

#include <cstdint>
#include <vector>

namespace qd::backends::interpreter {

enum class Left : uint8_t { returned, exited }; ///< by `ret`, or by `exit`, a failed assertion, Stop

struct Outcome {
    Left how = Left::returned;
    std::vector<ir::Constant> values; ///< operands of `ret`
};

/// True if Stop was pressed or an assertion failed.
inline bool must_leave(const abi::Launch &launch) {
    return (launch.stream.stop && *launch.stream.stop) ||
           (launch.stream.failed && __atomic_load_n(launch.stream.failed, __ATOMIC_RELAXED));
}

/// The threads of a parallel loop form blocks, and those of a block form groups of `lanes` threads.
struct Geometry {
    uint32_t lanes = 0;   ///< 0: each thread is alone
    uint32_t block = 128; ///< threads of a block, for loops that do not say
};

/// The indices of a range that a thread runs: every `step`th of [begin, end).
struct Chunk {
    int64_t begin = 0, end = 1, step = 1;
};

/// Runs a kernel, or a chunk of a task. `launch.args()` has the layout of abi.h; memory is accessed for real.
Outcome run(const ir::Function &fn, const abi::Launch &launch, abi::Thread &thread, Chunk chunk = {},
            Geometry geometry = {});
/// Runs a range task whose iterations are threads of blocks, one for each index of [begin, end).
void run_blocks(const ir::Function &fn, const abi::Launch &launch, abi::Thread &thread, Geometry geometry,
                int64_t begin, int64_t end);
/// Runs the bounds block of a range task.
void run_bounds(const ir::Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t out[2]);

/// Returns the number of slots of a launch record that the parameters take.
uint32_t argument_slots(const ir::Function &fn);

/// Makes runs of this thread fail with InternalError after `steps` instructions (0: no limit).
void limit_steps(uint64_t steps);

} // namespace qd::backends::interpreter
