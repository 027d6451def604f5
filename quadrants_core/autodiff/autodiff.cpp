#include "autodiff/autodiff.h"

#include "autodiff/activity.h"
#include "autodiff/crossing.h"
#include "autodiff/forward.h"
#include "autodiff/refuse.h"
#include "autodiff/reverse.h"
#include "ir/builder.h"
#include "passes/passes.h"

namespace qd::autodiff {

namespace {

/// A kernel with the same parameters that does nothing.
ir::Function idle(const ir::Function &kernel) {
    ir::Function made = kernel;
    made.returns.clear();
    made.subgraphs.clear();
    made.body = made.make_block();
    ir::Builder(made, made.body).ret();
    return made;
}

} // namespace

ir::Function differentiate(const ir::Function &kernel, const Companions &companions, Mode mode) {
    if (mode == Mode::none) return kernel;
    ir::Function once = kernel;
    passes::cse(once, {}); // equal indices become one value
    if (mode == Mode::reverse) refuse_crossing(once, companions);
    passes::forward_stores(once, {}); // what was stored or loaded before is at hand, not in memory that changes
    const Activity activity(once, companions, mode);
    if (!activity.any()) return mode == Mode::forward ? kernel : idle(kernel);
    refuse(once, companions, activity, mode);
    return mode == Mode::forward ? forward(once, companions, activity) : reverse(once, companions, activity);
}

} // namespace qd::autodiff
