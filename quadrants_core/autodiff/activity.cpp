#include "autodiff/activity.h"

#include "autodiff/partials.h"
#include "passes/slots.h"

namespace qd::autodiff {

using namespace ir;

Target target_of(const Function &fn, const Companions &companions, Value pointer) {
    while (fn[pointer].op == Op::offset) pointer = fn.args(pointer)[0];
    const Inst &in = fn[pointer];
    if (in.op == Op::local) return {Target::Kind::local, pointer, false};
    if (in.op == Op::place) return {Target::Kind::global, pointer, companions.place(in.imm) != Companions::none};
    if (in.op != Op::element && in.op != Op::array_base) return {Target::Kind::other, pointer, false};
    const Value array = fn.args(pointer)[0];
    for (size_t i = 0; i < fn.params.size(); ++i)
        if (fn.params[i] == array) return {Target::Kind::global, pointer, bool(companions.array(i))};
    return {Target::Kind::other, pointer, false};
}

Activity::Activity(const Function &kernel, const Companions &companions, Mode mode)
    : fn_(kernel), companions_(companions), gives_old_values_(mode != Mode::reverse), varied_(kernel.insts.size()),
      useful_(kernel.insts.size()), is_differentiated_(kernel.insts.size()) {
    std::vector<Value> loops;
    while (flow(Way::onward, fn_.body, {}, loops)) {
    }
    if (mode == Mode::reverse)
        while (flow(Way::back, fn_.body, {}, loops)) {
        }
    else
        useful_.assign(useful_.size(), 1);
    any_ = find_acts(fn_.body);
}

bool Activity::set(std::vector<uint8_t> &what, Value v) {
    const Type t = fn_.type(v);
    if (what[v.id] || !(t.is_float() || (fn_[v].op == Op::local && is_float(t.elem)))) return false;
    what[v.id] = 1;
    return true;
}

bool Activity::move(std::vector<uint8_t> &what, Value from, Value to) { return what[from.id] && set(what, to); }

/// Propagates between results, carried parameters and initial values of a loop.
bool Activity::slots(std::vector<uint8_t> &what, Value control) {
    if (fn_[control].op == Op::if_ || fn_[control].op == Op::parallel) return false;
    bool changed = false;
    const auto results = fn_.results(control);
    const auto inits = fn_.args(control).subspan(passes::first_init(fn_, control));
    const auto carried =
        std::span<const Value>(fn_[fn_[control].blocks[0]].params).subspan(passes::first_carried(fn_, control));
    for (size_t k = 0; k < results.size(); ++k) {
        changed |= move(what, results[k], carried[k]);
        changed |= move(what, carried[k], results[k]);
        changed |= &what == &varied_ ? move(what, inits[k], carried[k]) : move(what, carried[k], inits[k]);
    }
    return changed;
}

/// Propagates between the operands of a terminator and the slots of the instruction that it ends.
bool Activity::pass(std::vector<uint8_t> &what, Value end, Value control, bool outward) {
    bool changed = false;
    for (size_t k = 0; k < fn_.args(end).size(); ++k) {
        const Value value = fn_.args(end)[k], slot = fn_.results(control)[k];
        changed |= outward ? move(what, value, slot) : move(what, slot, value);
    }
    return changed;
}

namespace {

/// The instruction that a terminator passes values to: the owner of its block, or the innermost loop; none at the end of the kernel.
Value passes_to(const Function &fn, Value end, Value owner, const std::vector<Value> &loops) {
    if (fn[end].op == Op::break_ || fn[end].op == Op::continue_) return loops.back();
    return fn[end].op == Op::yield && fn[owner].op != Op::parallel ? owner : Value{};
}

} // namespace

bool Activity::flow(Way way, BlockId block, Value owner, std::vector<Value> &loops) {
    std::vector<uint8_t> &what = way == Way::onward ? varied_ : useful_;
    bool changed = false;
    const auto &list = fn_[block].insts;
    for (size_t n = 0; n < list.size(); ++n) {
        const Value v = way == Way::onward ? list[n] : list[list.size() - 1 - n];
        if (is_terminator(fn_[v].op)) {
            if (const Value to = passes_to(fn_, v, owner, loops)) changed |= pass(what, v, to, way == Way::onward);
            continue;
        }
        if (!owns_block(fn_[v].op)) {
            changed |= way == Way::onward ? spread(v) : gather(v);
            continue;
        }
        changed |= slots(what, v);
        const bool is_loop = passes::is_loop(fn_[v].op);
        if (is_loop) loops.push_back(v);
        for (BlockId inner : fn_[v].blocks)
            if (inner) changed |= flow(way, inner, v, loops);
        if (is_loop) loops.pop_back();
        changed |= slots(what, v);
    }
    return changed;
}

bool Activity::spread(Value v) {
    const Inst &in = fn_[v];
    const auto args = fn_.args(v);
    if (in.op == Op::load || in.op == Op::volatile_load) {
        const Target t = target_of(fn_, companions_, args[0]);
        return is_varied(t) && set(varied_, v);
    }
    if (in.op == Op::store || is_atomic(in.op)) {
        const Target t = target_of(fn_, companions_, args[0]);
        const bool varies = t.kind == Target::Kind::local && varied_[args.back().id] && set(varied_, t.base);
        return (gives_old_values_ && is_atomic(in.op) && is_varied(t) && set(varied_, v)) || varies;
    }
    if (info(in.op).effect != Effect::pure || !fn_.type(v).is_float()) return false;
    for (size_t i = 0; i < args.size(); ++i)
        if (varied_[args[i].id] && slope(in.op, i) != Slope::flat) return set(varied_, v);
    return false;
}

bool Activity::gather(Value v) {
    const Inst &in = fn_[v];
    const auto args = fn_.args(v);
    if (in.op == Op::load || in.op == Op::volatile_load) {
        const Target t = target_of(fn_, companions_, args[0]);
        return t.kind == Target::Kind::local && useful_[v.id] && set(useful_, t.base);
    }
    if (in.op == Op::store || is_atomic(in.op)) {
        const Target t = target_of(fn_, companions_, args[0]);
        return (t.has_companion || (t.kind == Target::Kind::local && useful_[t.base.id])) && set(useful_, args.back());
    }
    if (info(in.op).effect != Effect::pure || !useful_[v.id]) return false;
    bool changed = false;
    for (size_t i = 0; i < args.size(); ++i)
        if (slope(in.op, i) != Slope::flat) changed |= set(useful_, args[i]);
    return changed;
}

bool Activity::own_act(Value v) const {
    const Inst &in = fn_[v];
    for (Value r : fn_.results(v))
        if (active(r)) return true;
    if (in.op == Op::store || is_atomic(in.op)) {
        const Target t = target_of(fn_, companions_, fn_.args(v)[0]);
        if (t.kind == Target::Kind::local) return active(t.base);
        return t.has_companion && is_float(fn_.type(fn_.args(v)[0]).elem);
    }
    return active(v);
}

bool Activity::find_acts(BlockId block) {
    bool any = false;
    for (Value v : fn_[block].insts) {
        is_differentiated_[v.id] = own_act(v);
        for (BlockId inner : fn_[v].blocks)
            if (inner && find_acts(inner)) is_differentiated_[v.id] = 1;
        any |= is_differentiated_[v.id] != 0;
    }
    return any;
}

} // namespace qd::autodiff
