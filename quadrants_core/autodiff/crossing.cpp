#include "autodiff/crossing.h"

#include "autodiff/activity.h"
#include "base/error.h"
#include "ir/builder.h"

namespace qd::autodiff {

using namespace ir;

namespace {

class Crossing {
  public:
    Crossing(const Function &kernel, const Companions &companions)
        : fn_(kernel), companions_(companions), mentions_(kernel.insts.size()) {}

    void run() {
        for (Value v : fn_[fn_.body].insts) {
            if (fn_[v].op != Op::parallel || fn_.loops[fn_[v].imm].serialize) continue;
            loads_.clear();
            stores_.clear();
            for (Value index : fn_[fn_[v].blocks[0]].params) mentions_[index.id] = 1;
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
                for (Value a : fn_.args(v)) mentions_[v.id] |= mentions_[a.id];
            if (in.op == Op::if_)
                for (BlockId inner : in.blocks) collect(inner);
            if (in.op != Op::load && in.op != Op::store) continue;
            const Value pointer = fn_.args(v)[0];
            const Op address = fn_[pointer].op;
            if ((address != Op::place && address != Op::element) || !mentions_[pointer.id]) continue;
            if (target_of(fn_, companions_, pointer).has_companion) (in.op == Op::load ? loads_ : stores_).push_back(v);
        }
    }

    void compare(Value store, Value load) const {
        const Value to = fn_.args(store)[0], from = fn_.args(load)[0];
        if (fn_[to].op != fn_[from].op || fn_[to].imm != fn_[from].imm) return;
        if (fn_[to].op == Op::element && fn_.args(to)[0] != fn_.args(from)[0]) return;
        for (size_t i = 0; i < fn_.args(to).size(); ++i) {
            const Value a = fn_.args(to)[i], b = fn_.args(from)[i];
            if ((mentions_[a.id] || mentions_[b.id]) && !same(a, b, 0)) fail(load, to);
        }
    }

    /// Written the same way.
    bool same(Value a, Value b, int depth) const {
        if (a == b) return true;
        const Inst &x = fn_[a], &y = fn_[b];
        if (depth > 16 || x.op != y.op || x.type != y.type || x.imm != y.imm || info(x.op).effect != Effect::pure ||
            x.args.size != y.args.size)
            return false;
        for (size_t i = 0; i < x.args.size; ++i)
            if (!same(fn_.args(a)[i], fn_.args(b)[i], depth + 1)) return false;
        return true;
    }

    [[noreturn]] void fail(Value load, Value pointer) const {
        const std::string name = fn_[pointer].op == Op::place ? " `" + fn_.places[fn_[pointer].imm].name + "`" : "";
        fail_user(UserErrorKind::runtime,
                  "Cross-iteration read-after-write on the `needs_grad` global field" + name +
                      ": an iteration of this loop reads what another one writes, so its gradient would depend on the "
                      "order of "
                      "the iterations",
                  fn_.trace(fn_[load].span),
                  "put the loop into another one that is serial, `for _ in range(1): for i in range(n): ...`, or say "
                  "`qd.loop_config(serialize=True)` before it");
    }

    const Function &fn_;
    const Companions &companions_;
    std::vector<uint8_t> mentions_; ///< by value: it depends on an index of the loop
    std::vector<Value> loads_, stores_;
};

} // namespace

void refuse_crossing(const Function &kernel, const Companions &companions) { Crossing(kernel, companions).run(); }

} // namespace qd::autodiff
