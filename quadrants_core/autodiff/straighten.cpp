#include "autodiff/straighten.h"

#include "analysis/uses.h"
#include "analysis/walk.h"
#include "ir/builder.h"
#include "passes/rename.h"
#include "passes/slots.h"

#include <algorithm>
#include <array>

namespace qd::autodiff {

using namespace ir;

namespace {

class Straightening {
  public:
    explicit Straightening(Function &fn) : fn_(fn), rename_(fn) {}

    void run() {
        visit(fn_.body);
        if (changed_) analysis::walk(fn_, [&](Value v) { rename_.apply(fn_, v); });
    }

  private:
    using Values = std::vector<Value>;

    /// The operands of a block's final yield: the yielded values, a condition that is true if execution falls through, and the operands of
    /// a `continue`; or the last ones only.
    struct End {
        std::vector<Type> yielded; ///< their types, if a condition follows
        bool has_condition = false;
    };

    void visit(BlockId block) {
        const Values list = fn_[block].insts;
        for (Value v : list)
            for (BlockId inner : {fn_[v].blocks[0], fn_[v].blocks[1]})
                if (inner) visit(inner);
        for (Value v : list)
            if (fn_[v].op == Op::for_ && leaves(fn_[v].blocks[0], Op::continue_) &&
                !leaves(fn_[v].blocks[0], Op::break_))
                straighten(v);
    }

    /// True if the block, which is in the loop's body, contains the terminator `how` of that loop.
    bool leaves(BlockId block, Op how) const {
        return std::ranges::any_of(fn_[block].insts,
                                   [&](Value v) { return fn_[v].op == how || leaves_inside(v, how); });
    }
    bool leaves_inside(Value v, Op how) const {
        return fn_[v].op == Op::if_ && (leaves(fn_[v].blocks[0], how) || leaves(fn_[v].blocks[1], how));
    }
    /// True if all results are scalars, which can be replaced by dummy values on paths that do not have them.
    bool are_numbers(BlockId block) const {
        return std::ranges::all_of(fn_[block].insts, [&](Value v) {
            if (fn_[v].op != Op::if_) return true;
            return std::ranges::all_of(fn_.results(v), [&](Value r) { return fn_.type(r).is_scalar(); }) &&
                   are_numbers(fn_[v].blocks[0]) && are_numbers(fn_[v].blocks[1]);
        });
    }

    void straighten(Value loop) {
        const BlockId body = fn_[loop].blocks[0];
        carried_.clear();
        for (Value r : fn_.results(loop)) carried_.push_back(fn_.type(r));
        if (!are_numbers(body) || !std::ranges::all_of(carried_, [](Type t) { return t.is_scalar(); })) return;
        changed_ = true;
        close(body, {});
    }

    std::vector<Type> types(const End &end) const {
        std::vector<Type> all = end.yielded;
        if (end.has_condition) all.push_back(Scalar::u1);
        all.insert(all.end(), carried_.begin(), carried_.end());
        return all;
    }
    /// The operands of a path that reaches the end of its block, and of one that continues with the next iteration.
    Values fall_through(Builder &b, const Values &given, const End &end) {
        if (!end.has_condition) return given;
        Values all = given;
        all.push_back(b.u1(true));
        for (Type t : carried_) all.push_back(b.number(t, 0));
        return all;
    }
    Values next_iteration(Builder &b, const Values &given, const End &end) {
        if (!end.has_condition) return given;
        Values all;
        for (Type t : end.yielded) all.push_back(b.number(t, 0));
        all.push_back(b.u1(false));
        all.insert(all.end(), given.begin(), given.end());
        return all;
    }

    Values args(Value v) const {
        Values list(fn_.args(v).begin(), fn_.args(v).end());
        for (Value &a : list) a = rename_(a);
        return list;
    }
    void yield(BlockId block, const Values &given, SpanId span) {
        Builder b(fn_, block);
        b.span = span;
        b.yield(given);
    }
    Values results(Value v) const { return {fn_.results(v).begin(), fn_.results(v).end()}; }
    Value terminator(BlockId block) const { return fn_[block].insts.back(); }

