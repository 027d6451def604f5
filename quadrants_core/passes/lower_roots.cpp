// Under fast_math a division by a square root becomes a multiplication by the reciprocal root, for which processors have an estimate: x /
// sqrt(q) becomes x * rsqrt(q). The root itself is left to dce.
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace qd::passes {

using namespace ir;

bool lower_roots(Function &fn, const Config &) {
    if (!fn.fast_math) return false;
    const auto divides_by_root = [&](Value v) { return fn[v].op == Op::div && fn[fn.args(v)[1]].op == Op::sqrt; };
    return expand_each(fn, divides_by_root, [](Builder &b, Value v) {
        const Value x = b.fn.args(v)[0], root = b.fn.args(v)[1];
        const Value reciprocal = b.rsqrt(b.fn.args(root)[0]);
        return b.mul(x, reciprocal);
    });
}

} // namespace qd::passes
