#pragma once
// The ops with side effects on the host, and what the host asks of a running task.
#include "abi/abi.h"
#include "backends/interp/values.h"
#include "backends/interp/walk.h"

namespace qd::backends::interpreter {

class Outside {
  public:
    Outside(Values &values, const abi::Launch &launch, abi::Thread &thread)
        : values_(values), launch_(launch), thread_(thread) {}

    /// Returns false if the task must be left: an assertion failed.
    bool execute(Value v);
    bool stopped() const { return must_leave(launch_); }

    bool left_early = false; ///< a loop with `flushes` was left early

  private:
    const Function &fn() const { return values_.fn; }
    uint64_t random(Scalar type);
    void message(Value v, size_t first);
    void external(Value v);
    uint32_t requested() const;

    Values &values_;
    const abi::Launch &launch_;
    abi::Thread &thread_;
    uint32_t reported_ = 0; ///< StreamWords::counts_requested at the last safepoint
};

} // namespace qd::backends::interpreter
