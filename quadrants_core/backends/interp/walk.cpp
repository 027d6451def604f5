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

void run_blocks(const Function &fn, const abi::Launch &launch, abi::Thread &thread, Geometry geometry, int64_t begin,
                int64_t end) {
    const ThreadWalk model(fn, launch, thread, {}, geometry);
    ThreadBlock block(fn, geometry, nullptr, analysis::may_wait(fn, fn.body));
    const int64_t size = geometry.block, blocks = (end - begin + size - 1) / size;
    for (int64_t b = 0; b < blocks && !must_leave(launch); ++b) {
        const int64_t first = begin + b * size;
        const bool goes_on = block.run(b, uint32_t(std::min(size, end - first)), [&](uint32_t t) {
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
