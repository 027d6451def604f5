// Reduction into privatised copies. Applies to a loop over an array, inside the chunk loop, that adds to each element atomically
// (`x[j] += ...` for each pair i, j): the reductions go to a copy on the thread's heap, which no other thread sees, so the inner loop
// can become SIMD. After the chunk loop the copy is added to the array, with one atomic per element.
//
//   for i                                     if n <= most & many i:
//       for j in lo..hi             ->            copy = reserve hi - lo; all 0
//           atomic_add x[j], v                    for i: for j in lo..hi: copy[j - lo] += v
//                                                 for j in lo..hi: if copy[j - lo] != 0: atomic_add x[j], copy[j - lo]
//                                             else: as before
//
// Within the chunk loop the array must only be accessed by additions whose old values are unused, and there must be no barrier or
// convergent op. An element that nothing was added to is not accessed: it may not exist. Stop and failed assertions leave only the
// chunk loop: the additions so far are written to the array. Runs after thread_local_reductions, which handles invariant addresses, and
// licm, so that bounds are computed outside; before lower_access, while addresses have indices.
#include "analysis/memory.h"
#include "analysis/structure.h"
#include "analysis/uses.h"
#include "analysis/walk.h"
#include "passes/clone.h"
#include "passes/safepoints.h"
#include "passes/passes.h"

#include "ir/builder.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace qd::passes {

using namespace ir;

namespace {

constexpr int64_t max_elements = 1 << 16; ///< of a copy: larger ones would not fit the caches
constexpr int64_t least_iterations = 8;   ///< iterations of the chunk loop for which a copy pays off
constexpr size_t max_copies = 16;

/// Atomics on one address, compared syntactically.
struct Copy {
    Value pointer;
    std::vector<Value> atomics;
    uint32_t number = 0;
    Value begin; ///< begin of the copy
};

struct Inner {
    Value loop;
    std::vector<Copy> copies;
};

class Chunk {
  public:
    Chunk(Function &fn, Value loop)
        : fn_(fn), loop_(loop), memory_(fn), structure_(fn), uses_(analysis::use_counts(fn)) {}

    bool run() {
        find_added();
        if (converges_) return false;
        find_inner(fn_[loop_].blocks[0]);
        if (inner_.empty()) return false;
        rewrite();
        return true;
    }

  private:
    bool stands_outside(Value v) const {
        if (fn_[v].op == Op::param || fn_[v].op == Op::result) return !in_loop_.empty() && !in_loop_[v.id];
        return !structure_.inside(fn_, v, loop_);
    }

    void find_inner(BlockId b) {
        for (Value v : fn_[b].insts) {
            if (fn_[v].op == Op::for_ && stands_outside(fn_.args(v)[0]) && stands_outside(fn_.args(v)[1])) inspect(v);
            if (fn_[v].op != Op::if_) continue;
            for (BlockId side : fn_[v].blocks) find_inner(side);
        }
    }

    /// Finds the objects that the loop only adds to.
    void find_added() {
        in_loop_.assign(fn_.insts.size(), 0);
        added_.assign(memory_.objects() + 1, 1);
        const auto mark = [&](BlockId b) {
            for (Value p : fn_[b].params) in_loop_[p.id] = 1;
        };
        mark(fn_[loop_].blocks[0]);
        analysis::walk(fn_, fn_[loop_].blocks[0], [&](Value v) {
            for (Value r : fn_.results(v)) in_loop_[r.id] = 1;
            for (BlockId b : fn_[v].blocks)
                if (b) mark(b);
            converges_ |= (info(fn_[v].op).traits & (convergent | fences)) != 0;
            const Value pointer = memory_.access(v).pointer;
            if (!pointer || (fn_[v].op == Op::atomic_add && !uses_[v.id])) return;
            for (uint32_t o = 1; o < added_.size(); ++o)
                if (memory_.objects_overlap(o, memory_.object(pointer))) added_[o] = 0;
        });
    }

    void inspect(Value inner) {
        const Value index = fn_[fn_[inner].blocks[0]].params[0];
        std::vector<Copy> copies;
        analysis::walk(fn_, fn_[inner].blocks[0], [&](Value v) {
            if (fn_[v].op != Op::atomic_add || uses_[v.id]) return;
            const Value pointer = fn_.args(v)[0];
            if (!added_[memory_.object(pointer)] || !is_indexed_by(pointer, index)) return;
            const auto same =
                std::ranges::find_if(copies, [&](const Copy &c) { return same_address(c.pointer, pointer); });
            if (same != copies.end())
                same->atomics.push_back(v);
            else
                copies.push_back({pointer, {v}, 0, {}});
        });
        if (!copies.empty() && (count_ += copies.size()) <= max_copies) inner_.push_back({inner, std::move(copies)});
    }

