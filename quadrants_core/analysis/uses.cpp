#include "analysis/uses.h"

#include "analysis/walk.h"

namespace qd::analysis {

std::vector<uint32_t> use_counts(const ir::Function &fn) {
    std::vector<uint32_t> counts(fn.insts.size());
    walk(fn, [&](ir::Value v) {
        for (ir::Value a : fn.args(v)) ++counts[a.id];
    });
    return counts;
}

} // namespace qd::analysis
