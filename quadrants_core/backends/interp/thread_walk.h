#pragma once
// The walk of one thread over a function: control flow, and the choice of the class that executes an instruction.
#include "backends/interp/access.h"
#include "backends/interp/outside.h"

namespace qd::backends::interpreter {

/// The way in which control left a block.
enum class Flow : uint8_t { yielded, broke, continued, returned, exited };

/// The indices of a range that a thread runs: every `step`th of [begin, end).
struct Chunk {
    int64_t begin, end, step;
};

class ThreadWalk {
  public:
    ThreadWalk(const Function &fn, const abi::Launch &launch, abi::Thread &thread, Chunk chunk);

    Flow block(BlockId b);
    /// Runs one iteration of a loop, or the function, and releases its heap memory.
    Flow iteration(BlockId body);
    bool left_early() const { return outside_.left_early; }
    /// An operand of the terminator that was executed last.
    uint64_t passed(size_t i) const { return values_.passed(i); }

  private:
    Flow inst(Value v);
    Flow terminator(Value v);
    Flow control(Value v);
    Flow for_loop(Value v);
    Flow endless_loop(Value v);
    Flow parallel(Value v);
    Flow after_iteration(Flow flow, const Loop &loop, std::span<const Value> carried);
    bool leave(const Loop &loop) const { return loop.interruptible && outside_.stopped(); }
    void plain(Value v);
    void memory(Value v);

    const Function &fn_;
    const abi::Launch &launch_;
    abi::Thread &thread_;
    const Chunk chunk_;
    uint64_t steps_ = 0;
    Values values_;
    Memory memory_;
    Cells cells_;
    Access access_;
    Outside outside_;
};

} // namespace qd::backends::interpreter
