// Loops that may run long without a look at Stop become interruptible: inside of a parallel loop those with many or
// unknown trips, and all that hold such a loop. Code generation has the innermost of them look once in many rounds, the
// others at every round. Serial loops, and those that hold a check of their own, are as the frontend made them.
#include "passes/looks.h"
#include "passes/passes.h"

namespace qd::passes {

using namespace ir;

namespace {

constexpr int64_t few_trips = 4096;

class Finding {
  public:
    explicit Finding(const Function &fn) : fn_(fn) {}
    std::vector<Value> found;

    /// True if the block holds a loop that may run long. `depth`: loops around.
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
        // The launcher cuts the range of a task so that going through a chunk alone is not long.
        const bool chunk = depth == 0 || fn_.loops[fn_[v].imm].vectorize;
        const bool many = !chunk && (fn_[v].op == Op::loop || !runs_few(v));
        if (!many && !holds_long) return false;
        if (!looks(v)) found.push_back(v);
        return true;
    }

    bool runs_few(Value loop) const {
        const Inst &lo = fn_[fn_.args(loop)[0]], &hi = fn_[fn_.args(loop)[1]];
        if (lo.op != Op::constant || hi.op != Op::constant) return false;
        const int shift = 64 - bits_of(lo.type.elem);
        return (int64_t(hi.imm << shift) >> shift) - (int64_t(lo.imm << shift) >> shift) <= few_trips;
    }

    bool looks(Value loop) const {
        if (fn_.loops[fn_[loop].imm].interruptible) return true;
        for (const Value v : fn_[fn_[loop].blocks[0]].insts) {
            if (fn_[v].op != Op::if_) continue;
            const Op condition = fn_[fn_.args(v)[0]].op;
            if (condition == Op::poll || condition == Op::asked) return true;
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

void flush_behind(Function &fn, Value loop) {
    Loop flags = fn.loops[fn[loop].imm]; // entries may be shared
    flags.flushes = true;
    fn.loops.push_back(std::move(flags));
    fn[loop].imm = fn.loops.size() - 1;
    for (Value v : fn[fn[loop].blocks[0]].insts)
        if (fn[v].op == Op::for_ && fn.loops[fn[v].imm].vectorize) flush_behind(fn, v);
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
