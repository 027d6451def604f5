// The backward part. Processes the kernel in reverse order; each instruction becomes its effect on adjoints:
//  - a pure one adds to the adjoints of its operands;
//  - a load adds to the companion's element, atomically (demote_atomics finds out where no other thread can access it); a load from a
//    cell that does not exist is a constant, so no cell is created for its adjoint;
//  - a store takes the adjoint of the element and resets it to zero; an atomic, which is treated as an add whatever it is, takes it
//    and leaves it unchanged;
//  - an if becomes an if on the same condition, a parallel loop one over the same range, a serial loop is reversed.
// The adjoint of a value is a local, zero at the start of the backward part of its block, which promote turns into values that ifs
// yield and loops carry. The adjoint of a slot of a loop is the local of the loop's result, before and after each backward step; it is
// constant if the loop only adds to the slot (sums.h).
// A value of the kernel's top level that parallel loops use has a local to which they add atomically.
#include "autodiff/reverse.h"

#include "autodiff/companion.h"
#include "autodiff/partials.h"
#include "autodiff/refuse.h"
#include "autodiff/replay.h"
#include "autodiff/sums.h"
#include "base/error.h"
#include "passes/slots.h"

#include <map>
#include <utility>

namespace qd::autodiff {

using namespace ir;

namespace {

class Reverse {
  public:
    Reverse(const Function &kernel, const Companions &companions, const Activity &activity, const Stacks &stacks)
        : fn_(kernel), companions_(companions), activity_(activity), sums_(kernel, activity),
          replay_(kernel, companions, activity, stacks), b_(replay_.builder()), adjoints_(kernel.insts.size()),
          home_(kernel.insts.size()), reached_(kernel.insts.size()) {}

    Function run(std::vector<AdstackLoop> *kept) {
        replay_.open_frame({}, {});
        backward(fn_.body);
        b_.ret();
        replay_.close_frame();
        Function made = replay_.finish();
        if (kept) *kept = replay_.adstack_loops();
        return made;
    }

  private:
    using Values = std::vector<Value>;
    /// The position of the backward part of a block.
    struct Home {
        BlockId block;
        size_t frame = 0;
    };

    Value value(Value v) { return replay_.value(v); }
    Values values(std::span<const Value> list) {
        const Values old(list.begin(), list.end());
        Values given;
        for (Value v : old) given.push_back(value(v));
        return given;
    }

    /// The local that holds an adjoint.
    Value adjoint(Value v) {
        if (!adjoints_[v.id]) adjoints_[v.id] = replay_.local(fn_.type(v).elem, 1, home_[v.id].block);
        return adjoints_[v.id];
    }

    /// The current value of an adjoint; none: it is zero.
    Value take(Value v) { return adjoints_[v.id] ? b_.load(adjoints_[v.id]) : Value{}; }

    void add(Value v, Value amount) {
        if (!activity_.active(v)) return;
        const Value at = adjoint(v);
        if (replay_.is_shared(home_[v.id].block))
            b_.atomic_add(at, amount);
        else if (reached_[v.id] || home_[v.id].frame != replay_.depth())
            add_to(at, amount);
        else
            b_.store(at, amount); // it has been zero so far
        if (!reached_[v.id]) reached_list_.push_back(v);
        reached_[v.id] = 1;
    }
    void add_to(Value at, Value amount) {
        const Value before = b_.load(at);
        const Value after = b_.add(before, amount);
        b_.store(at, after);
    }

    /// Emits the backward part of a block at the end of the current block.
    void backward(BlockId source) {
        const Block &block = fn_[source];
        const Home here{b_.block, replay_.depth()};
        for (Value p : block.params) home_[p.id] = here;
        for (Value v : block.insts) {
            home_[v.id] = here;
            for (Value r : fn_.results(v)) home_[r.id] = here;
        }
        pass_to_ends(source);
        for (size_t n = block.insts.size(); n-- > 0;) {
            const Value v = block.insts[n];
            if (!activity_.is_differentiated(v)) continue;
            b_.span = fn_[v].span;
            step(v);
        }
    }

    /// Adds the adjoints of the values that the block's terminator passes.
    void pass_to_ends(BlockId source) {
        const Value end = fn_[source].insts.back();
        for (size_t k = 0; k < passed_.size(); ++k)
            if (passed_[k]) add(fn_.args(end)[k], passed_[k]);
        passed_.clear();
    }

