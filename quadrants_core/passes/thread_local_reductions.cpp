// Reduction in registers. An atomic in the chunk loop whose address is invariant and whose old value is unused accumulates in a
// register; one atomic after the loop adds the total to memory. Any other access in the loop to that address must be an addition of
// the same kind, and the loop must not synchronise with other threads. Then the same is done for the innermost loops inside.
//
// The flush executes even if no iteration reached the atomic. Adding the neutral element changes nothing, but the address must exist:
// where the atomic is conditional, the flush first compares the indices with the extents. Must run after chunk_ranges (which creates
// the loop) and before lower_access (while addresses have indices).
//
// No contribution of an iteration is lost if the loop is left early: Stop and failed assertions leave the chunk loop, not the task
// (Loop::flushes). Stop leaves it with the contributions of the completed iterations. A failed assertion stores the totals to flush
// in locals, so that they include contributions before the assertion in its iteration:
//
//   total = local                              total, failed, last = local
//   for i in chunk                             for i in chunk
//       total += x[i]                              total += x[i]
//       assert x[i] > 0                ->          if x[i] > 0 {} else { last = total; failed = 1; assert x[i] > 0 }
//   flush total                                flush failed ? last : total
//
// An inner loop with assertions has no reductions of its own.
//
// Reductions of floats are reassociated, with and without fast_math: the atomics of several threads have no order either. Where only
// one iteration accesses an element, as demote_atomics finds, they are plain operations by now and keep their exact result.
#include "analysis/memory.h"
#include "analysis/structure.h"
#include "analysis/uses.h"
#include "analysis/walk.h"
#include "passes/clone.h"
#include "passes/safepoints.h"
#include "passes/neutral.h"
#include "passes/passes.h"
#include "passes/slots.h"

#include "ir/builder.h"

namespace qd::passes {

using namespace ir;

namespace {

using analysis::Access;
using analysis::Memory;
using analysis::Overlap;
using analysis::Structure;

/// A reduction: atomics of one kind on one address.
struct Sum {
    Op op = Op::param;
    Access access;
    std::vector<Value> atomics;
    bool always = false; ///< runs in every iteration
    bool good = true;
};

/// A reduction that is kept in a register.
struct InRegister {
    Value local;
    Value last; ///< a local for its total at a failed assertion
};

class ChunkLoop {
  public:
    ChunkLoop(Function &fn, Value loop, const Memory &memory, const Structure &structure,
              const std::vector<uint32_t> &uses, bool runs)
        : fn_(fn), loop_(loop), memory_(memory), structure_(structure), uses_(uses), runs_(runs),
          invariant_(fn.insts.size()), local_of_(fn.insts.size()) {}

    bool run() {
        bool synchronises = false;
        analysis::walk(fn_, fn_[loop_].blocks[0], [&](Value v) {
            if (memory_.access(v).pointer) accesses_.push_back(v);
            synchronises |= (info(fn_[v].op).traits & fences) != 0;
            asserts_ |= fn_[v].op == Op::assert_;
        });
        if (synchronises || (asserts_ && !runs_)) return false;
        for (Value v : accesses_) propose(v);
        bool changed = false;
        for (Sum &sum : sums_) {
            check(sum);
            if (!sum.good) continue;
            rewrite(sum);
            changed = true;
        }
        if (!changed) return false;
        accumulate(fn_[loop_].blocks[0]);
        if (runs_) flush_after(fn_, loop_);
        return changed;
    }

  private:
    bool inside(Value v) const { return structure_.inside(fn_, v, loop_); }

    bool invariant(Value v) {
        uint8_t &state = invariant_[v.id];
        if (state) return state == 1;
        bool result = true;
        if (fn_[v].op == Op::param || fn_[v].op == Op::result) {
            result = !in_loop_meta(v);
        } else if (inside(v)) {
            result = is_movable(fn_[v].op);
            for (Value a : fn_.args(v)) result = result && invariant(a);
        }
        invariant_[v.id] = result ? 1 : 2;
        return result;
    }

    /// Parameters and results are in no block list: collected once.
    bool in_loop_meta(Value v) {
        if (meta_.empty()) {
            meta_.assign(fn_.insts.size(), false);
            for (Value p : fn_[fn_[loop_].blocks[0]].params) meta_[p.id] = true;
            analysis::walk(fn_, fn_[loop_].blocks[0], [&](Value inner) {
                for (Value r : fn_.results(inner)) meta_[r.id] = true;
                for (BlockId b : fn_[inner].blocks)
                    if (b)
                        for (Value p : fn_[b].params) meta_[p.id] = true;
            });
        }
        return meta_[v.id];
    }

