// A coverage count is an atomic addition to its counter: all threads count there.
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace qd::passes {

using namespace ir;

bool lower_counts(Function &fn, const Config &) {
    return expand_each(
        fn, [&](Value v) { return fn[v].op == Op::count; },
        [](Builder &b, Value v) {
            const Value times = b.fn.args(v)[0];
            const Value slot = b.emit(Op::count_slot, {}, Type::pointer(Scalar::i64), b.fn[v].imm);
            return b.atomic_add(slot, times);
        });
}

} // namespace qd::passes
