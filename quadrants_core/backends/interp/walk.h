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
inline bool must_leave(const abi::LaunchData &launch) {
    return (launch.stop && *launch.stop) || (launch.failed && __atomic_load_n(launch.failed, __ATOMIC_RELAXED));
}

/// Runs the body for every `step`th index of [begin, end). `launch.data.args` has the layout of abi.h; memory is accessed for real.
Outcome run(const ir::Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t begin, int64_t end,
            int64_t step = 1);
/// Runs the bounds block of a range task.
void run_bounds(const ir::Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t out[2]);

/// Returns the number of slots of LaunchData::args that the parameters take.
uint32_t argument_slots(const ir::Function &fn);

/// Makes runs of this thread fail with InternalError after `steps` instructions (0: no limit).
void limit_steps(uint64_t steps);

} // namespace qd::backends::interpreter