    void propose(Value v) {
        Op op = fn_[v].op;
        uint64_t bits;
        Access access = memory_.access(v);
        if (!is_atomic(op) || uses_[v.id] || !neutral(plain_op(op), access.type.elem, bits)) return;
        if (memory_.root(access.pointer) == analysis::Root::local || !invariant(access.pointer)) return;
        for (Sum &sum : sums_)
            if (sum.op == op && memory_.overlap(sum.access, access) == Overlap::exact) {
                sum.atomics.push_back(v);
                sum.always |= runs_always(v);
                return;
            }
        constexpr size_t most = 64; // limits the number of pairs compared, and of registers
        if (sums_.size() < most) sums_.push_back({op, access, {v}, runs_always(v), true});
    }

    /// True if it is in the chunk loop itself, or in the loop over the last axis of a range with several axes.
    bool runs_always(Value v) const {
        if (!runs_) return false;
        BlockId block = structure_.block[v.id];
        Value owner = structure_.owner[block.id];
        if (owner == loop_) return true;
        return fn_[owner].op == Op::for_ && fn_.loops[fn_[owner].imm].vectorize &&
               structure_.owner[structure_.block[owner.id].id] == loop_ && !fn_.loops[fn_[loop_].imm].vectorize;
    }

    void check(Sum &sum) {
        size_t own = 0;
        for (Value v : accesses_) {
            if (own < sum.atomics.size() && sum.atomics[own] == v) {
                ++own;
                continue;
            }
            if (fn_[v].op == sum.op && !uses_[v.id]) continue; // commutes with the reduction
            if (memory_.overlap(memory_.access(v), sum.access) != Overlap::never) sum.good = false;
        }
        Op address = fn_[sum.access.pointer].op;
        // The flush must not create a cell that no iteration asked for.
        if (!sum.always && address == Op::place && is_sparse(fn_.places[fn_[sum.access.pointer].imm])) sum.good = false;
        if (!sum.always && address != Op::element && address != Op::place && address != Op::tmp) sum.good = false;
    }

    void rewrite(const Sum &sum) {
        BlockId around = structure_.block[loop_.id];
        BlockId before = fn_.make_block();
        Cloner cloner(fn_, fn_);
        Value pointer = hoist(sum.access.pointer, before, cloner);
        Builder b(fn_, before);
        b.span = fn_[sum.atomics[0]].span;
        uint64_t bits = 0;
        neutral(plain_op(sum.op), sum.access.type.elem, bits);
        Value local = b.local(sum.access.type.elem, 1);
        Value start = b.constant(sum.access.type, bits);
        b.store(local, start);
        in_register_.push_back({local, {}});
        if (asserts_) in_register_.back().last = b.local(sum.access.type.elem, 1);
        if (asserts_ && !failed_) {
            failed_ = b.local(Scalar::i32, 1);
            const Value no = b.i32(0);
            b.store(failed_, no);
        }

        BlockId after = fn_.make_block();
        b.block = after;
        flush(b, sum, pointer);
        for (Value v : sum.atomics) local_of_[v.id] = local;

        std::vector<Value> &list = fn_[around].insts;
        size_t at = 0;
        while (list[at] != loop_) ++at;
        list.insert(list.begin() + ptrdiff_t(at) + 1, fn_[after].insts.begin(), fn_[after].insts.end());
        list.insert(list.begin() + ptrdiff_t(at), fn_[before].insts.begin(), fn_[before].insts.end());
    }

    /// Applies the total of the newest reduction to memory. The totals at a failed assertion are loaded as volatile, so that the loop does
    /// not carry them.
    void flush(Builder &b, const Sum &sum, Value pointer) {
        Value total = b.load(in_register_.back().local);
        if (failed_) {
            const Value last = b.volatile_load(in_register_.back().last);
            const Value failed = b.volatile_load(failed_);
            const Value no = b.i32(0);
            total = b.select(b.ne(failed, no), last, total);
        }
        const Value valid = sum.always ? Value{} : in_range(b, pointer);
        if (!valid) {
            b.emit(sum.op, {pointer, total});
            return;
        }
        const Value guard = b.if_(valid);
        Builder then(fn_, fn_[guard].blocks[0]);
        then.span = b.span;
        then.emit(sum.op, {pointer, total});
        then.yield();
        Builder(fn_, fn_[guard].blocks[1]).yield();
    }

    /// if condition {} else { store the totals so far; assert }
    Value save_totals(Value assertion) {
        const BlockId shell = fn_.make_block();
        Builder b(fn_, shell);
        b.span = fn_[assertion].span;
        const Value branch = b.if_(fn_.args(assertion)[0]);
        Builder(fn_, fn_[branch].blocks[0]).yield();
        Builder fails(fn_, fn_[branch].blocks[1]);
        fails.span = b.span;
        for (const InRegister &sum : in_register_) {
            const Value total = fails.load(sum.local);
            fails.store(sum.last, total);
        }
        const Value yes = fails.i32(1);
        fails.store(failed_, yes);
        fn_[fails.block].insts.push_back(assertion);
        fails.yield();
        return branch;
    }

