// A coverage count becomes an atomic addition to its counter, which all threads share. After a loop that may be left early (Loop::flushes),
// which is counted as if it had completed, it is conditional on completion.
#include "analysis/walk.h"
#include "passes/passes.h"

#include "ir/builder.h"

#include <vector>

namespace qd::passes {

using namespace ir;

namespace {

class Lowering {
  public:
    explicit Lowering(Function &fn) : fn_(fn) {}

    void block(BlockId id, bool inside) {
        const std::vector<Value> old = std::move(fn_[id].insts);
        fn_[id].insts.clear();
        fn_[id].insts.reserve(old.size());
        for (size_t i = 0; i < old.size(); ++i) {
            const Value v = old[i];
            if (fn_[v].op == Op::count) {
                size_t behind = i;
                while (behind < old.size() && fn_[old[behind]].op == Op::count) ++behind;
                lower(id, {old.data() + i, behind - i}, !inside && flushes_);
                i = behind - 1;
                continue;
            }
            const bool loop = fn_[v].op == Op::for_ || fn_[v].op == Op::loop;
            const bool flushes = loop && fn_.loops[fn_[v].imm].flushes;
            for (int k = 0; k < 2; ++k) // no references: instructions are reallocated when others are created
                if (const BlockId inner = fn_[v].blocks[k]) block(inner, inside || (loop && !flushes));
            flushes_ |= flushes;
            fn_[id].insts.push_back(v);
        }
    }

  private:
    void lower(BlockId id, std::span<const Value> counts, bool guarded) {
        Builder b(fn_, id);
        b.span = fn_[counts[0]].span;
        if (guarded) {
            const Value left = b.emit(Op::left_early, {}, Scalar::u1);
            const Value branch = b.if_(left);
            Builder(fn_, fn_[branch].blocks[0]).yield();
            b.block = fn_[branch].blocks[1];
        }
        for (const Value v : counts) {
            const Value slot = b.emit(Op::count_slot, {}, Type::pointer(Scalar::i64), fn_[v].imm);
            b.atomic_add(slot, fn_.args(v)[0]);
        }
        if (guarded) b.yield();
    }

    Function &fn_;
    bool flushes_ = false; ///< after such a loop
};

} // namespace

bool lower_counts(Function &fn, const Config &) {
    bool any = false;
    analysis::walk(fn, [&](Value v) { any |= fn[v].op == Op::count; });
    if (!any) return false;
    Lowering lowering(fn);
    lowering.block(fn.body, false);
    if (fn.bounds) lowering.block(fn.bounds, true); // a call of its own
    return true;
}

} // namespace qd::passes