    /// True if exactly one index is that of the loop and the others are invariant.
    bool is_indexed_by(Value pointer, Value index) const {
        const Op op = fn_[pointer].op;
        if ((op != Op::element && op != Op::place) || !fn_.type(pointer).is_pointer()) return false;
        if (op == Op::place && is_sparse(fn_.places[fn_[pointer].imm])) return false;
        int found = 0;
        for (Value a : fn_.args(pointer)) {
            found += a == index;
            if (a != index && !fn_.type(a).is_array() && fn_[a].op != Op::constant && !stands_outside(a)) return false;
        }
        return found == 1;
    }
    bool same_address(Value a, Value b) const {
        if (fn_[a].op != fn_[b].op || fn_[a].imm != fn_[b].imm) return false;
        return std::ranges::equal(fn_.args(a), fn_.args(b), [&](Value x, Value y) {
            return x == y || (fn_[x].op == Op::constant && fn_[y].op == Op::constant && fn_[x].imm == fn_[y].imm &&
                              fn_.type(x) == fn_.type(y));
        });
    }

    /// The chunk loop becomes an if with two copies of it; its results become those of the if.
    void rewrite() {
        const BlockId around = structure_.block[loop_.id];
        std::vector<Value> &list = fn_[around].insts;
        const size_t at = size_t(std::ranges::find(list, loop_) - list.begin());
        const std::vector<Value> behind(list.begin() + ptrdiff_t(at), list.end());
        list.resize(at);
        Builder b(fn_, around);
        b.span = fn_[loop_].span;
        Value good;
        const auto also = [&](Value condition) { good = good ? b.band(good, condition) : condition; };
        const Value iterations = b.trips(fn_.args(loop_)[0], fn_.args(loop_)[1]);
        const Value few = b.i64(least_iterations);
        also(b.ge(iterations, few));
        for (const Inner &inner : inner_) {
            const Value n = b.trips(fn_.args(inner.loop)[0], fn_.args(inner.loop)[1]);
            const Value most = b.i64(max_elements);
            also(b.le(n, most));
        }
        fn_[around].insts.insert(fn_[around].insts.end(), behind.begin(), behind.end());

        const BlockId apart = fn_.make_block(), shared = fn_.make_block();
        copy_chunk_loop(shared, {});
        Builder in(fn_, apart);
        in.span = b.span;
        uint32_t number = 0;
        for (const Inst &inst : fn_.insts)
            if (inst.op == Op::reserve || inst.op == Op::stack) number = std::max(number, stack_of(inst) + 1);
        for (Inner &inner : inner_)
            for (Copy &copy : inner.copies) {
                copy.number = number++;
                make_copy(in, inner, copy);
            }
        copy_chunk_loop(apart, inner_);

        fn_[loop_].op = Op::if_;
        fn_[loop_].imm = 0;
        fn_.set_args(loop_, std::array{good});
        fn_[loop_].blocks[0] = apart;
        fn_[loop_].blocks[1] = shared;
    }

    Value entry(Builder &b, const Inner &inner, const Copy &copy, Value index) {
        const Scalar elem = fn_.type(copy.pointer).elem;
        const Value wide = b.cast(index, Scalar::i64);
        const Value lower = b.cast(fn_.args(inner.loop)[0], Scalar::i64);
        const Value place = b.sub(wide, lower);
        const Value size = b.i64(size_of(elem));
        const Value bytes = b.mul(place, size);
        return b.offset(copy.begin, bytes, elem);
    }

    /// Emits a loop over the indices of the inner one.
    template <class Body> void each_index(Builder &b, const Inner &inner, Body &&body) {
        const Value made = b.for_(fn_.args(inner.loop)[0], fn_.args(inner.loop)[1], {}, {});
        Builder in(fn_, fn_[made].blocks[0]);
        in.span = b.span;
        body(in, fn_[in.block].params[0]);
        in.yield();
    }

    void make_copy(Builder &b, const Inner &inner, Copy &copy) {
        const Scalar elem = fn_.type(copy.pointer).elem;
        const Value entries = b.trips(fn_.args(inner.loop)[0], fn_.args(inner.loop)[1]);
        const Value room = b.emit(Op::reserve, {entries}, {}, reserve_imm(copy.number, uint64_t(size_of(elem))));
        copy.begin = b.emit(Op::stack, {room}, Type::pointer(elem), copy.number);
        each_index(b, inner, [&](Builder &in, Value index) {
            const Value at = entry(in, inner, copy, index);
            const Value zero = in.number(elem, 0);
            in.store(at, zero);
        });
    }