    /// Makes every path through the block reach a yield at its end.
    void close(BlockId block, const End &end) {
        Values list = std::move(fn_[block].insts);
        const auto at = std::ranges::find_if(list, [&](Value v) { return leaves_inside(v, Op::continue_); });
        fn_[block].insts.assign(list.begin(), at);
        if (at == list.end()) {
            const Value last = list.back();
            fn_[block].insts.pop_back();
            Builder b(fn_, block);
            b.span = fn_[last].span;
            const Values given = args(last);
            b.yield(fn_[last].op == Op::continue_ ? next_iteration(b, given, end) : fall_through(b, given, end));
            return;
        }
        const Value v = *at;
        const Values rest(at + 1, list.end());
        fn_[block].insts.push_back(v);
        const BlockId sides[] = {fn_[v].blocks[0], fn_[v].blocks[1]};
        const bool first_falls = fn_[terminator(sides[0])].op == Op::yield;
        const bool second_falls = fn_[terminator(sides[1])].op == Op::yield;
        if (first_falls && second_falls) return join(block, v, rest, end);
        if (first_falls || second_falls) { // the code after it belongs to one side
            const BlockId side = sides[first_falls ? 0 : 1];
            const Values given = args(terminator(side));
            for (size_t k = 0; k < given.size(); ++k) rename_.replace(fn_.results(v)[k], given[k]);
            fn_[side].insts.pop_back();
            fn_[side].insts.insert(fn_[side].insts.end(), rest.begin(), rest.end());
        }
        fn_[v].results = {};
        passes::append_results(fn_, v, types(end));
        for (BlockId side : sides) close(side, end);
        yield(block, results(v), fn_[v].span);
    }

    /// Handles a `v` of which both sides may reach the code after it.
    void join(BlockId block, Value v, const Values &rest, const End &end) {
        End inside;
        inside.has_condition = true;
        for (Value r : fn_.results(v)) inside.yielded.push_back(fn_.type(r));
        std::vector<Type> more = {Scalar::u1};
        more.insert(more.end(), carried_.begin(), carried_.end());
        passes::append_results(fn_, v, more);
        for (BlockId side : {fn_[v].blocks[0], fn_[v].blocks[1]}) close(side, inside);
        const Values given = results(v);
        const size_t own = inside.yielded.size();
        Builder b(fn_, block);
        b.span = fn_[v].span;
        const Value made = b.if_(given[own]);
        passes::append_results(fn_, made, types(end));
        const BlockId goes = fn_[made].blocks[0], leaves = fn_[made].blocks[1];
        fn_[goes].insts = rest;
        close(goes, end);
        Builder left(fn_, leaves);
        left.span = b.span;
        left.yield(next_iteration(left, Values(given.begin() + ptrdiff_t(own) + 1, given.end()), end));
        yield(block, results(made), b.span);
    }

    Function &fn_;
    passes::Rename rename_;
    std::vector<Type> carried_; ///< of the current loop
    bool changed_ = false;
};

bool contains(const Function &fn, Value v, Op op) {
    bool found = fn[v].op == op;
    for (BlockId inner : fn[v].blocks)
        if (inner) analysis::walk(fn, inner, [&](Value each) { found |= fn[each].op == op; });
    return found;
}

} // namespace

void eliminate_continue(Function &fn) { Straightening(fn).run(); }

void wrap_serial_loops(Function &fn, const Activity &activity) {
    const std::vector<Value> list = fn[fn.body].insts;
    if (std::ranges::none_of(list, [&](Value v) { return contains(fn, v, Op::parallel); })) return;
    const std::vector<uint32_t> uses = analysis::use_counts(fn);
    const auto is_used = [&](Value v) {
        return std::ranges::any_of(fn.results(v), [&](Value r) { return uses[r.id]; });
    };
    const auto stands_alone = [&](Value v) { // it writes no outer local
        bool alone = true;
        std::vector<uint8_t> own(fn.insts.size());
        for (BlockId inner : fn[v].blocks)
            if (inner) analysis::walk(fn, inner, [&](Value each) { own[each.id] = 1; });
        for (BlockId inner : fn[v].blocks)
            if (inner)
                analysis::walk(fn, inner, [&](Value each) {
                    const Op op = fn[each].op;
                    if (op != Op::store && !is_atomic(op)) return;
                    const Target t = target_of(fn, {}, fn.args(each)[0]);
                    alone &= t.kind != Target::Kind::local || own[t.base.id];
                });
        return alone;
    };
    fn[fn.body].insts.clear();
    for (Value v : list) {
        const bool moves = owns_block(fn[v].op) && fn[v].op != Op::parallel && activity.is_differentiated(v) &&
                           !is_used(v) && contains(fn, v, Op::for_) && !contains(fn, v, Op::parallel) &&
                           !contains(fn, v, Op::ret) && stands_alone(v);
        if (!moves) {
            fn[fn.body].insts.push_back(v);
            continue;
        }
        Builder b(fn, fn.body);
        b.span = fn[v].span;
        const Value zero = b.i32(0);
        const Value one = b.i32(1);
        Loop flags;
        flags.serialize = true;
        const Value made = b.parallel(std::array{zero, one}, flags);
        const BlockId inside = fn[made].blocks[0];
        fn[inside].insts.push_back(v);
        Builder(fn, inside).yield();
    }
}

} // namespace qd::autodiff
