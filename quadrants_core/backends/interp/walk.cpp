#include "backends/interp/walk.h"

#include "backends/interp/thread_walk.h"

namespace qd::backends::interpreter {

uint32_t argument_slots(const Function &fn) {
    uint32_t n = 0;
    for (Value p : fn.params) n += abi::argument_slots(fn.type(p).is_array(), fn.type(p).ndim);
    return n;
}

Outcome run(const Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t begin, int64_t end,
            int64_t step) {
    ThreadWalk walk(fn, launch, thread, {begin, end, step});
    Outcome outcome;
    if (walk.iteration(fn.body) != Flow::returned || walk.left_early()) {
        outcome.how = Left::exited;
        return outcome;
    }
    for (size_t i = 0; i < fn.returns.size(); ++i) outcome.values.push_back({fn.returns[i].elem, walk.passed(i)});
    return outcome;
}

void run_bounds(const Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t out[2]) {
    ThreadWalk walk(fn, launch, thread, {0, 0, 1});
    walk.block(fn.bounds);
    out[0] = int64_t(walk.passed(0));
    out[1] = int64_t(walk.passed(1));
}

} // namespace qd::backends::interpreter
