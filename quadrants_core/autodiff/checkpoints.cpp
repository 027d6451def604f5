#include "autodiff/checkpoints.h"

#include "ir/builder.h"
#include "passes/clone.h"

#include <algorithm>

namespace qd::autodiff {

using namespace ir;

namespace {

class Checkpoints {
  public:
    Checkpoints(const Function &kernel, std::span<const AdstackLoop> loops, uint64_t budget)
        : fn_(kernel), loops_(loops), budget_(budget / std::max<size_t>(loops.size(), 1)) {}

    Function run() {
        visit(fn_.body, 0);
        return std::move(fn_);
    }

  private:
    using Values = std::vector<Value>;
    static constexpr uint64_t few = 5; ///< iterations: splitting fewer saves no memory

    void visit(BlockId block, int depth) {
        const Values old = fn_[block].insts;
        fn_[block].insts.clear();
        for (Value v : old) {
            const auto found = std::ranges::find(loops_, v, &AdstackLoop::loop);
            const bool cuts = found != loops_.end() && found->is_carried;
            for (BlockId inner : {fn_[v].blocks[0], fn_[v].blocks[1]})
                if (inner) visit(inner, depth + (found != loops_.end()));
            if (cuts) cut(v, block, found->bytes, depth == 0 ? 3 : 2);
            fn_[block].insts.push_back(v);
        }
    }

    /// Turns `v` into an if with the same results.
    void cut(Value v, BlockId block, uint64_t bytes, int levels) {
        Builder b(fn_, block);
        b.span = fn_[v].span;
        const Value n = b.trips(fn_.args(v)[0], fn_.args(v)[1]);
        const uint64_t allowed = std::max(budget_ / bytes, few);
        const Value most = b.i64(int64_t(std::min<uint64_t>(allowed, uint64_t(1) << 48)));
        const Value fits = b.le(n, most);
        const BlockId whole = fn_.make_block(), parts = fn_.make_block();
        copy_loop(v, whole, fn_.args(v)[0], fn_.args(v)[1], inits(v));
        if (levels == 2) {
            end(nest(v, parts, n, {root(parts, n, 0.5)}), parts);
        } else {
            Builder in(fn_, parts);
            in.span = b.span;
            const Value two = in.i64(2);
            const Value k = root(parts, n, 0.5);
            const Value entries = in.mul(k, two);
            const Value enough = in.le(entries, most);
            const Value made = in.if_(enough);
            const BlockId sides[] = {fn_[made].blocks[0], fn_[made].blocks[1]};
            end(nest(v, sides[0], n, {k}), sides[0]);
            const Value large = root(sides[1], n, 2.0 / 3), small = root(sides[1], n, 1.0 / 3);
            end(nest(v, sides[1], n, {large, small}), sides[1]);
            Values results;
            for (size_t k = 0; k < fn_.results(v).size(); ++k) {
                const Type type = fn_.type(fn_.results(v)[k]);
                results.push_back(fn_.add_result(made, type));
            }
            in.yield(results);
        }
        fn_[v].op = Op::if_;
        fn_[v].imm = 0;
        fn_.set_args(v, std::array{fits});
        fn_[v].blocks[0] = whole;
        fn_[v].blocks[1] = parts;
    }

    /// n^power rounded up, at least 1.
    Value root(BlockId block, Value n, double power) {
        Builder b(fn_, block);
        const Value real = b.cast(n, Scalar::f64);
        const Value exponent = b.number(Scalar::f64, power);
        const Value raised = power == 0.5 ? b.sqrt(real) : b.pow(real, exponent);
        const Value upper = b.ceil(raised);
        const Value whole = b.cast(upper, Scalar::i64);
        const Value one = b.i64(1);
        return b.max(whole, one);
    }
    Values inits(Value v) {
        const auto list = fn_.args(v).subspan(2);
        return {list.begin(), list.end()};
    }
    /// Copies the loop with other bounds; returns its results.
    Values copy_loop(Value v, BlockId block, Value lower, Value upper, const Values &enter, bool ends = true) {
        passes::Cloner cloner(fn_, fn_);
        const Value made = cloner.copy(v, block);
        Values args = {lower, upper};
        args.insert(args.end(), enter.begin(), enter.end());
        fn_.set_args(made, args);
        const Values results(fn_.results(made).begin(), fn_.results(made).end());
        if (ends) end(results, block);
        return results;
    }
    void end(const Values &results, BlockId block) { Builder(fn_, block).yield(results); }

    /// Emits a loop over blocks for each size, around the loop, to `block`; returns its results.
    Values nest(Value v, BlockId block, Value n, const Values &sizes) {
        Builder b(fn_, block);
        b.span = fn_[v].span;
        const Value zero = b.i64(0);
        return level(v, block, zero, n, sizes, 0, inits(v));
    }
    /// Emits iterations [from, to), counted from 0.
    Values level(Value v, BlockId block, Value from, Value to, const Values &sizes, size_t depth, const Values &enter) {
        Builder b(fn_, block);
        b.span = fn_[v].span;
        if (depth == sizes.size()) {
            const Type type = fn_.type(fn_.args(v)[0]);
            const Value begin = b.cast(fn_.args(v)[0], Scalar::i64);
            const Value lower = b.add(begin, from);
            const Value upper = b.add(begin, to);
            const Value lo = b.cast(lower, type);
            const Value hi = b.cast(upper, type);
            return copy_loop(v, block, lo, hi, enter, false);
        }
        const Value size = sizes[depth];
        const Value count = b.sub(to, from);
        const Value one = b.i64(1);
        const Value more = b.sub(size, one);
        const Value sum = b.add(count, more);
        const Value blocks = b.div(sum, size);
        const Value zero = b.i64(0);
        Loop flags;
        flags.reversed = fn_.loops[fn_[v].imm].reversed;
        flags.name = fn_.loops[fn_[v].imm].name;
        const Value made = b.for_(zero, blocks, enter, flags);
        const BlockId body = fn_[made].blocks[0];
        const Values params = fn_[body].params;
        for (size_t k = 1; k < params.size(); ++k) {
            const SpanId span = fn_[fn_[fn_[v].blocks[0]].params[k]].span;
            fn_[params[k]].span = span;
        }
        Builder in(fn_, body);
        in.span = b.span;
        const Value offset = in.mul(params[0], size);
        const Value begin = in.add(from, offset);
        const Value far_end = in.add(begin, size);
        const Value finish = in.min(far_end, to);
        end(level(v, body, begin, finish, sizes, depth + 1, {params.begin() + 1, params.end()}), body);
        return {fn_.results(made).begin(), fn_.results(made).end()};
    }

    Function fn_;
    std::span<const AdstackLoop> loops_;
    uint64_t budget_;
};

} // namespace

Function with_checkpoints(const Function &kernel, std::span<const AdstackLoop> loops, uint64_t budget) {
    return Checkpoints(kernel, loops, budget).run();
}

} // namespace qd::autodiff
