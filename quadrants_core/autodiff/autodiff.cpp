#include "autodiff/autodiff.h"

#include "autodiff/activity.h"
#include "autodiff/crossing.h"
#include "autodiff/forward.h"
#include "autodiff/refuse.h"
#include "autodiff/reverse.h"

namespace qd::autodiff {

ir::Function differentiate(const ir::Function &kernel, const Companions &companions, Mode mode) {
    if (mode == Mode::none) return kernel;
    const Activity activity(kernel, companions, mode);
    refuse(kernel, companions, activity, mode);
    if (mode == Mode::forward) return forward(kernel, companions, activity);
    refuse_crossing(kernel, companions);
    return reverse(kernel, companions, activity);
}

} // namespace qd::autodiff
