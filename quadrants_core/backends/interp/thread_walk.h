#pragma once
// The walk of one thread over a function: control flow, and the choice of the class that executes an instruction.
#include "backends/interp/access.h"
#include "backends/interp/outside.h"
#include "backends/interp/thread_block.h"

namespace qd::backends::interpreter {

/// The way in which control left a block.
enum class Flow : uint8_t { yielded, broke, continued, returned, exited };

/// A thread of a block; a thread that is alone has none.
struct Seat {
    ThreadBlock *block = nullptr;
    uint32_t thread = 0;
};

class ThreadWalk {
  public:
    ThreadWalk(const Function &fn, const abi::Launch &launch, abi::Thread &thread, Chunk chunk, Geometry geometry);
    /// Makes the walk of a thread of a block. It starts with the values of `around`, the code around the loop whose iteration it runs.
    ThreadWalk(const ThreadWalk &around, Seat seat, Chunk chunk);

    Flow block(BlockId b);
    /// Runs one iteration of a loop, or the function, and releases its heap memory.
    Flow iteration(BlockId body);
    bool left_early() const { return outside_.left_early; }
    /// An operand of the terminator that was executed last.
    uint64_t passed(size_t i) const { return values_.passed(i); }

  private:
    /// The indices of a parallel loop, by axis.
    struct Range {
        std::vector<int64_t> lo, extent;
        int64_t size = 1;
    };

    Flow inst(Value v);
    Flow terminator(Value v);
    Flow control(Value v);
    Flow for_loop(Value v);
    Flow endless_loop(Value v);
    Flow parallel(Value v);
    Flow parallel_blocks(Value v, const Range &range);
    void set_indices(Value v, const Range &range, int64_t number);
    Flow after_iteration(Flow flow, const Loop &loop, std::span<const Value> carried);
    bool leave(const Loop &loop) const { return loop.interruptible && outside_.stopped(); }
    void plain(Value v);
    void group(Value v);
    uint64_t meet(Value v);
    void memory(Value v);

    const Function &fn_;
    const abi::Launch &launch_;
    abi::Thread &thread_;
    const Chunk chunk_;
    const Geometry geometry_;
    const Seat seat_;
    uint64_t steps_ = 0;
    uint64_t iteration_ = 0; ///< identifies the iterations of the loops around the current instruction
    Values values_;
    Memory memory_;
    Cells cells_;
    Access access_;
    Outside outside_;
};

} // namespace qd::backends::interpreter
