// Merges coverage counts in one block. Counters whose only counts are in one block, with nothing between them that may leave it, are always
// counted together: one instruction counts for all, and they share its count. Several counts of one counter in a block are first added up.
#include "analysis/effects.h"
#include "analysis/walk.h"
#include "passes/passes.h"

#include "ir/builder.h"
#include "ir/graph.h"

#include <unordered_map>
#include <utility>

namespace qd::passes {

using namespace ir;

namespace {

class Sharing {
  public:
    explicit Sharing(Function &fn) : fn_(fn), effects_(analysis::effects(fn)), times_(fn.counters.size()) {
        analysis::walk(fn, [&](Value v) {
            if (fn[v].op == Op::count) ++times_[fn[v].imm];
        });
    }

    /// At the top level, kernels may be split at instructions with blocks and at graph marks.
    void block(BlockId b, bool top) {
        Value open; // the count that later counters share
        std::vector<Value> kept;
        for (Value v : std::vector(fn_[b].insts)) {
            if (is_alone(v)) {
                if (open) {
                    fn_.counters[fn_[v].imm].count_of = uint32_t(fn_[open].imm);
                    changed = true;
                    continue;
                }
                open = v;
            }
            kept.push_back(v);
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn_[v].blocks[k]) block(inner, false);
            const bool cut = top && (fn_[v].blocks[0] || is_graph_mark(fn_[v].op));
            if (cut || fn_[v].op == Op::parallel || (effects_[v.id] & (analysis::jumps | analysis::leaves))) open = {};
        }
        fn_[b].insts = std::move(kept);
    }

    bool changed = false;

  private:
    /// True if it is the only count of its counter, with the amount 1.
    bool is_alone(Value v) const {
        if (fn_[v].op != Op::count || times_[fn_[v].imm] != 1) return false;
        const Inst &amount = fn_[fn_.args(v)[0]];
        return amount.op == Op::constant && amount.imm == 1;
    }

    Function &fn_;
    std::vector<uint8_t> effects_;
    std::vector<uint32_t> times_; ///< by counter: number of its counts
};

bool join(Function &fn, BlockId b) {
    std::unordered_map<uint64_t, size_t> earlier; // by counter: its count, as a position in `kept`
    std::vector<Value> kept;
    bool changed = false;
    for (Value v : std::vector(fn[b].insts)) {
        for (int k = 0; k < 2; ++k)
            if (BlockId inner = fn[v].blocks[k]) changed |= join(fn, inner);
        if (fn[v].blocks[0] || fn[v].op == Op::assert_ || fn[v].op == Op::serve_requests) earlier.clear();
        if (fn[v].op == Op::count) {
            const auto [it, fresh] = earlier.try_emplace(fn[v].imm, kept.size());
            if (!fresh) {
                Value before = std::exchange(kept[it->second], Value{});
                fn[b].insts.clear();
                Builder builder(fn, b);
                builder.span = fn[v].span;
                Value sum = builder.add(fn.args(before)[0], fn.args(v)[0]);
                fn.set_args(v, {&sum, 1});
                kept.push_back(sum);
                it->second = kept.size();
                changed = true;
            }
        }
        kept.push_back(v);
    }
    std::erase(kept, Value{});
    fn[b].insts = std::move(kept);
    return changed;
}

bool counts_any(const Function &fn) {
    bool any = false;
    analysis::walk(fn, [&](Value v) { any |= fn[v].op == Op::count; });
    return any;
}

} // namespace

bool share_counts(Function &fn, const Config &) {
    if (!counts_any(fn)) return false;
    Sharing sharing(fn);
    sharing.block(fn.body, true);
    return sharing.changed;
}

bool join_counts(Function &fn, const Config &) {
    if (!counts_any(fn)) return false;
    bool changed = join(fn, fn.body);
    if (fn.bounds) changed |= join(fn, fn.bounds);
    return changed;
}

} // namespace qd::passes
