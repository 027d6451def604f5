// The Stop checks in the loops of a serial task also serve requests for coverage counts. Innermost loops that may become SIMD loops are
// excepted: they report at safepoints.
#include "passes/safepoints.h"

#include "ir/builder.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;

namespace {

class Serving {
  public:
    explicit Serving(Function &fn) : fn_(fn) {}

    void block(BlockId b, Value loop) {
        for (size_t i = 0; i < fn_[b].insts.size(); ++i) {
            Value v = fn_[b].insts[i];
            if (loop && fn_[v].op == Op::if_ && fn_[fn_.args(v)[0]].op == Op::poll) {
                check(v);
                continue;
            }
            bool is_loop = fn_[v].op == Op::for_ || fn_[v].op == Op::loop;
            if (is_loop && may_vectorize(v)) {
                if (polls(v)) add_safepoint(fn_, v);
                continue;
            }
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn_[v].blocks[k]) block(inner, is_loop ? v : loop);
        }
    }

  private:
    bool polls(Value loop) const {
        return std::ranges::any_of(fn_[fn_[loop].blocks[0]].insts, [&](Value v) { return is_stop_check(fn_, v); });
    }

    /// if poll_requests { if serve_requests { exit } }
    void check(Value branch) {
        BlockId leave = fn_[branch].blocks[0];
        if (fn_[leave].insts.size() != 1 || fn_[fn_[leave].insts[0]].op != Op::exit) return;
        fn_[fn_.args(branch)[0]].op = Op::poll_requests;
        fn_[leave].insts.clear();
        Builder b(fn_, leave);
        b.span = fn_[branch].span;
        Value stop = b.emit(Op::serve_requests, {}, Scalar::u1);
        Value inner = b.if_(stop);
        Builder(fn_, fn_[inner].blocks[0]).exit();
        Builder(fn_, fn_[inner].blocks[1]).yield();
        b.yield();
    }

    /// Necessary conditions of the rules in vectorize_plan.cpp, as far as they can be checked here.
    bool may_vectorize(Value loop) const {
        if (fn_[loop].op != Op::for_) return false;
        BlockId body = fn_[loop].blocks[0];
        return plain(body, fn_[body].params[0]) && reduces(body);
    }

    bool plain(BlockId b, Value index) const {
        for (Value v : fn_[b].insts) {
            const Inst &inst = fn_[v];
            if (inst.op == Op::store && !is_at(fn_.args(v)[0], index)) return false;
            if (inst.op == Op::if_) {
                if (fn_[fn_.args(v)[0]].op == Op::poll) continue;
                for (BlockId side : inst.blocks)
                    if (side && !plain(side, index)) return false;
            } else if (info(inst.op).traits & convergent) {
                return false;
            } else if (info(inst.op).effect == Effect::write) {
                if (inst.op != Op::store && inst.op != Op::count && inst.op != Op::poll && inst.op != Op::local)
                    return false;
            } else if (info(inst.op).effect == Effect::control && inst.op != Op::yield) {
                return false;
            }
        }
        return true;
    }

    /// True for a local, or for an address with an index that is the loop's, plus or minus something.
    bool is_at(Value pointer, Value index) const {
        if (fn_[pointer].op == Op::local) return true;
        for (Value a : fn_.args(pointer)) {
            if (a == index) return true;
            if (fn_[a].op != Op::add && fn_[a].op != Op::sub) continue;
            for (Value part : fn_.args(a))
                if (part == index) return true;
        }
        return false;
    }

    /// True if each carried value is computed from itself and something else, or selected.
    bool reduces(BlockId body) const {
        std::span<const Value> next = fn_.args(fn_[body].insts.back());
        for (size_t k = 0; k < next.size(); ++k) {
            Value carried = fn_[body].params[k + 1];
            Op op = fn_[next[k]].op;
            if (next[k] == carried || op == Op::result || op == Op::if_ || op == Op::select) continue;
            std::span<const Value> args = fn_.args(next[k]);
            if (std::find(args.begin(), args.end(), carried) == args.end()) return false;
        }
        return true;
    }

    Function &fn_;
};

} // namespace

void serve_counts(Function &fn) { Serving(fn).block(fn.body, {}); }

} // namespace qd::passes
