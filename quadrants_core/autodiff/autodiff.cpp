#include "autodiff/autodiff.h"

#include "autodiff/activity.h"
#include "autodiff/forward.h"
#include "autodiff/refuse.h"
#include "autodiff/reverse.h"

namespace qd::autodiff {

ir::Function differentiate(const ir::Function &kernel, const Companions &companions, Mode mode) {
    if (mode == Mode::none) return kernel;
    const Activity activity(kernel, companions, mode);
    refuse(kernel, companions, activity, mode);
    return mode == Mode::forward ? forward(kernel, companions, activity) : reverse(kernel, companions, activity);
}

} // namespace qd::autodiff
