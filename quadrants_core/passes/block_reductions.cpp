// Reduction in a block of threads. Applies to atomics that all threads of a range task reach together, at one address, whose old values are
// unused: what `thread_local_reductions` leaves behind the loop of a thread of a grid. The lanes of each group add up by shuffles, the first
// lanes store the sums of their groups in memory of the block, the first group adds these up, and one thread applies the result:
//
//   atomic_add p, x          ->    x += shuffle_down x, 16; .. 8; .. 4; .. 2; .. 1
//                                  if lane == 0: sums[thread / lanes] = x
//                                  block_sync
//                                  if thread < lanes:
//                                      y = lane < groups ? sums[lane] : 0;  y += shuffle_down y, 16; ..
//                                      if lane == 0: atomic_add p, y
//
// All reductions of one block of code share the barrier. A lane without a thread, at the end of a block whose size is not a multiple of
// the lanes, gives the neutral element. Threads reach an atomic together if it is outside of loops and the conditions around it follow from
// parameters. No other access to that memory may be in the task, except reductions of the same kind. Tasks that use blocks themselves stay
// as they are, because their threads past the end of the range are absent.
//
// Runs after lower_counts, whose atomics are such reductions as well.
#include "analysis/lanes.h"
#include "analysis/memory.h"
#include "analysis/uniform.h"
#include "analysis/uses.h"
#include "analysis/walk.h"
#include "passes/neutral.h"
#include "passes/passes.h"

#include "ir/builder.h"

#include <algorithm>
#include <bit>

namespace qd::passes {

using namespace ir;

namespace {

constexpr int32_t max_block = 1024;    ///< threads of a block whose size the launcher chooses
constexpr size_t most_reductions = 16; ///< that share a barrier: each needs registers and memory of the block

struct Reduction {
    Op op = Op::param;
    Value pointer, value;
    SpanId span = no_span;
};

class Blocks {
  public:
    Blocks(Function &fn, int lanes)
        : fn_(fn), memory_(fn), uniform_(analysis::uniform_values(fn)), uses_(analysis::use_counts(fn)), lanes_(lanes) {
        analysis::walk(fn, fn.body, [&](Value v) {
            if (memory_.access(v).pointer) accesses_.push_back(v);
            if (is_loop_over_range(v)) block_ = int32_t(fn.loops[fn[v].imm].block_dim);
        });
    }

    bool run(BlockId block) {
        bool changed = false;
        std::vector<Value> found;
        const std::vector<Value> list = fn_[block].insts;
        for (Value v : list) {
            if (found.size() < most_reductions && is_reduction(v)) found.push_back(v);
            if (fn_[v].op != Op::if_ || !uniform_[fn_.args(v)[0].id]) continue;
            const std::array<BlockId, 2> sides{fn_[v].blocks[0], fn_[v].blocks[1]};
            for (BlockId side : sides) changed |= run(side);
        }
        if (!found.empty()) replace(block, found);
        return changed || !found.empty();
    }

  private:
    bool is_loop_over_range(Value v) const { return fn_[v].op == Op::for_ && fn_.loops[fn_[v].imm].vectorize; }

    bool is_reduction(Value v) const {
        uint64_t bits;
        if (!is_atomic(fn_[v].op) || uses_[v.id] || !neutral(plain_op(fn_[v].op), fn_.type(v).elem, bits)) return false;
        const Value pointer = fn_.args(v)[0];
        if (fn_.type(pointer).space != Space::global || !uniform_[pointer.id]) return false;
        return std::ranges::all_of(accesses_, [&](Value other) {
            if (fn_[other].op == fn_[v].op && !uses_[other.id]) return true;
            if (is_counter(other) != is_counter(v)) return true;
            return memory_.overlap(memory_.access(other), memory_.access(v)) == analysis::Overlap::never;
        });
    }
    bool is_counter(Value access) const { return fn_[memory_.access(access).pointer].op == Op::count_slot; }

    /// Replaces the atomics by code at the position of the last one.
    void replace(BlockId block, const std::vector<Value> &atomics) {
        reductions_.clear();
        for (Value v : atomics) reductions_.push_back({fn_[v].op, fn_.args(v)[0], fn_.args(v)[1], fn_[v].span});
        std::vector<Value> &list = fn_[block].insts;
        const auto last = std::ranges::find(list, atomics.back());
        std::vector<Value> rest(last + 1, list.end());
        list.erase(last, list.end());
        std::erase_if(list, [&](Value v) { return std::ranges::find(atomics, v) != atomics.end(); });
        Builder b(fn_, block);
        emit(b);
        std::vector<Value> &whole = fn_[block].insts;
        whole.insert(whole.end(), rest.begin(), rest.end());
    }

