#include "autodiff/replay.h"

#include "analysis/walk.h"
#include "autodiff/refuse.h"
#include "passes/passes.h"
#include "passes/slots.h"

#include <array>

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

} // namespace qd::autodiff
