#include "autodiff/old_values.h"

#include "analysis/uses.h"
#include "analysis/walk.h"
#include "autodiff/activity.h"
#include "passes/passes.h"

namespace qd::autodiff {

using namespace ir;

namespace {

/// True if the old value of any update is used: few kernels have one.
bool has_old_values(const Function &fn) {
    const std::vector<uint32_t> uses = analysis::use_counts(fn);
    bool found = false;
    analysis::walk(fn, [&](Value v) { found |= is_atomic(fn[v].op) && fn.type(v).is_float() && uses[v.id]; });
    return found;
}

} // namespace

std::vector<Location> lost_old_values(const Function &kernel, const Companions &companions) {
    if (!has_old_values(kernel)) return {};
    Function fn = kernel;
    passes::promote(fn, {});
    passes::fold(fn, {});
    Companions own = companions; // passes renumber values
    for (Value &array : own.arrays)
        for (size_t k = 0; k < kernel.params.size(); ++k)
            if (array && array == kernel.params[k]) {
                array = fn.params[k];
                break;
            }
    const Activity activity(fn, own, Mode::reverse);
    std::vector<Location> found;
    analysis::walk(fn, [&](Value v) {
        if (!is_atomic(fn[v].op) || !activity.useful(v) || !target_of(fn, own, fn.args(v)[0]).has_companion) return;
        const std::vector<Location> trace = fn.trace(fn[v].span);
        if (trace.empty()) return;
        const Location &at = trace.back();
        if (found.empty() || found.back().line != at.line || found.back().file != at.file) found.push_back(at);
    });
    return found;
}

} // namespace qd::autodiff
