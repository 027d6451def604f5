#include "backends/interp/walk.h"

#include "analysis/lanes.h"
#include "backends/interp/thread_walk.h"

#include <algorithm>

namespace qd::backends::interpreter {

uint32_t argument_slots(const Function &fn) {
    uint32_t n = 0;
    for (Value p : fn.params) n += abi::argument_slots(fn.type(p).is_array(), fn.type(p).ndim);
    return n;
}

Outcome run(const Function &fn, const abi::Launch &launch, abi::Thread &thread, Chunk chunk, Geometry geometry) {
    ThreadWalk walk(fn, launch, thread, chunk, geometry);
    Outcome outcome;
    if (walk.iteration(fn.body) != Flow::returned || walk.left_early()) {
        outcome.how = Left::exited;
        return outcome;
    }
    for (size_t i = 0; i < fn.returns.size(); ++i) outcome.values.push_back({fn.returns[i].elem, walk.passed(i)});
    return outcome;
}

/// Blocks of a task whose threads all meet outside of its loops: few, so that each thread runs several indices.
constexpr int64_t most_blocks = 2;

void run_blocks(const Function &fn, const abi::Launch &launch, abi::Thread &thread, Geometry geometry, int64_t begin,
                int64_t end) {
    const ThreadWalk model(fn, launch, thread, {}, geometry);
    ThreadBlock block(fn, geometry, nullptr, analysis::may_wait(fn, fn.body));
    const bool all = analysis::all_meet(fn);
    const int64_t size = geometry.block, needed = (end - begin + size - 1) / size;
    const int64_t blocks = all ? std::min(needed, most_blocks) : needed;
    for (int64_t b = 0; b < blocks && !must_leave(launch); ++b) {
        const int64_t first = begin + b * size;
        const int64_t present = all ? size : std::min(size, end - first);
        const bool goes_on = block.run(b, uint32_t(present), [&](uint32_t t) {
            ThreadWalk walk(model, {&block, t}, {first + t, end, blocks * size});
            return walk.iteration(fn.body) == Flow::returned && !walk.left_early();
        });
        if (!goes_on) return;
    }
}

void run_bounds(const Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t out[2]) {
    ThreadWalk walk(fn, launch, thread, {}, {});
    walk.block(fn.bounds);
    out[0] = int64_t(walk.passed(0));
    out[1] = int64_t(walk.passed(1));
}

} // namespace qd::backends::interpreter
