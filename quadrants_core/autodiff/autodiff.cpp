#include "autodiff/autodiff.h"

#include "autodiff/activity.h"
#include "autodiff/crossing.h"
#include "autodiff/forward.h"
#include "autodiff/gather.h"
#include "autodiff/refuse.h"
#include "autodiff/reverse.h"
#include "autodiff/straighten.h"
#include "autodiff/validate.h"
#include "ir/builder.h"
#include "passes/passes.h"

namespace qd::autodiff {

namespace {

/// True if a place is listed twice, with a companion and without, so that some loads propagate no gradient: values must not be forwarded
/// across them.
bool is_stopped(const ir::Function &kernel, const Companions &companions) {
    for (size_t i = 0; i < kernel.places.size(); ++i)
        for (size_t k = 0; k < kernel.places.size(); ++k) {
            const ir::Place &a = kernel.places[i], &b = kernel.places[k];
            if (companions.place(i) != Companions::none && companions.place(k) == Companions::none &&
                a.tree == b.tree && a.byte_offset == b.byte_offset && a.level == b.level && a.levels == b.levels)
                return true;
        }
    return false;
}

/// A kernel with the same parameters and an empty body.
ir::Function idle(const ir::Function &kernel) {
    ir::Function made = kernel;
    made.returns.clear();
    made.subgraphs.clear();
    made.body = made.make_block();
    ir::Builder(made, made.body).ret();
    return made;
}

ir::Function within_budget(const ir::Function &kernel, const Companions &companions, const Activity &activity,
                           const Stacks &stacks) {
    std::vector<AdstackLoop> kept;
    ir::Function made = reverse(kernel, companions, activity, stacks, &kept);
    if (!stacks.budget || stacks.capacity || kept.empty()) return made;
    const ir::Function cut = with_checkpoints(kernel, kept, stacks.budget);
    return reverse(cut, companions, Activity(cut, companions, Mode::reverse), stacks);
}

} // namespace

ir::Function differentiate(const ir::Function &kernel, const Companions &companions, Mode mode, const Stacks &stacks) {
    if (mode == Mode::none) return kernel;
    if (mode == Mode::validate) return validate(kernel, companions);
    ir::Function once = kernel;
    // Merges equal indices. Floats are not merged: a float computed in a branch stays there, since computed before it, an infinite slope
    // would meet the adjoint 0 if the branch is not taken.
    passes::merge_indices(once);
    if (mode == Mode::reverse) {
        refuse_crossing(once, companions);
        eliminate_continue(once);
    }
    if (!is_stopped(once, companions))
        passes::forward_stores(once, {}); // uses known values instead of memory that may change later
    // From here on arrays are assumed distinct: an overlap with written memory would break the rule that lets reverse mode load it again.
    once.distinct_arrays = true;
    if (mode == Mode::reverse && stacks.enabled) wrap_serial_loops(once, Activity(once, companions, mode));
    const Activity activity(once, companions, mode);
    if (!activity.any()) return mode == Mode::forward ? kernel : idle(kernel);
    refuse(once, companions, activity, mode);
    ir::Function made =
        mode == Mode::forward ? forward(once, companions, activity) : within_budget(once, companions, activity, stacks);
    if (mode == Mode::reverse) gather_reductions(made);
    made.distinct_arrays = kernel.distinct_arrays;
    return made;
}

} // namespace qd::autodiff
