// What a serial loop keeps for its frame: who fills a stack and who reads it.
#include "analysis/walk.h"
#include "autodiff/replay.h"

#include <algorithm>
#include <utility>

namespace qd::autodiff {

using namespace ir;

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
    fronts_.resize(out_.blocks.size());
    fronts_[block.id].insert(fronts_[block.id].end(), list.begin(), list.end());
}

/// Called in the frame around. The room on the heap ends with an iteration of that one; tasks do not share it.
Replay::Keeper Replay::keeper_of(Value loop, Value made) {
    Keeper keeper;
    if (!stacks_.enabled || (frames_.size() == 1 && has_parallel_)) return keeper;
    keeper.copy = copies_[loop.id].value;
    b_.span = fn_[loop].span;
    const auto number = [&](Value control) {
        const Value index = b_.cast(out_[out_[control].blocks[0]].params[0], Scalar::i64);
        const Value lower = b_.cast(out_.args(control)[0], Scalar::i64);
        return b_.sub(index, lower);
    };
    emit_to(before_[keeper.copy.id], [&] {
        const Value lower = b_.cast(out_.args(keeper.copy)[0], Scalar::i64);
        const Value upper = b_.cast(out_.args(keeper.copy)[1], Scalar::i64);
        const Value span = b_.sub(upper, lower);
        const Value zero = b_.i64(0);
        keeper.entries = b_.max(span, zero);
    });
    emit_in_front(out_[keeper.copy].blocks[0], [&] { keeper.there = number(keeper.copy); });
    emit_in_front(out_[made].blocks[0], [&] { keeper.here = number(made); });
    return keeper;
}

/// Called in the frame that reads it.
Replay::Stack Replay::make_stack(const Keeper &keeper, Value entries, Value variable, uint64_t size) {
    Stack stack{uint32_t(made_.size()), fn_.type(variable).elem, size, {}, {}, variable};
    made_.push_back({frames_.back().loop, variable, size * uint64_t(size_of(stack.elem))});
    stack.kept = local(Scalar::i64, 1, frames_[frames_.size() - 2].block);
    b_.span = fn_[frames_.back().loop].span;
    emit_to(before_[keeper.copy.id], [&] {
        const uint64_t imm = uint64_t(stack.number) << 32 | made_.back().bytes;
        stack.room = b_.emit(Op::reserve, {entries}, {}, imm);
        b_.store(stack.kept, stack.room);
    });
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

/// Whether a value of the loop's body is kept. `there`: what it is in the copy that fills the stack.
bool Replay::keep(Value v, const Copy &there) {
    const Keeper &keeper = frames_.back().keeper;
    if (!keeper.copy || !fn_.type(v).is_scalar() || !there.value) return false;
    const Value copy = there.value;
    const Stack stack = make_stack(keeper, keeper.entries, v, 1);
    Values store;
    emit_to(store, [&] {
        const Value at = entry(stack, stack.room, keeper.there);
        b_.store(at, copy);
    });
    for (Value each : store) behind_.emplace_back(copy, each);
    const BlockId block = frames_.back().block;
    Value found;
    emit_in_front(block, [&] {
        const Value room = b_.load(stack.kept);
        const Value at = entry(stack, room, keeper.here);
        found = b_.load(at);
    });
    set(v, found, block);
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

/// Gives the frame a local of its own, which holds what the one outside held when the iteration began; if only what comes behind the
/// loop changes it, when the loop began.
void Replay::keep_local(Value local, bool changes) {
    const Keeper &keeper = frames_.back().keeper;
    const BlockId block = frames_.back().block;
    const Value outside = copies_[local.id].value;
    const uint64_t size = fn_[local].imm;
    b_.span = fn_[local].span;
    Value one, first;
    if (!changes)
        emit_to(before_[keeper.copy.id], [&] {
            one = b_.i64(1);
            first = b_.i64(0);
        });
    const Stack stack = make_stack(keeper, changes ? keeper.entries : one, local, size);
    const auto store = [&] {
        const Value at = entry(stack, stack.room, changes ? keeper.there : first);
        copy_elements(outside, at, size);
    };
    if (changes)
        emit_in_front(out_[keeper.copy].blocks[0], store);
    else
        emit_to(before_[keeper.copy.id], store);
    const Value own = this->local(fn_.type(local).elem, size, block);
    emit_in_front(block, [&] {
        const Value room = b_.load(stack.kept);
        const Value number = changes ? keeper.here : b_.i64(0);
        copy_elements(entry(stack, room, number), own, size);
    });
    frames_.back().outer.emplace_back(local, copies_[local.id]);
    set(local, own, block);
}

void Replay::keep_locals(Value loop) {
    std::map<Value, bool> found;
    for (Value w : writes_) {
        if (order_[w.id] <= order_[loop.id]) continue;
        const Target target = target_of(fn_, companions_, memory_.access(w).pointer);
        if (target.kind == Target::Kind::local && order_[target.base.id] < order_[loop.id])
            found[target.base] |= order_[w.id] <= end_[loop.id];
    }
    for (const auto &[local, changes] : found) keep_local(local, changes);
}

/// Those that are left, in order, from 0 on.
void Replay::number_stacks() {
    std::map<uint32_t, uint32_t> numbers;
    analysis::walk(out_, [&](Value v) {
        Inst &in = out_[v];
        if (in.op != Op::reserve && in.op != Op::stack) return;
        made_[stack_of(in)].stands = true;
        const uint64_t number = numbers.try_emplace(stack_of(in), uint32_t(numbers.size())).first->second;
        in.imm = in.op == Op::reserve ? number << 32 | entry_bytes(in) : number;
    });
}

std::vector<KeptLoop> Replay::kept() const {
    std::vector<KeptLoop> loops;
    for (const Kept &kept : made_) {
        if (!kept.stands) continue;
        auto at = std::ranges::find(loops, kept.loop, &KeptLoop::loop);
        if (at == loops.end()) at = loops.insert(at, {kept.loop, 0, true});
        at->bytes += kept.bytes;
        at->is_carried &= fn_[kept.variable].op == Op::param || fn_[kept.variable].op == Op::local;
    }
    return loops;
}

/// An assertion before each loop that has stacks.
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
                       "allows. Raised at the next Quadrants Python entry rather than at the offending kernel launch.\n"
                       "Offending task: kernel `" +
                           kernel + "` offload task #" + std::to_string(task) + "; per-stack allocated max_size = [" +
                           size + "].\nSynchronous sizer rerun: required max_size = [",
                       -1},
                      {"", 0},
                      {"].\nThe capacity was forced by `qd.init(ad_stack_size=" + size +
                           ")`: raise it, or set it to 0, so that stacks are as large as the loops need.\n"
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
