// Reports coverage counts while a loop runs. The loop's gains so far stay in its accumulators; a local for each counter holds how much
// of them has been reported, and every other count of the counter subtracts it.
//
//   if safepoint                            if safepoint
//       count total !c                          gain = max(total - reported, 0); reported += gain; count gain !c
//   ...                              ->     ...
//   count total !c                          count total - reported !c; reported = 0
//
// In a task that runs in chunks, a loop that polls for Stop in every iteration and counts before it leaves reports there too.
#include "passes/safepoints.h"
#include "passes/passes.h"

#include "analysis/walk.h"
#include "ir/builder.h"

#include <algorithm>
#include <map>

namespace qd::passes {

using namespace ir;

void add_safepoint(Function &fn, Value loop) {
    Builder b(fn, fn[loop].blocks[0]);
    b.at = 0;
    b.span = fn[loop].span;
    const Value safepoint = b.emit(Op::safepoint, {}, Scalar::u1);
    const Value branch = b.if_(safepoint);
    for (int side = 0; side < 2; ++side) Builder(fn, fn[branch].blocks[side]).yield();
}

void drop_safepoints(Function &fn, BlockId block) {
    std::erase_if(fn[block].insts, [&](Value v) { return fn[v].op == Op::safepoint || is_safepoint(fn, v); });
}

void drop_empty_safepoints(Function &fn, BlockId block) {
    std::vector<Value> &list = fn[block].insts;
    const bool empty = std::ranges::any_of(
        list, [&](Value v) { return is_safepoint(fn, v) && fn[fn[v].blocks[0]].insts.size() == 1; });
    if (empty) drop_safepoints(fn, block);
    for (Value v : fn[block].insts)
        for (BlockId inner : fn[v].blocks)
            if (inner) drop_empty_safepoints(fn, inner);
}

bool holds_safepoint(const Function &fn, BlockId block, bool any) {
    return std::ranges::any_of(fn[block].insts, [&](Value v) {
        if (any && fn[v].op == Op::safepoint) return true;
        const bool loop = fn[v].op == Op::for_ || fn[v].op == Op::loop;
        return std::ranges::any_of(fn[v].blocks, [&](BlockId b) { return b && holds_safepoint(fn, b, any || loop); });
    });
}

namespace {

class Reporting {
  public:
    explicit Reporting(Function &fn) : fn_(fn) {}

    bool run() {
        analysis::walk(fn_, fn_.body, [&](Value v) {
            if (reports(v))
                for (Value count : fn_[fn_[v].blocks[0]].insts)
                    if (fn_[count].op == Op::count) reported_[fn_[count].imm] = {};
        });
        if (reported_.empty()) return false;
        Builder b(fn_, fn_.body);
        b.at = 0;
        const Value zero = b.i64(0);
        for (auto &[counter, local] : reported_) {
            local = b.local(Scalar::i64, 1);
            b.store(local, zero);
        }
        block(fn_.body);
        return true;
    }

  private:
    bool reports(Value v) const {
        if (is_safepoint(fn_, v)) return true;
        return fn_.role == Role::range_task && is_stop_check(fn_, v) && fn_[fn_[v].blocks[0]].insts.size() > 1;
    }

    void block(BlockId b) {
        std::vector<Value> old = std::move(fn_[b].insts);
        fn_[b].insts.clear();
        fn_[b].insts.reserve(old.size());
        Builder at(fn_, b);
        for (Value v : old) {
            at.span = fn_[v].span;
            const bool check = reports(v);
            if (check) {
                if (is_stop_check(fn_, v)) also_look(at, v);
                report(v);
            }
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn_[v].blocks[k]; inner && !(check && k == 0)) block(inner);
            if (fn_[v].op == Op::count && reported_.contains(fn_[v].imm)) rest(at, v);
            fn_[b].insts.push_back(v);
        }
    }

    /// if poll or safepoint { counts; if poll { exit } }
    void also_look(Builder &b, Value check) {
        const Value poll = fn_.args(check)[0];
        const Value safepoint = b.emit(Op::safepoint, {}, Scalar::u1);
        const Value either = b.bor(poll, safepoint);
        fn_.set_args(check, {&either, 1});
        const BlockId leave = fn_[check].blocks[0];
        fn_[leave].insts.pop_back();
        Builder in(fn_, leave);
        in.span = b.span;
        const Value inner = in.if_(poll);
        Builder(fn_, fn_[inner].blocks[0]).exit();
        Builder(fn_, fn_[inner].blocks[1]).yield();
        in.yield();
    }

    void report(Value check) {
        const BlockId b = fn_[check].blocks[0];
        std::map<uint64_t, Value> totals;
        std::vector<Value> last, old = std::move(fn_[b].insts);
        fn_[b].insts.clear();
        Builder at(fn_, b);
        at.span = fn_[check].span;
        for (Value v : old) {
            if (fn_[v].op == Op::count) {
                Value &total = totals[fn_[v].imm];
                total = total ? at.add(total, fn_.args(v)[0]) : fn_.args(v)[0];
            } else if (fn_[v].op == Op::if_ || fn_[v].op == Op::yield) {
                last.push_back(v);
            } else {
                fn_[b].insts.push_back(v);
            }
        }
        const Value zero = at.i64(0);
        for (auto &[counter, total] : totals) {
            const Value local = reported_.at(counter);
            const Value reported = at.volatile_load(local);
            Value gain = at.sub(total, reported);
            gain = at.max(gain, zero);
            const Value now = at.add(reported, gain);
            at.store(local, now);
            at.count(uint32_t(counter), gain);
        }
        fn_[b].insts.insert(fn_[b].insts.end(), last.begin(), last.end());
    }

    void rest(Builder &b, Value count) {
        const Value local = reported_.at(fn_[count].imm);
        const Value reported = b.volatile_load(local);
        const Value left = b.sub(fn_.args(count)[0], reported);
        const Value zero = b.i64(0);
        b.store(local, zero);
        fn_.set_args(count, {&left, 1});
    }

    Function &fn_;
    std::map<uint64_t, Value> reported_; ///< by counter: the local with the amount reported so far
};

} // namespace

bool report_counts(Function &fn, const Config &) { return Reporting(fn).run(); }

} // namespace qd::passes