    /// Copies the chunk loop to the end of a block, with the reductions of `inner` in privatised copies, which are then added to the
    /// arrays.
    void copy_chunk_loop(BlockId block, std::span<const Inner> inner) {
        Cloner cloner(fn_, fn_);
        const Value made = cloner.copy(loop_, block);
        std::map<Value, std::vector<Value>> instead; ///< by atomic of the copied loop: its replacement
        for (const Inner &one : inner)
            for (const Copy &copy : one.copies)
                for (Value atomic : copy.atomics)
                    instead[cloner.lookup(atomic)] = add(one, copy, cloner, cloner.lookup(atomic));
        if (!instead.empty()) {
            replace(fn_[made].blocks[0], instead);
            flush_after(fn_, made);
        }
        Builder b(fn_, block);
        b.span = fn_[loop_].span;
        for (const Inner &one : inner)
            for (const Copy &copy : one.copies)
                each_index(b, one, [&](Builder &in, Value index) { flush(in, one, copy, index); });
        const std::vector<Value> results(fn_.results(made).begin(), fn_.results(made).end());
        Builder(fn_, block).yield(results);
    }

    /// The instructions that replace an atomic of the copied loop.
    std::vector<Value> add(const Inner &inner, const Copy &copy, Cloner &cloner, Value atomic) {
        const Value index = cloner.lookup(fn_[fn_[inner.loop].blocks[0]].params[0]);
        const Value amount = fn_.args(atomic)[1];
        const BlockId scratch = fn_.make_block();
        Builder b(fn_, scratch);
        b.span = fn_[atomic].span;
        const Value at = entry(b, inner, copy, index);
        const Value before = b.load(at);
        const Value after = b.add(before, amount);
        b.store(at, after);
        return std::exchange(fn_[scratch].insts, {});
    }

    void replace(BlockId block, const std::map<Value, std::vector<Value>> &instead) {
        std::vector<Value> list;
        for (Value v : fn_[block].insts) {
            for (BlockId inner : fn_[v].blocks)
                if (inner) replace(inner, instead);
            const auto found = instead.find(v);
            if (found == instead.end())
                list.push_back(v);
            else
                list.insert(list.end(), found->second.begin(), found->second.end());
        }
        fn_[block].insts = std::move(list);
    }

    void flush(Builder &b, const Inner &inner, const Copy &copy, Value index) {
        const Value sum = b.load(entry(b, inner, copy, index));
        const Value zero = b.number(fn_.type(sum), 0);
        const Value some = b.ne(sum, zero);
        const Value made = b.if_(some);
        Builder then(fn_, fn_[made].blocks[0]);
        then.span = b.span;
        const Value own = fn_[fn_[inner.loop].blocks[0]].params[0];
        std::vector<Value> args(fn_.args(copy.pointer).begin(), fn_.args(copy.pointer).end());
        for (Value &a : args) {
            if (a == own)
                a = index;
            else if (fn_[a].op == Op::constant)
                a = then.constant(fn_.type(a), fn_[a].imm);
        }
        const Value pointer = then.emit(fn_[copy.pointer].op, args, fn_.type(copy.pointer), fn_[copy.pointer].imm);
        then.atomic_add(pointer, sum);
        then.yield();
        Builder(fn_, fn_[made].blocks[1]).yield();
    }

    Function &fn_;
    Value loop_;
    const analysis::Memory memory_;
    const analysis::Structure structure_;
    const std::vector<uint32_t> uses_;
    std::vector<uint8_t> in_loop_; ///< by value: parameter or result of an instruction in the loop
    std::vector<uint8_t> added_;   ///< by object: the loop only adds to it
    bool converges_ = false;       ///< the loop contains a convergent op or a fence
    std::vector<Inner> inner_;
    size_t count_ = 0; ///< number of copies
};

/// Finds the outermost loops.
void find_chunks(const Function &fn, BlockId b, std::vector<Value> &out) {
    for (Value v : fn[b].insts) {
        if (fn[v].op == Op::for_) out.push_back(v);
        if (fn[v].op != Op::if_) continue;
        for (BlockId side : fn[v].blocks) find_chunks(fn, side, out);
    }
}

} // namespace

bool private_reductions(Function &fn, const Config &) {
    if (fn.role != Role::range_task) return false;
    bool any = false;
    analysis::walk(fn, [&](Value v) { any |= fn[v].op == Op::atomic_add; });
    if (!any) return false;
    std::vector<Value> loops;
    find_chunks(fn, fn.body, loops);
    bool changed = false;
    for (Value v : loops) changed |= Chunk(fn, v).run();
    return changed;
}

} // namespace qd::passes
