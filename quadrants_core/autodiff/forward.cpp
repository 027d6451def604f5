// The kernel unchanged, with the tangent computed after each instruction.
//  - Slots of ifs and loops get a second slot for their tangents, locals a second local.
//  - A store also stores the tangent, so the last one wins; an atomic add adds it. Other atomics leave one of two values, or a
//    product, in memory: the companion is loaded and stored, which is exact unless two threads access the same element.
//  - The old value that an atomic returns has the previous tangent, with the same restriction.
#include "autodiff/forward.h"

#include "autodiff/companion.h"
#include "autodiff/partials.h"
#include "base/error.h"
#include "passes/slots.h"

#include <utility>

namespace qd::autodiff {

using namespace ir;

namespace {

class Forward {
  public:
    Forward(const Function &kernel, const Companions &companions, const Activity &activity)
        : fn_(kernel), b_(fn_), companions_(companions), activity_(activity), tangents_(kernel.insts.size()) {}

    Function run() {
        block(fn_.body, {});
        return std::move(fn_);
    }

  private:
    using Values = std::vector<Value>;

    bool active(Value v) const { return v.id < tangents_.size() && activity_.active(v); }
    Values args_of(Value v) const { return {fn_.args(v).begin(), fn_.args(v).end()}; }
    Value zero(Type t) { return b_.number(t, 0); }
    Value tangent(Value v) { return tangents_[v.id] ? tangents_[v.id] : zero(fn_.type(v)); }

    void block(BlockId id, Value owner) {
        const Values old = std::move(fn_[id].insts);
        fn_[id].insts.clear();
        const BlockId outer = std::exchange(b_.block, id);
        for (Value v : old) {
            b_.span = fn_[v].span;
            step(v, owner);
        }
        b_.block = outer;
    }
    void keep(Value v) { fn_[b_.block].insts.push_back(v); }

    void step(Value v, Value owner) {
        const Op op = fn_[v].op;
        if (is_terminator(op)) {
            const bool jumps = op == Op::break_ || op == Op::continue_;
            const Value to = jumps ? loops_.back() : op == Op::yield ? owner : Value{};
            return end(v, to);
        }
        if (owns_block(op)) return control(v);
        keep(v);
        if (op == Op::local) {
            if (active(v)) tangents_[v.id] = b_.local(fn_.type(v).elem, fn_[v].imm);
        } else if (op == Op::load || op == Op::volatile_load) {
            if (active(v)) tangents_[v.id] = b_.load(companion(fn_.args(v)[0]));
        } else if (activity_.is_differentiated(v)) {
            op == Op::store || is_atomic(op) ? write(v) : compute(v);
        }
    }

    void end(Value v, Value to) {
        Values extra;
        if (to)
            for (size_t k = 0; k < fn_.results(to).size(); ++k)
                if (active(fn_.results(to)[k])) extra.push_back(tangent(fn_.args(v)[k]));
        passes::append_args(fn_, v, extra);
        keep(v);
    }

    void control(Value v) {
        const bool is_loop = passes::is_loop(fn_[v].op);
        const Values results{fn_.results(v).begin(), fn_.results(v).end()};
        Values inits;
        std::vector<Type> types;
        std::vector<size_t> slots;
        for (size_t k = 0; k < results.size(); ++k)
            if (active(results[k])) {
                slots.push_back(k);
                types.push_back(fn_.type(results[k]));
                if (is_loop) inits.push_back(tangent(fn_.args(v)[passes::first_init(fn_, v) + k]));
            }
        keep(v);
        const uint32_t carried = is_loop ? passes::first_carried(fn_, v) : 0;
        passes::append_args(fn_, v, inits);
        if (is_loop)
            for (size_t k : slots) {
                const BlockId body = fn_[v].blocks[0];
                tangents_[fn_[body].params[carried + k].id] = fn_.add_param(body, fn_.type(results[k]), b_.span);
            }
        // Results are appended last: terminators in the blocks expect only the original ones.
        if (is_loop) loops_.push_back(v);
        for (BlockId inner : {fn_[v].blocks[0], fn_[v].blocks[1]})
            if (inner) block(inner, v);
        if (is_loop) loops_.pop_back();
        passes::append_results(fn_, v, types);
        for (size_t k = 0; k < slots.size(); ++k) tangents_[results[slots[k]].id] = fn_.results(v)[results.size() + k];
    }

    Value companion(Value pointer) {
        return companion_address(
            fn_, companions_, b_, pointer, [](Value v) { return v; }, [](Value a) { return a; },
            [&](Value l) { return tangents_[l.id]; });
    }

    void compute(Value v) {
        const Op op = fn_[v].op;
        const Values args = args_of(v);
        Value sum;
        for (size_t i = 0; i < args.size(); ++i) {
            if (!active(args[i])) continue;
            Value part;
            switch (slope(op, i)) {
            case Slope::flat:
            case Slope::refused: continue;
            case Slope::factor: part = times_slope(b_, op, args, i, tangent(args[i])); break;
            case Slope::converted: part = b_.cast(tangent(args[i]), fn_.type(v)); break;
            case Slope::first:
            case Slope::second: {
                const size_t first = args.size() - 2;
                const Value condition = takes_first(b_, op, args);
                const Value yes = tangent(args[first]);
                const Value no = tangent(args[first + 1]);
                tangents_[v.id] = b_.select(condition, yes, no);
                return;
            }
            }
            sum = sum ? b_.add(sum, part) : part;
        }
        tangents_[v.id] = sum;
    }

    void write(Value v) {
        const Op op = fn_[v].op;
        const Values args = args_of(v);
        const Value given = args.back();
        if (op == Op::atomic_add && !active(given)) {
            if (active(v)) tangents_[v.id] = b_.load(companion(args[0]));
            return;
        }
        const Value p = companion(args[0]);
        if (op == Op::store || op == Op::atomic_xchg) {
            if (op == Op::atomic_xchg && active(v)) tangents_[v.id] = b_.load(p);
            const Value t = tangent(given);
            b_.store(p, t);
        } else if (op == Op::atomic_add) {
            const Value t = tangent(given);
            tangents_[v.id] = b_.atomic_add(p, t);
        } else {
            update(v, p, args);
        }
    }

    /// Updates the tangent of the memory that an atomic changes; `v` is the old value.
    void update(Value v, Value p, const Values &args) {
        const Op op = fn_[v].op;
        const Value given = tangent(args.back());
        const Value before = b_.load(p);
        tangents_[v.id] = before;
        Value after;
        if (op == Op::atomic_mul) {
            const Value left = b_.mul(before, args.back());
            const Value right = b_.mul(v, given);
            after = b_.add(left, right);
        } else if (op == Op::atomic_cas) {
            const Value met = b_.eq(v, args[1]);
            after = b_.select(met, given, before);
        } else {
            const Value both[] = {v, args.back()};
            const Value stays = takes_first(b_, plain_op(op), both);
            after = b_.select(stays, before, given);
        }
        b_.store(p, after);
    }

    Function fn_;
    Builder b_;
    const Companions &companions_;
    const Activity &activity_;
    Values tangents_; ///< by value; none: zero
    Values loops_;    ///< around the current instruction
};

} // namespace

Function forward(const Function &kernel, const Companions &companions, const Activity &activity) {
    return Forward(kernel, companions, activity).run();
}

} // namespace qd::autodiff
