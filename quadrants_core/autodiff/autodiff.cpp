#include "autodiff/autodiff.h"

#include "autodiff/activity.h"
#include "autodiff/crossing.h"
#include "autodiff/forward.h"
#include "autodiff/refuse.h"
#include "autodiff/reverse.h"
#include "passes/passes.h"

namespace qd::autodiff {

ir::Function differentiate(const ir::Function &kernel, const Companions &companions, Mode mode) {
    if (mode == Mode::none) return kernel;
    if (mode == Mode::reverse) refuse_crossing(kernel, companions);
    ir::Function once = kernel; // what was stored or loaded before is at hand, not in memory that changes
    passes::cse(once, {});
    passes::forward_stores(once, {});
    const Activity activity(once, companions, mode);
    refuse(once, companions, activity, mode);
    return mode == Mode::forward ? forward(once, companions, activity) : reverse(once, companions, activity);
}

} // namespace qd::autodiff