    void step(Value v) {
        const Op op = fn_[v].op;
        if (op == Op::load || op == Op::volatile_load) return load(v);
        if (op == Op::store || is_atomic(op)) return write(v);
        if (op == Op::if_) return branch(v);
        if (op == Op::for_) return serial(v);
        if (op == Op::parallel) return parallel(v);
        if (op != Op::local) compute(v);
    }

    void compute(Value v) {
        const Value g = take(v);
        if (!g) return;
        const Op op = fn_[v].op;
        const auto args = fn_.args(v);
        // Doubles the adjoint, which the terms of a sum of squares share, instead of each product.
        if (op == Op::mul && args[0] == args[1]) {
            if (activity_.active(args[0])) add(args[0], times_slope(b_, op, values(args), 0, b_.add(g, g)));
            return;
        }
        for (size_t i = 0; i < args.size(); ++i) {
            if (!activity_.active(args[i])) continue;
            switch (slope(op, i)) {
            case Slope::flat:
            case Slope::refused: break;
            case Slope::factor: add(args[i], times_slope(b_, op, values(fn_.args(v)), i, g)); break;
            case Slope::converted: add(args[i], b_.cast(g, fn_.type(args[i]))); break;
            case Slope::first:
            case Slope::second: {
                const bool is_first = slope(op, i) == Slope::first;
                const Value condition = takes_first(b_, op, values(fn_.args(v)));
                const Value zero = b_.number(fn_.type(v), 0);
                add(args[i], b_.select(condition, is_first ? g : zero, is_first ? zero : g));
                break;
            }
            }
        }
    }

    Value companion(Value pointer) {
        return companion_address(
            fn_, companions_, b_, pointer, [&](Value v) { return value(v); }, [&](Value a) { return replay_.param(a); },
            [&](Value l) {
                if (!adjoints_[l.id]) adjoints_[l.id] = replay_.local(fn_.type(l).elem, fn_[l].imm, home_[l.id].block);
                return adjoints_[l.id];
            });
    }

    void load(Value v) {
        const Value g = take(v);
        if (!g) return;
        const Value from = fn_.args(v)[0];
        const Target target = target_of(fn_, companions_, from);
        if (const Value cell = target.kind == Target::Kind::global ? uncertain_cell(target.base) : Value{}) {
            const Value made = b_.if_(b_.emit(Op::is_active, {cell}, Scalar::u1));
            for (int side = 0; side < 2; ++side) {
                replay_.enter(replay_.out()[made].blocks[side]);
                if (side == 0) b_.atomic_add(companion(from), g);
                b_.yield();
                replay_.leave();
            }
            return;
        }
        const Value p = companion(from);
        if (target.kind == Target::Kind::global || replay_.is_shared(home_[target.base.id].block))
            b_.atomic_add(p, g);
        else
            add_to(p, g);
    }

    /// The cell that contains an element, if the cell may not exist and adding to the adjoint would create one.
    Value uncertain_cell(Value pointer) {
        if (fn_[pointer].op != Op::place) return {};
        const uint64_t number = fn_[pointer].imm;
        const Place &place = fn_.places[number];
        if (!is_sparse(place) || !is_sparse(fn_.places[companions_.place(number)])) return {};
        const Values indices(fn_.args(pointer).begin(), fn_.args(pointer).end());
        if (cell_loop_ && indices == fn_[fn_[cell_loop_].blocks[0]].params) {
            const Place &loop = fn_.places[place_of(fn_[fn_.args(cell_loop_)[1]])];
            if (loop.tree == place.tree && loop.levels == place.levels && loop.index_offset == place.index_offset)
                return {}; // it is the loop's current cell
        }
        const auto [at, is_new] = cells_.try_emplace(number, replay_.out().places.size());
        if (is_new) {
            Place cell = place;
            while (cell.levels.back().kind == LevelKind::dense) cell.levels.pop_back();
            cell.elem = Scalar::u8;
            cell.level = true;
            cell.byte_offset = 0;
            replay_.out().places.push_back(std::move(cell));
        }
        return b_.place(at->second, values(indices));
    }

