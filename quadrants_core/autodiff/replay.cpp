#include "autodiff/replay.h"

#include "analysis/walk.h"
#include "autodiff/refuse.h"
#include "passes/passes.h"
#include "passes/slots.h"

#include <algorithm>
#include <array>
#include <utility>

namespace qd::autodiff {

using namespace ir;

namespace {

constexpr const char *no_stack =
    "Cannot use non static range in Backwards mode: this loop (over a range, an ndrange or a field) changes a variable "
    "or memory from iteration to iteration, and its gradient needs the earlier values";

/// A copy of a kernel's tables and parameters without its code; it returns nothing.
Function tables_of(const Function &kernel) {
    Function out = kernel;
    out.insts.resize(1);
    out.blocks.resize(1);
    out.pool.clear();
    out.loops.clear();
    out.params.clear();
    out.returns.clear();
    for (Value p : kernel.params) {
        Inst inst;
        inst.type = kernel.type(p);
        inst.span = kernel[p].span;
        out.params.push_back(out.make(inst));
    }
    out.body = out.make_block();
    return out;
}

bool writes_memory(Op op) {
    return info(op).effect == Effect::write && op != Op::local && !(info(op).traits & observes);
}

} // namespace

Replay::Replay(const Function &kernel, const Companions &companions, const Activity &activity, const Stacks &stacks)
    : fn_(kernel), companions_(companions), activity_(activity), stacks_(stacks), memory_(kernel),
      out_(tables_of(kernel)), b_(out_), copies_(kernel.insts.size()), order_(kernel.insts.size()),
      end_(kernel.insts.size()) {
    analysis::walk(kernel, [&](Value v) { has_parallel_ |= kernel[v].op == Op::parallel; });
    for (size_t i = 0; i < kernel.params.size(); ++i) set(kernel.params[i], out_.params[i], out_.body);
    uint32_t clock = 0;
    find_writes(kernel.body, clock);
}

void Replay::find_writes(BlockId block, uint32_t &clock) {
    for (Value v : fn_[block].insts) {
        order_[v.id] = ++clock;
        if (const Value p = writes_memory(fn_[v].op) ? memory_.access(v).pointer : Value{})
            if (!target_of(fn_, companions_, p).has_companion) writes_.push_back(v);
        for (BlockId inner : fn_[v].blocks)
            if (inner) find_writes(inner, clock);
        end_[v.id] = clock;
    }
}

void Replay::enter(BlockId block) {
    blocks_.push_back(block);
    open_.resize(out_.blocks.size());
    open_[block.id] = 1;
    b_.block = block;
}

void Replay::leave() {
    open_[blocks_.back().id] = 0;
    blocks_.pop_back();
    b_.block = blocks_.empty() ? BlockId{} : blocks_.back();
}

void Replay::open_frame(Value loop, Value made) {
    const BlockId into = made ? out_[made].blocks[0] : out_.body;
    const bool again = loop && fn_[loop].op != Op::parallel;
    const LoopAdstacks adstacks = again ? adstacks_of(loop, made) : LoopAdstacks{};
    frames_.push_back({loop, into, again, adstacks, {}});
    enter(into);
    const BlockId body = loop ? fn_[loop].blocks[0] : fn_.body;
    const uint32_t indices = loop ? passes::first_carried(fn_, loop) : 0;
    for (uint32_t i = 0; i < fn_[body].params.size(); ++i) {
        const Value p = fn_[body].params[i];
        if (i < indices)
            set(p, out_[into].params[i], into);
        else if (!save(p, copies_[p.id]))
            set_unknown(p, loop, UserErrorKind::compilation, no_stack);
    }
    if (adstacks.copy) save_locals(loop);
    copy_contents(body);
}

void Replay::close_frame() {
    for (const auto &[local, before] : frames_.back().outer) copies_[local.id] = before;
    leave();
    frames_.pop_back();
}

void Replay::set(Value v, Value copy, BlockId home) {
    copies_[v.id] = {copy, home, frames_.empty() ? 0 : uint32_t(frames_.size() - 1), {}};
}

Value Replay::local(Scalar elem, uint64_t size, BlockId block) {
    Inst inst;
    inst.op = Op::local;
    inst.type = Type::pointer(elem, Space::private_);
    inst.imm = size;
    inst.span = b_.span;
    const Value v = out_.make(inst);
    inserted_first_.resize(out_.blocks.size());
    inserted_first_[block.id].push_back(v);
    return v;
}

void Replay::set_unknown(Value v, Value cause, UserErrorKind kind, const char *message) {
    if (!fn_.type(v).is_scalar()) return;
    Inst inst;
    inst.op = Op::constant;
    inst.type = fn_.type(v);
    inst.span = fn_[v].span;
    const Value constant = out_.make(inst);
    const BlockId home = frames_.back().block;
    inserted_first_.resize(out_.blocks.size());
    inserted_first_[home.id].push_back(constant);
    unknowns_.push_back({constant, cause, kind, message});
    set(v, constant, home);
}

Value Replay::value(Value v) {
    Copy &copy = copies_[v.id];
    QD_CHECK(copy.value, std::string("no copy of `") + info(fn_[v].op).name + "`");
    if (open_[copy.home.id]) return copy.value;
    if (!copy.stored_in) {
        copy.stored_in = local(fn_.type(v).elem, 1, frames_[copy.frame].block);
        Inst store;
        store.op = Op::store;
        store.args = out_.make_list(std::array{copy.stored_in, copy.value});
        store.span = fn_[v].span;
        inserted_after_.emplace_back(copy.value, out_.make(store));
    }
    return b_.load(copy.stored_in);
}

Value Replay::argument(Value v) {
    const Type t = fn_.type(v);
    return t.is_pointer() ? pointer(v) : t.is_array() ? param(v) : value(v);
}

/// A pointer cannot be stored; its address is recomputed.
Value Replay::pointer(Value v) {
    const Copy &copy = copies_[v.id];
    const Target target = target_of(fn_, companions_, v);
    const bool moved = target.kind == Target::Kind::local && copies_[target.base.id].frame > copy.frame;
    if (copy.value && open_[copy.home.id] && !moved) return copy.value;
    const Inst in = fn_[v];
    if (!is_movable(in.op)) fail_user(UserErrorKind::runtime, not_supported, fn_.trace(in.span));
    const std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
    std::vector<Value> given;
    for (Value a : args) given.push_back(argument(a));
    return b_.emit(in.op, given, in.type, in.imm);
}

bool Replay::repeats_write(Value pointer) const {
    const Target target = target_of(fn_, companions_, pointer);
    if (target.kind == Target::Kind::local) return copies_[target.base.id].frame + 1 == frames_.size();
    return !target.has_companion && !frames_.back().again;
}

/// True if the current frame executes a copy of the instruction.
bool Replay::repeats(Value v) const {
    const Op op = fn_[v].op;
    if (info(op).effect != Effect::write || (info(op).traits & observes) || op == Op::local || op == Op::poll)
        return true;
    if (op == Op::append || op == Op::deactivate) return false;
    if (family(op) != Family::cell && family(op) != Family::step)
        if (const Value p = memory_.access(v).pointer) return repeats_write(p);
    return !frames_.back().again;
}

/// The serial loop that has completed since the kernel read `pointer`, if the kernel wrote there after the start of the loop. Ops on cells
/// are only affected by changes of cells.
Value Replay::changed_since(Value reader, Value pointer) const {
    const auto is_cell_op = [&](Value v) { return (info(fn_[v].op).traits & cells) != 0; };
    const Target target = target_of(fn_, companions_, pointer);
    if (target.has_companion) return {};
    size_t at = 0;
    if (target.kind == Target::Kind::local)
        at = copies_[target.base.id].frame + 1;
    else
        while (at < frames_.size() && !frames_[at].again) ++at;
    if (at >= frames_.size()) return {};
    for (Value w : writes_)
        if (order_[w.id] > order_[frames_[at].loop.id] && is_cell_op(w) == is_cell_op(reader) &&
            memory_.objects_overlap(memory_.object(memory_.access(w).pointer), memory_.object(pointer)))
            return frames_[at].loop;
    return {};
}

void Replay::copy_contents(BlockId from) {
    const bool whole = blocks_.back() != frames_.back().block;
    for (Value v : fn_[from].insts) {
        b_.span = fn_[v].span;
        if (!is_terminator(fn_[v].op) || whole) copy(v);
    }
}

void Replay::copy(Value v) {
    const Op op = fn_[v].op;
    if (op == Op::parallel && activity_.is_differentiated(v)) return;
    if (owns_block(op)) return copy_control(v);
    if (!repeats(v)) {
        const Value p = memory_.access(v).pointer;
        const bool is_update = p && target_of(fn_, companions_, p).has_companion;
        if (!is_update && save(v, copies_[v.id])) return;
        return frames_.back().again && !is_update
                   ? set_unknown(v, frames_.back().loop, UserErrorKind::compilation, no_stack)
                   : set_unknown(v, v, UserErrorKind::runtime, is_update ? old_value : not_supported);
    }
    if (fn_.type(v).is_scalar() && (info(op).effect == Effect::read || (info(op).traits & observes)))
        if (const Value p = memory_.access(v).pointer)
            if (const Value loop = changed_since(v, p)) {
                if (fn_[loop].op != Op::parallel && save(v, copies_[v.id])) return;
                return fn_[loop].op == Op::parallel ? set_unknown(v, v, UserErrorKind::runtime, mixture)
                                                    : set_unknown(v, loop, UserErrorKind::compilation, no_stack);
            }
    copy_plain(v);
}

void Replay::copy_plain(Value v) {
    const Inst in = fn_[v];
    if (in.op == Op::local && inner_.empty()) { // an if is executed at most once in a frame
        const BlockId home = frames_.back().block;
        return set(v, local(in.type.elem, in.imm, home), home);
    }
    const std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
    std::vector<Value> given;
    for (Value a : args) given.push_back(argument(a));
    const Value made = b_.emit(in.op, given, in.type, in.imm);
    set(v, made, b_.block);
}

void Replay::copy_control(Value v) {
    Inst in = fn_[v];
    const std::vector<Value> args(fn_.args(v).begin(), fn_.args(v).end());
    const std::vector<Value> results(fn_.results(v).begin(), fn_.results(v).end());
    std::vector<Value> given;
    for (Value a : args) given.push_back(argument(a));
    if (info(in.op).imm == Imm::loop) {
        out_.loops.push_back(fn_.loops[in.imm]);
        in.imm = out_.loops.size() - 1;
    }
    in.args = out_.make_list(given);
    in.results = {};
    in.blocks[0] = in.blocks[1] = {};
    const Value made = out_.make(in);
    const BlockId home = b_.block;
    out_[home].insts.push_back(made);
    if (in.op != Op::if_) inner_.push_back({in.op == Op::for_ ? copies_[v.id].value : Value{}, made});
    set(v, made, home);
    for (int side = 0; side < 2; ++side) {
        const BlockId from = fn_[v].blocks[side];
        if (!from) continue;
        const BlockId into = out_.make_block();
        out_[made].blocks[side] = into;
        for (Value p : fn_[from].params) set(p, out_.add_param(into, fn_.type(p), fn_[p].span), into);
        enter(into);
        copy_contents(from);
        leave();
    }
    if (in.op != Op::if_) inner_.pop_back();
    for (Value r : results) set(r, out_.add_result(made, fn_.type(r)), home);
}

void Replay::insert_extras() {
    inserted_first_.resize(out_.blocks.size());
    std::vector<std::vector<Value>> after(out_.insts.size());
    for (auto &[at, extra] : inserted_after_) {
        if (out_[at].op == Op::result)
            after[out_.args(at)[0].id].push_back(extra);
        else
            after[at.id].push_back(extra);
    }
    for (uint32_t id = 1; id < out_.blocks.size(); ++id) {
        Block &block = out_.blocks[id];
        std::vector<Value> list = std::move(inserted_first_[id]);
        for (Value p : block.params) list.insert(list.end(), after[p.id].begin(), after[p.id].end());
        for (Value v : block.insts) {
            if (const auto found = inserted_before_.find(v.id); found != inserted_before_.end())
                list.insert(list.end(), found->second.begin(), found->second.end());
            list.push_back(v);
            list.insert(list.end(), after[v.id].begin(), after[v.id].end());
        }
        block.insts = std::move(list);
    }
}

Function Replay::finish() {
    insert_extras();
    passes::promote(out_, {});
    passes::dce(out_, {});
    std::vector<uint8_t> live(out_.insts.size());
    analysis::walk(out_, [&](Value v) { live[v.id] = 1; });
    for (const Unknown &u : unknowns_)
        if (live[u.constant.id]) fail_user(u.kind, u.message, fn_.trace(fn_[u.cause].span));
    number_stacks();
    if (stacks_.capacity) limit_stacks();
    return std::move(out_);
}

// Adstacks: the code that fills them and the code that reads them

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