    /// Copies an invariant value, with everything it is computed from, to the block before the loop.
    Value hoist(Value v, BlockId before, Cloner &cloner) {
        if (!inside(v)) return v;
        if (Value copy = cloner.lookup(v); copy != v) return copy;
        std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
        for (Value a : args) hoist(a, before, cloner);
        return cloner.copy(v, before);
    }

    /// A u1: true if all indices of an address are within the extents; no value if that is certain.
    Value in_range(Builder &b, Value pointer) {
        Op op = fn_[pointer].op;
        std::vector<Value> indices(fn_.args(pointer).begin(), fn_.args(pointer).end());
        Value array = op == Op::element ? indices[0] : Value{};
        uint64_t place = fn_[pointer].imm;
        if (op == Op::element) indices = {indices.begin() + 1, indices.end() - 1};
        if (op == Op::tmp) indices.clear();
        Value valid;
        for (size_t a = 0; a < indices.size(); ++a) {
            int32_t low = op == Op::place ? fn_.places[place].index_offset[a] : 0;
            Value lo = b.i32(low);
            Value hi = array ? b.dim(array, int(a)) : b.i32(low + fn_.places[place].shape[a]);
            Value above = b.le(lo, indices[a]);
            Value below = b.lt(indices[a], hi);
            Value both = b.band(above, below);
            valid = valid ? b.band(valid, both) : both;
        }
        return valid;
    }

    /// Replaces the atomics by operations on their register.
    void accumulate(BlockId block) {
        std::vector<Value> old = std::move(fn_[block].insts);
        fn_[block].insts.clear();
        fn_[block].insts.reserve(old.size());
        for (Value v : old) {
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn_[v].blocks[k]) accumulate(inner);
            if (fn_[v].op == Op::assert_) v = save_totals(v);
            Value local = v.id < local_of_.size() ? local_of_[v.id] : Value{};
            if (!local) {
                fn_[block].insts.push_back(v);
                continue;
            }
            Builder b(fn_, block);
            b.span = fn_[v].span;
            Value sum = b.load(local);
            sum = b.emit(plain_op(fn_[v].op), {sum, fn_.args(v)[1]});
            b.store(local, sum);
        }
    }

    Function &fn_;
    Value loop_;
    const Memory &memory_;
    const Structure &structure_;
    const std::vector<uint32_t> &uses_;
    const bool runs_;      ///< at least one iteration: it is the loop over the chunk
    bool asserts_ = false; ///< contains assertions
    std::vector<Value> accesses_;
    std::vector<Sum> sums_;
    std::vector<InRegister> in_register_;
    Value failed_;                   ///< a local: nonzero if an assertion has failed
    std::vector<uint8_t> invariant_; ///< by value: 0 unknown, 1 yes, 2 no
    std::vector<Value> local_of_;    ///< by atomic that is kept in a register: its local
    std::vector<bool> meta_;         ///< by value: parameter or result of an instruction in the loop
};

/// Finds loops that contain no other loop, but are inside one. Returns true if the block contains a loop.
bool find_innermost(const Function &fn, BlockId b, int depth, std::vector<Value> &out) {
    bool any = false;
    for (Value v : fn[b].insts) {
        const bool loops = is_loop(fn[v].op);
        bool inside = false;
        for (BlockId inner : fn[v].blocks)
            if (inner) inside |= find_innermost(fn, inner, depth + loops, out);
        if (fn[v].op == Op::for_ && depth > 0 && !inside) out.push_back(v);
        any |= loops || inside;
    }
    return any;
}

bool reduce(Function &fn, std::span<const Value> loops, bool runs, const Config &config) {
    Memory memory(fn);
    Structure structure(fn);
    std::vector<uint32_t> uses = analysis::use_counts(fn);
    bool changed = false;
    for (Value v : loops) changed |= ChunkLoop(fn, v, memory, structure, uses, runs).run();
    if (changed) promote(fn, config);
    return changed;
}

} // namespace

bool thread_local_reductions(Function &fn, const Config &config) {
    if (fn.role != Role::range_task) return false;
    bool any = false;
    analysis::walk(fn, fn.body, [&](Value v) { any |= is_atomic(fn[v].op); });
    if (!any) return false;
    std::vector<Value> chunks, innermost;
    for (Value v : fn[fn.body].insts)
        if (fn[v].op == Op::for_) chunks.push_back(v);
    bool changed = reduce(fn, chunks, true, config);
    find_innermost(fn, fn.body, 0, innermost);
    if (!innermost.empty()) changed |= reduce(fn, innermost, false, config);
    return changed;
}

} // namespace qd::passes