    void write(Value v) {
        const Op op = fn_[v].op;
        const Value given = fn_.args(v).back();
        const Target target = target_of(fn_, companions_, fn_.args(v)[0]);
        if (op != Op::store) {
            if (!activity_.active(given)) return;
            if (target.kind == Target::Kind::local && op != Op::atomic_add)
                fail_user(UserErrorKind::runtime, not_supported, fn_.trace(fn_[v].span));
        }
        const Value p = companion(fn_.args(v)[0]);
        const Value g = activity_.active(given) ? b_.load(p) : Value{};
        if (op == Op::store) {
            const Value zero = b_.number(fn_.type(given), 0);
            b_.store(p, zero);
        }
        if (g) add(given, g);
    }

    void branch(Value v) {
        const Value made = b_.if_(value(fn_.args(v)[0]));
        const size_t mark = reached_list_.size();
        Values either;
        for (int side = 0; side < 2; ++side) {
            const BlockId source = fn_[v].blocks[side];
            replay_.enter(replay_.out()[made].blocks[side]);
            if (fn_[fn_[source].insts.back()].op == Op::yield) {
                for (Value r : fn_.results(v)) passed_.push_back(take(r));
                backward(source);
            }
            b_.yield();
            replay_.leave();
            for (size_t i = mark; i < reached_list_.size(); ++i) reached_[reached_list_[i].id] = 0;
            either.insert(either.end(), reached_list_.begin() + ptrdiff_t(mark), reached_list_.end());
            reached_list_.resize(mark);
        }
        for (Value reached : either)
            if (!std::exchange(reached_[reached.id], 1)) reached_list_.push_back(reached);
    }

    void serial(Value v) {
        Loop loop = fn_.loops[fn_[v].imm];
        loop.reversed = !loop.reversed && !loop.vectorize && !sums_.any_order(v);
        const Values bounds = values(fn_.args(v).first(2));
        const Value made = b_.for_(bounds[0], bounds[1], {}, loop);
        const BlockId body = fn_[v].blocks[0];
        const Values results(fn_.results(v).begin(), fn_.results(v).end());
        replay_.open_frame(v, made);
        for (Value r : results) passed_.push_back(activity_.active(r) ? b_.load(adjoint(r)) : Value{});
        backward(body);
        for (size_t k = 0; k < results.size(); ++k) {
            if (!activity_.active(results[k]) || sums_.is_sum(v, k)) continue;
            const Value carried = take(fn_[body].params[1 + k]);
            const Value next = carried ? carried : b_.number(fn_.type(results[k]), 0);
            b_.store(adjoint(results[k]), next);
        }
        b_.yield();
        replay_.close_frame();
        for (size_t k = 0; k < results.size(); ++k)
            if (const Value init = fn_.args(v)[2 + k]; activity_.active(results[k]) && activity_.active(init))
                add(init, b_.load(adjoint(results[k])));
    }

    void parallel(Value v) {
        Loop loop = fn_.loops[fn_[v].imm];
        if (loop.serialize) loop.reversed = !loop.reversed;
        const Values bounds = values(fn_.args(v));
        const Value made = b_.parallel(bounds, loop);
        replay_.open_frame(v, made);
        cell_loop_ = loop.cells ? v : Value{};
        backward(fn_[v].blocks[0]);
        cell_loop_ = {};
        b_.yield();
        replay_.close_frame();
    }

    const Function &fn_;
    const Companions &companions_;
    const Activity &activity_;
    Sums sums_;
    Replay replay_;
    Builder &b_;
    Values adjoints_;                    ///< by value: the local of its adjoint; for a local, its companion
    std::vector<Home> home_;             ///< by value
    std::vector<uint8_t> reached_;       ///< by value: something has been added to its adjoint on this path
    Values reached_list_;                ///< values for which `reached_` is set, in order
    Values passed_;                      ///< adjoints of the values that the next block passes; none: zero
    Value cell_loop_;                    ///< the current loop over cells
    std::map<uint64_t, uint64_t> cells_; ///< by place: the place of the cells that contain it
};

} // namespace

Function reverse(const Function &kernel, const Companions &companions, const Activity &activity, const Stacks &stacks,
                 std::vector<AdstackLoop> *kept) {
    return Reverse(kernel, companions, activity, stacks).run(kept);
}

} // namespace qd::autodiff
