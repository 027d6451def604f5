// Adstacks of serial loops: the code that fills them and the code that reads them.
#include "analysis/walk.h"
#include "autodiff/replay.h"

#include <algorithm>
#include <utility>

namespace qd::autodiff {

using namespace ir;

namespace {

/// The number of the current iteration, emitted in the body of a loop.
Value number_of(Builder &b, Value loop) {
    const Value index = b.cast(b.fn[b.fn[loop].blocks[0]].params[0], Scalar::i64);
    const Value lower = b.cast(b.fn.args(loop)[0], Scalar::i64);
    return b.sub(index, lower);
}

} // namespace

/// Emits to a list instead of a block.
template <class F> void Replay::emit_to(Values &list, F &&emit) {
    const BlockId outer = b_.block, scratch = out_.make_block();
    b_.block = scratch;
    emit();
    b_.block = outer;
    list.insert(list.end(), out_[scratch].insts.begin(), out_[scratch].insts.end());
    out_[scratch].insts.clear();
}
template <class F> void Replay::emit_in_front(BlockId block, F &&emit) {
    Values list;
    emit_to(list, emit);
    inserted_first_.resize(out_.blocks.size());
    inserted_first_[block.id].insert(inserted_first_[block.id].end(), list.begin(), list.end());
}

/// Called in the enclosing frame. The room on the heap is released with an iteration of that one; tasks do not share it.
Replay::LoopAdstacks Replay::adstacks_of(Value loop, Value made) {
    LoopAdstacks adstacks;
    if (!stacks_.enabled || (frames_.size() == 1 && has_parallel_)) return adstacks;
    adstacks.copy = copies_[loop.id].value;
    b_.span = fn_[loop].span;
    emit_to(inserted_before_[adstacks.copy.id],
            [&] { adstacks.entries = b_.trips(out_.args(adstacks.copy)[0], out_.args(adstacks.copy)[1]); });
    emit_in_front(out_[adstacks.copy].blocks[0], [&] { adstacks.there = number_of(b_, adstacks.copy); });
    emit_in_front(out_[made].blocks[0], [&] { adstacks.here = number_of(b_, made); });
    return adstacks;
}

/// Called in the frame that reads it. The room is reserved before `before`, an instruction of the result. If that is the copy of the
/// frame's loop, the frame finds the room in a local.
Replay::Stack Replay::make_stack(Value variable, Scalar elem, uint64_t size, Value before, Value entries) {
    Stack stack{uint32_t(made_.size()), elem, size, {}, {}, variable};
    made_.push_back({frames_.back().loop, variable, size * uint64_t(size_of(elem))});
    b_.span = fn_[frames_.back().loop].span;
    emit_to(inserted_before_[before.id], [&] {
        if (!entries) entries = b_.trips(out_.args(before)[0], out_.args(before)[1]);
        stack.room =
            b_.emit(Op::reserve, {entries}, {}, reserve_imm(stack.number, made_.back().bytes, stacks_.budget != 0));
    });
    if (before != frames_.back().adstacks.copy) return stack;
    stack.stored_in = local(Scalar::i64, 1, frames_[frames_.size() - 2].block);
    emit_to(inserted_before_[before.id], [&] { b_.store(stack.stored_in, stack.room); });
    return stack;
}

/// The address of an entry.
Value Replay::entry(const Stack &stack, Value room, Value number) {
    b_.span = fn_[stack.variable].span;
    const Value begin = b_.emit(Op::stack, {room}, Type::pointer(stack.elem), stack.number);
    const Value size = b_.i64(int64_t(stack.size) * size_of(stack.elem));
    const Value bytes = b_.mul(number, size);
    return b_.offset(begin, bytes, stack.elem);
}

/// Puts a value of the loop's body on an adstack; false if that is impossible. `there`: its counterpart in the copy that fills the adstack.
/// For a value in nested loops, each of these reserves an adstack of its own when it is reached, and an entry of the enclosing loop's
/// adstack holds its address.
bool Replay::save(Value v, const Copy &there) {
    const LoopAdstacks &adstacks = frames_.back().adstacks;
    if (!adstacks.copy || !fn_.type(v).is_scalar() || !there.value) return false;
    for (const Inner &inner : inner_)
        if (!inner.there) return false;
    const Value copy = there.value;
    const size_t depth = inner_.size();
    const Scalar elem = fn_.type(v).elem;
    std::vector<Stack> stacks = {make_stack(v, depth ? Scalar::i64 : elem, 1, adstacks.copy, adstacks.entries)};
    std::vector<Value> numbers = {adstacks.there};
    Value around = adstacks.copy;
    for (const Inner &inner : inner_) {
        out_.loops[out_[around].imm].heap_persists = true;
        stacks.push_back(make_stack(v, stacks.size() < depth ? Scalar::i64 : elem, 1, inner.there, {}));
        emit_to(inserted_before_[inner.there.id], [&] {
            const Value at = entry(stacks[stacks.size() - 2], stacks[stacks.size() - 2].room, numbers.back());
            b_.store(at, stacks.back().room);
        });
        emit_in_front(out_[inner.there].blocks[0], [&] { numbers.push_back(number_of(b_, inner.there)); });
        around = inner.there;
    }
    Values store;
    emit_to(store, [&] {
        const Value at = entry(stacks.back(), stacks.back().room, numbers.back());
        b_.store(at, copy);
    });
    for (Value each : store) inserted_after_.emplace_back(copy, each);
    const BlockId block = frames_.back().block;
    Value found;
    emit_in_front(block, [&] {
        const Value room = b_.load(stacks[0].stored_in);
        const Value at = entry(stacks[0], room, adstacks.here);
        found = b_.load(at);
    });
    for (size_t k = 0; k < depth; ++k) {
        const Value number = number_of(b_, inner_[k].here);
        const Value at = entry(stacks[k + 1], found, number);
        found = b_.load(at);
    }
    set(v, found, depth ? b_.block : block);
    return true;
}

void Replay::copy_elements(Value from, Value to, uint64_t count) {
    constexpr uint64_t in_line = 8;
    const Scalar elem = out_.type(from).elem;
    const auto move = [&](Value bytes) {
        const Value source = b_.offset(from, bytes, elem);
        const Value target = b_.offset(to, bytes, elem);
        const Value moved = b_.load(source);
        b_.store(target, moved);
    };
    if (count <= in_line) {
        for (uint64_t i = 0; i < count; ++i) move(b_.i64(int64_t(i) * size_of(elem)));
        return;
    }
    const Value zero = b_.i64(0);
    const Value end = b_.i64(int64_t(count));
    const Value made = b_.for_(zero, end, {}, {});
    const BlockId outer = b_.block;
    b_.block = out_[made].blocks[0];
    const Value size = b_.i64(size_of(elem));
    move(b_.mul(out_[b_.block].params[0], size));
    b_.yield();
    b_.block = outer;
}

/// Gives the frame a local of its own with the contents of the outer one at the start of the iteration, or, if only code after the loop
/// changes that, at the start of the loop.
void Replay::save_local(Value local, bool changes) {
    const LoopAdstacks &adstacks = frames_.back().adstacks;
    const BlockId block = frames_.back().block;
    const Value outside = copies_[local.id].value;
    const uint64_t size = fn_[local].imm;
    b_.span = fn_[local].span;
    Value one, first;
    if (!changes)
        emit_to(inserted_before_[adstacks.copy.id], [&] {
            one = b_.i64(1);
            first = b_.i64(0);
        });
    const Stack stack = make_stack(local, fn_.type(local).elem, size, adstacks.copy, changes ? adstacks.entries : one);
    const auto store = [&] {
        const Value at = entry(stack, stack.room, changes ? adstacks.there : first);
        copy_elements(outside, at, size);
    };
    if (changes)
        emit_in_front(out_[adstacks.copy].blocks[0], store);
    else
        emit_to(inserted_before_[adstacks.copy.id], store);
    const Value own = this->local(fn_.type(local).elem, size, block);
    emit_in_front(block, [&] {
        const Value room = b_.load(stack.stored_in);
        const Value number = changes ? adstacks.here : b_.i64(0);
        copy_elements(entry(stack, room, number), own, size);
    });
    frames_.back().outer.emplace_back(local, copies_[local.id]);
    set(local, own, block);
}

void Replay::save_locals(Value loop) {
    std::map<Value, bool> found;
    for (Value w : writes_) {
        if (order_[w.id] <= order_[loop.id]) continue;
        const Target target = target_of(fn_, companions_, memory_.access(w).pointer);
        if (target.kind == Target::Kind::local && order_[target.base.id] < order_[loop.id])
            found[target.base] |= order_[w.id] <= end_[loop.id];
    }
    for (const auto &[local, changes] : found) save_local(local, changes);
}

/// Renumbers the remaining adstacks, in order, from 0.
void Replay::number_stacks() {
    std::map<uint32_t, uint32_t> numbers;
    analysis::walk(out_, [&](Value v) {
        Inst &in = out_[v];
        if (in.op != Op::reserve && in.op != Op::stack) return;
        made_[stack_of(in)].is_used = true;
        const uint64_t number = numbers.try_emplace(stack_of(in), uint32_t(numbers.size())).first->second;
        in.imm = in.op == Op::reserve ? reserve_imm(number, entry_bytes(in), reserve_lanes(in)) : number;
    });
}

std::vector<AdstackLoop> Replay::adstack_loops() const {
    std::vector<AdstackLoop> loops;
    for (const MadeStack &made : made_) {
        if (!made.is_used) continue;
        auto at = std::ranges::find(loops, made.loop, &AdstackLoop::loop);
        if (at == loops.end()) at = loops.insert(at, {made.loop, 0, true});
        at->bytes += made.bytes;
        at->is_carried &= fn_[made.variable].op == Op::param || fn_[made.variable].op == Op::local;
    }
    return loops;
}

/// Inserts an assertion before each loop with adstacks.
void Replay::limit_stacks() {
    uint32_t task = 0;
    const std::string kernel = out_.name.substr(out_.name.rfind('.') + 1) + "_kernel";
    const auto limit = [&](auto &self, BlockId id, bool top) -> void {
        const Values old = std::exchange(out_[id].insts, {});
        Builder b(out_, id);
        for (Value v : old) {
            for (BlockId inner : {out_[v].blocks[0], out_[v].blocks[1]})
                if (inner) self(self, inner, false);
            if (out_[v].op == Op::reserve) {
                b.span = out_[v].span;
                const Value entries = out_.args(v)[0];
                const Value capacity = b.i64(int64_t(stacks_.capacity));
                const Value fits = b.lt(entries, capacity);
                const Value one = b.i64(1);
                const Value needed = b.add(entries, one);
                const std::string size = std::to_string(stacks_.capacity);
                out_.messages.push_back(
                    {{{"Adstack overflow: a reverse-mode autodiff kernel pushed more elements than the adstack "
                       "capacity "
                       "allows. The launch that needs more raises this error; do not use its gradients.\n"
                       "Offending task: kernel `" +
                           kernel + "` offload task #" + std::to_string(task) + "; per-stack allocated max_size = [" +
                           size + "].\nSynchronous sizer rerun: required max_size = [",
                       -1},
                      {"", 0},
                      {"].\nThe capacity was forced by `qd.init(ad_stack_size=" + size +
                           ")`: raise it, or set it to 0, so that stacks grow as the loops need.\n"
                           "Note: kernel state may be inconsistent post-overflow",
                       -1}}});
                const Value operands[] = {fits, needed};
                b.emit(Op::assert_, operands, {}, out_.messages.size() - 1);
            }
            out_[id].insts.push_back(v);
            task += top && out_[v].op == Op::parallel;
        }
    };
    limit(limit, out_.body, true);
}

} // namespace qd::autodiff
