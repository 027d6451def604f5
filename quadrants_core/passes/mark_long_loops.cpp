// Loops that may run long without polling for Stop become interruptible: inside a parallel loop, those with a large or unknown trip count,
// those with many iterations including their nested loops, and all loops around such a loop. Code generation makes the innermost of them
// poll once in many iterations, the others in every iteration. Serial loops, and loops that already have a check, stay as the frontend made
// them.
#include "passes/safepoints.h"
#include "passes/passes.h"

#include "ir/trip_count.h"

namespace qd::passes {

using namespace ir;

namespace {

/// True for a loop nested in the chunk loop that runs over a part of the range: the last axis, or the cells of a piece.
bool is_part_of_range(const Function &fn, Value v) {
    if (fn[v].op != Op::for_ && fn[v].op != Op::loop) return false;
    return fn.loops[fn[v].imm].vectorize || fn.loops[fn[v].imm].cells;
}

class Finding {
  public:
    explicit Finding(const Function &fn) : fn_(fn) {}
    std::vector<Value> found;

    /// True if the block contains a loop that may run long. `depth`: number of enclosing loops.
    bool block(BlockId b, int depth) {
        bool any = false;
        for (const Value v : fn_[b].insts) {
            const bool loops = fn_[v].op == Op::for_ || fn_[v].op == Op::loop;
            bool inside = false;
            for (const BlockId inner : fn_[v].blocks)
                if (inner) inside |= block(inner, depth + loops);
            any |= loops ? loop(v, inside, depth) : inside;
        }
        return any;
    }

  private:
    bool loop(Value v, bool holds_long, int depth) {
        // The launcher sizes the chunks of a task so that iterating over a chunk alone does not take long; nor does a piece of a container.
        const bool chunk = depth == 0 || is_part_of_range(fn_, v);
        const int64_t trips = ir::trips(fn_, v);
        const bool many =
            !chunk && (trips > few_trips || times(trips, iterations(fn_, fn_[v].blocks[0])) > few_iterations);
        if (!many && !holds_long) return false;
        if (!polls(v)) found.push_back(v);
        return true;
    }

    bool polls(Value loop) const {
        if (fn_.loops[fn_[loop].imm].interruptible) return true;
        for (const Value v : fn_[fn_[loop].blocks[0]].insts) {
            if (fn_[v].op != Op::if_) continue;
            const Op condition = fn_[fn_.args(v)[0]].op;
            if (condition == Op::poll || condition == Op::poll_requests) return true;
        }
        return false;
    }

    const Function &fn_;
};

} // namespace

std::vector<Value> long_loops(const Function &fn) {
    if (fn.role != Role::range_task) return {};
    Finding finding(fn);
    finding.block(fn.body, 0);
    return std::move(finding.found);
}

void flush_after(Function &fn, Value loop) {
    Loop flags = fn.loops[fn[loop].imm]; // entries may be shared
    flags.flushes = true;
    fn.loops.push_back(std::move(flags));
    fn[loop].imm = fn.loops.size() - 1;
    for (Value v : fn[fn[loop].blocks[0]].insts)
        if (is_part_of_range(fn, v)) flush_after(fn, v);
}

bool mark_long_loops(Function &fn, const Config &) {
    const std::vector<Value> loops = long_loops(fn);
    for (const Value v : loops) {
        Loop flags = fn.loops[fn[v].imm]; // entries may be shared
        flags.interruptible = true;
        fn.loops.push_back(std::move(flags));
        fn[v].imm = fn.loops.size() - 1;
    }
    return !loops.empty();
}

} // namespace qd::passes
