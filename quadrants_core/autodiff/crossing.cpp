#include "autodiff/crossing.h"

#include "autodiff/activity.h"
#include "base/error.h"
#include "ir/eval.h"

#include <algorithm>

namespace qd::autodiff {

using namespace ir;

namespace {

class Crossing {
  public:
    Crossing(const Function &kernel, const Companions &companions)
        : fn_(kernel), companions_(companions), depends_(kernel.insts.size()) {}

    void run() {
        for (Value v : fn_[fn_.body].insts) {
            if (fn_[v].op != Op::parallel || fn_.loops[fn_[v].imm].serialize) continue;
            loads_.clear();
            stores_.clear();
            for (Value index : fn_[fn_[v].blocks[0]].params) depends_[index.id] = 1;
            collect(fn_[v].blocks[0]);
            for (Value store : stores_)
                for (Value load : loads_) compare(store, load);
        }
    }

  private:
    void collect(BlockId block) {
        for (Value v : fn_[block].insts) {
            const Inst &in = fn_[v];
            if (info(in.op).effect == Effect::pure)
                for (Value a : fn_.args(v)) depends_[v.id] |= depends_[a.id];
            if (in.op == Op::if_)
                for (BlockId inner : in.blocks) collect(inner);
            if (in.op != Op::load && in.op != Op::store) continue;
            const Value pointer = fn_.args(v)[0];
            const Op address = fn_[pointer].op;
            if ((address != Op::place && address != Op::element) || !depends_[pointer.id]) continue;
            if (target_of(fn_, companions_, pointer).has_companion) (in.op == Op::load ? loads_ : stores_).push_back(v);
        }
    }

    void compare(Value store, Value load) const {
        const Value to = fn_.args(store)[0], from = fn_.args(load)[0];
        if (fn_[to].op != fn_[from].op || fn_[to].imm != fn_[from].imm) return;
        if (fn_[to].op == Op::element && fn_.args(to)[0] != fn_.args(from)[0]) return;
        for (size_t i = 0; i < fn_.args(to).size(); ++i)
            if (never_equal(fn_.args(to)[i], fn_.args(from)[i])) return;
        for (size_t i = 0; i < fn_.args(to).size(); ++i) {
            const Value a = fn_.args(to)[i], b = fn_.args(from)[i];
            if ((depends_[a.id] || depends_[b.id]) && !same(a, b, 0)) fail(load);
        }
    }

    /// An index as a value plus a constant.
    struct Sum {
        Value of;
        int64_t more = 0;
    };
    Sum sum(Value v) const {
        Sum all{v, 0};
        for (;;) {
            const Inst &in = fn_[all.of];
            if (in.op == Op::constant) return {Value{}, all.more + to_int({in.type.elem, in.imm})};
            if (in.op != Op::add && in.op != Op::sub) return all;
            const Value a = fn_.args(all.of)[0], b = fn_.args(all.of)[1];
            const bool swapped = in.op == Op::add && fn_[a].op == Op::constant;
            const Value last = swapped ? a : b;
            if (fn_[last].op != Op::constant) return all;
            const int64_t amount = to_int({in.type.elem, fn_[last].imm});
            all = {swapped ? b : a, all.more + (in.op == Op::add ? amount : -amount)};
        }
    }

    /// True if its instructions show that it is loop-invariant.
    bool is_invariant(Value v, int depth) const {
        const Inst &in = fn_[v];
        if (in.op == Op::param) return std::find(fn_.params.begin(), fn_.params.end(), v) != fn_.params.end();
        if (depth > 16 || !is_movable(in.op)) return false;
        const auto args = fn_.args(v);
        return std::all_of(args.begin(), args.end(), [&](Value a) { return is_invariant(a, depth + 1); });
    }

    /// True if two indices are never equal, in any pair of iterations: `t + 1` and `t`.
    bool never_equal(Value a, Value b) const {
        const Sum x = sum(a), y = sum(b);
        if (int32_t(x.more) == int32_t(y.more) || bool(x.of) != bool(y.of)) return false;
        return !x.of || (same(x.of, y.of, 0) && is_invariant(x.of, 0));
    }

    /// True if both are syntactically equal.
    bool same(Value a, Value b, int depth) const {
        if (a == b) return true;
        const Inst &x = fn_[a], &y = fn_[b];
        if (depth > 16 || x.op != y.op || x.type != y.type || x.imm != y.imm || !is_movable(x.op) ||
            x.args.size != y.args.size)
            return false;
        for (size_t i = 0; i < x.args.size; ++i)
            if (!same(fn_.args(a)[i], fn_.args(b)[i], depth + 1)) return false;
        return true;
    }

    [[noreturn]] void fail(Value load) const {
        fail_user(
            UserErrorKind::runtime,
            "Cross-iteration read-after-write on the `needs_grad` global field: an iteration of this loop reads what "
            "another one writes, so its gradient would depend on the order of the iterations",
            fn_.trace(fn_[load].span),
            "write to another element, such as that of the next time step (`y[t + 1, i]` from `y[t, i]`), or put "
            "`qd.loop_config(serialize=True)` before the loop");
    }

    const Function &fn_;
    const Companions &companions_;
    std::vector<uint8_t> depends_; ///< by value: it depends on an index of the loop
    std::vector<Value> loads_, stores_;
};

} // namespace

void refuse_crossing(const Function &kernel, const Companions &companions) { Crossing(kernel, companions).run(); }

} // namespace qd::autodiff