    void emit(Builder &b) {
        b.span = reductions_[0].span;
        thread_ = b.emit(Op::thread_in_block, {});
        threads_ = b.emit(Op::block_threads, {});
        const Value zero = b.i32(0);
        for (Reduction &r : reductions_) r.value = over_lanes(b, r, lanes_ / 2);
        if (block_ && block_ <= lanes_) return apply_if(b, b.eq(thread_, zero));
        lane_ = b.emit(Op::lane, {});
        const Value first = b.eq(lane_, zero);
        store_sums(b, first);
        b.emit(Op::block_sync, {});
        const Value lanes = b.i32(lanes_);
        const Value branch = b.if_(b.lt(thread_, lanes));
        Builder group(fn_, fn_[branch].blocks[0]);
        group.span = b.span;
        for (Reduction &r : reductions_) {
            r.value = sum_of_groups(group, r, sums_[size_t(&r - reductions_.data())]);
            r.value = over_lanes(group, r, int(std::bit_ceil(uint32_t(std::min(groups(), lanes_)))) / 2);
        }
        apply_if(group, first);
        group.yield();
        Builder(fn_, fn_[branch].blocks[1]).yield();
    }

    /// The most groups that a block can have.
    int groups() const { return ((block_ ? block_ : max_block) + lanes_ - 1) / lanes_; }

    Value neutral_of(Builder &b, const Reduction &r) const {
        uint64_t bits = 0;
        neutral(plain_op(r.op), fn_.type(r.pointer).elem, bits);
        return b.constant(fn_.type(r.pointer).elem, bits);
    }

    /// The sum over the first 2 * `apart` lanes of the group, on its first lane.
    Value over_lanes(Builder &b, const Reduction &r, int apart) const {
        Value sum = r.value;
        for (; apart > 0; apart /= 2) {
            const Value step = b.i32(apart);
            Value other = b.emit(Op::shuffle_down, {sum, step});
            if (!block_ || block_ % lanes_) {
                const Value from = b.add(thread_, step);
                const Value exists = b.lt(from, threads_);
                const Value none = neutral_of(b, r);
                other = b.select(exists, other, none);
            }
            sum = b.emit(plain_op(r.op), {sum, other});
        }
        return sum;
    }

    Value entry(Builder &b, Value memory, Value index) const {
        const Scalar type = fn_.type(memory).elem;
        const Value wide = b.cast(index, Scalar::i64);
        const Value size = b.i64(size_of(type));
        const Value bytes = b.mul(wide, size);
        return b.offset(memory, bytes, type);
    }

    void store_sums(Builder &b, Value first) {
        sums_.clear();
        for (const Reduction &r : reductions_)
            sums_.push_back(b.emit(Op::shared, {}, Type::pointer(fn_.type(r.pointer).elem), uint64_t(groups())));
        const Value branch = b.if_(first);
        Builder store(fn_, fn_[branch].blocks[0]);
        store.span = b.span;
        const Value lanes = store.i32(lanes_);
        const Value group = store.div(thread_, lanes);
        for (size_t i = 0; i < reductions_.size(); ++i) {
            const Value at = entry(store, sums_[i], group);
            store.store(at, reductions_[i].value);
        }
        store.yield();
        Builder(fn_, fn_[branch].blocks[1]).yield();
    }

    /// The sum of every `lanes`th stored one, from that of the lane's number on.
    Value sum_of_groups(Builder &b, const Reduction &r, Value sums) const {
        const Value lanes = b.i32(lanes_);
        const Value above = b.i32(lanes_ - 1);
        const Value up = b.add(threads_, above);
        const Value count = b.div(up, lanes);
        Value sum = neutral_of(b, r);
        for (int first = 0; first < groups(); first += lanes_) {
            const Value start = b.i32(first);
            const Value group = b.add(lane_, start);
            const Value branch = b.if_(b.lt(group, count));
            Builder some(fn_, fn_[branch].blocks[0]);
            some.span = b.span;
            const Value at = entry(some, sums, group);
            const Value stored = some.load(at);
            const Value more = some.emit(plain_op(r.op), {sum, stored});
            some.yield(std::array{more});
            Builder(fn_, fn_[branch].blocks[1]).yield(std::array{sum});
            sum = fn_.add_result(branch, fn_.type(sum));
        }
        return sum;
    }

    void apply_if(Builder &b, Value condition) {
        const Value branch = b.if_(condition);
        Builder one(fn_, fn_[branch].blocks[0]);
        for (const Reduction &r : reductions_) {
            one.span = r.span;
            one.emit(r.op, {r.pointer, r.value});
        }
        one.yield();
        Builder(fn_, fn_[branch].blocks[1]).yield();
    }

    Function &fn_;
    const analysis::Memory memory_;
    const std::vector<bool> uniform_;
    const std::vector<uint32_t> uses_;
    const int32_t lanes_;
    int32_t block_ = 0; ///< threads of a block; 0: the launcher chooses
    std::vector<Value> accesses_;
    std::vector<Reduction> reductions_; ///< the ones being replaced
    std::vector<Value> sums_;           ///< their memory
    Value thread_, threads_, lane_;
};

} // namespace

bool block_reductions(Function &fn, const Config &config) {
    const bool has_groups = config.lanes > 1 && std::has_single_bit(uint32_t(config.lanes));
    if (!config.grid || !has_groups || fn.role != Role::range_task || analysis::uses_blocks(fn, fn.body)) return false;
    return Blocks(fn, config.lanes).run(fn.body);
}

} // namespace qd::passes
