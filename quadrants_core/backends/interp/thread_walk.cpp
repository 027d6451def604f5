#include "backends/interp/thread_walk.h"

#include "base/error.h"

#include <algorithm>

namespace qd::backends::interpreter {

namespace {

thread_local uint64_t step_limit = 0;

/// Releases what was allocated on the thread's heap during its lifetime.
class HeapMark {
  public:
    explicit HeapMark(abi::Heap &heap) : heap_(heap), top_(heap.top), end_(heap.end), used_(heap.used) {}
    ~HeapMark() {
        heap_.top = top_;
        heap_.end = end_;
        heap_.used = used_;
    }
    HeapMark(const HeapMark &) = delete;

  private:
    abi::Heap &heap_;
    char *top_, *end_;
    uint64_t used_;
};

} // namespace

void limit_steps(uint64_t steps) { step_limit = steps; }

ThreadWalk::ThreadWalk(const Function &fn, const abi::Launch &launch, abi::Thread &thread, Chunk chunk)
    : fn_(fn), launch_(launch), thread_(thread), chunk_(chunk), values_(fn), memory_(fn),
      cells_(values_, memory_, launch.data), access_(values_, memory_, cells_, launch, thread),
      outside_(values_, launch, thread) {
    size_t at = 0;
    for (Value p : fn.params) {
        const Type &t = fn.type(p);
        if (t.is_array()) {
            values_.set(p, at); // slot of its address; the extents follow
            at += abi::argument_slots(true, t.ndim);
        } else {
            uint64_t bits = launch.data.args[at++];
            int n = bits_of(t.elem);
            values_.set(p, n < 64 ? bits & ((uint64_t(1) << n) - 1) : bits);
        }
    }
}

Flow ThreadWalk::block(BlockId b) {
    for (Value v : fn_[b].insts) {
        if (is_terminator(fn_[v].op)) return terminator(v);
        Flow flow = inst(v);
        if (flow != Flow::yielded) return flow;
    }
    fail_internal("interp: a block without terminator in " + fn_.name);
}

Flow ThreadWalk::iteration(BlockId body) {
    const HeapMark mark(thread_.heap);
    return block(body);
}

Flow ThreadWalk::terminator(Value v) {
    values_.pass(fn_.args(v));
    switch (TerminatorOp(fn_[v].op)) {
    case TerminatorOp::yield: return Flow::yielded;
    case TerminatorOp::break_: return Flow::broke;
    case TerminatorOp::continue_: return Flow::continued;
    case TerminatorOp::ret: return Flow::returned;
    case TerminatorOp::exit: return Flow::exited;
    }
    return Flow::exited;
}

Flow ThreadWalk::control(Value v) {
    switch (ControlOp(fn_[v].op)) {
    case ControlOp::if_: {
        Flow flow = block(fn_[v].blocks[values_.arg(v, 0) & 1 ? 0 : 1]);
        if (flow == Flow::yielded) values_.receive(fn_.results(v));
        return flow;
    }
    case ControlOp::for_: return for_loop(v);
    case ControlOp::loop: return endless_loop(v);
    case ControlOp::parallel: return parallel(v);
    }
    return Flow::exited;
}

/// Returns what follows an iteration. yielded: the next iteration; broke: the loop ends, with the passed values as results; anything else
/// also ends the enclosing constructs.
Flow ThreadWalk::after_iteration(Flow flow, const Loop &loop, std::span<const Value> carried) {
    if (flow == Flow::returned || flow == Flow::broke) return flow;
    const bool halfway = flow == Flow::exited;
    if (!halfway && !leave(loop) && !(loop.flushes && left_early())) return Flow::yielded;
    if (!loop.flushes) return Flow::exited;
    outside_.left_early = true;
    if (halfway) values_.pass(carried);
    return Flow::broke;
}

Flow ThreadWalk::for_loop(Value v) {
    const Inst &in = fn_[v];
    const Loop &loop = fn_.loops[in.imm];
    int64_t lo = values_.index(fn_.args(v)[0]), hi = values_.index(fn_.args(v)[1]);
    std::span<const Value> params = fn_[in.blocks[0]].params;
    values_.pass(fn_.args(v).subspan(2));
    if (loop.flushes && left_early()) hi = lo;
    for (int64_t n = lo; n < hi; ++n) {
        values_.receive(params.subspan(1));
        int64_t at = loop.reversed ? hi - 1 - (n - lo) : n;
        values_.set(params[0], from_int(fn_.type(params[0]).elem, at).bits);
        Flow flow = loop.room_persists ? block(in.blocks[0]) : iteration(in.blocks[0]);
        flow = after_iteration(flow, loop, params.subspan(1));
        if (flow == Flow::broke) break;
        if (flow != Flow::yielded) return flow;
    }
    values_.receive(fn_.results(v));
    return Flow::yielded;
}

Flow ThreadWalk::endless_loop(Value v) {
    const Inst &in = fn_[v];
    const Loop &loop = fn_.loops[in.imm];
    values_.pass(fn_.args(v));
    while (true) {
        values_.receive(fn_[in.blocks[0]].params);
        Flow flow = iteration(in.blocks[0]);
        flow = after_iteration(flow, loop, fn_[in.blocks[0]].params);
        if (flow == Flow::broke) break;
        if (flow != Flow::yielded) return flow;
    }
    values_.receive(fn_.results(v));
    return Flow::yielded;
}

/// Runs every index, the last axis fastest; from the last to the first if the loop runs backward.
Flow ThreadWalk::parallel(Value v) {
    const Inst &in = fn_[v];
    std::span<const Value> params = fn_[in.blocks[0]].params;
    QD_CHECK(!fn_.loops[in.imm].cells, "a loop over cells must be lowered first");
    std::vector<int64_t> lo, hi;
    for (size_t a = 0; a < params.size(); ++a) {
        lo.push_back(values_.index(fn_.args(v)[2 * a]));
        hi.push_back(values_.index(fn_.args(v)[2 * a + 1]));
        if (lo[a] >= hi[a]) return Flow::yielded;
    }
    std::vector<int64_t> at = lo;
    while (true) {
        for (size_t a = 0; a < params.size(); ++a)
            values_.set(params[a], uint32_t(fn_.loops[in.imm].reversed ? lo[a] + hi[a] - 1 - at[a] : at[a]));
        Flow flow = iteration(in.blocks[0]);
        if (flow != Flow::yielded) return flow;
        if (leave(fn_.loops[in.imm])) return Flow::exited;
        size_t a = params.size();
        while (a > 0 && ++at[a - 1] == hi[a - 1]) {
            at[a - 1] = lo[a - 1];
            --a;
        }
        if (a == 0) return Flow::yielded;
    }
}

/// Evaluates the ops of Family::plain, most of which ir::eval does not support.
void ThreadWalk::plain(Value v) {
    const Inst &in = fn_[v];
    const auto arg = [&] { return values_.arg(v, 0); };
    switch (PlainOp(in.op)) {
    case PlainOp::constant: return values_.set(v, in.imm);
    case PlainOp::group_any: return values_.set(v, arg() & 1); // a group has one lane
    case PlainOp::splat:
        std::fill_n(values_.words(v), in.type.lanes, arg());
        return;
    case PlainOp::iota:
        for (int k = 0; k < in.type.lanes; ++k) values_.words(v)[k] = from_int(in.type.elem, k).bits;
        return;
    case PlainOp::dim:
        return values_.set(v, uint32_t(launch_.data.args[abi::extent_slot(uint32_t(arg()), uint32_t(in.imm))]));
    case PlainOp::chunk_begin: return values_.set(v, uint64_t(chunk_.begin));
    case PlainOp::chunk_end: return values_.set(v, uint64_t(chunk_.end));
    case PlainOp::chunk_step: return values_.set(v, uint64_t(chunk_.step));
    case PlainOp::select:
    case PlainOp::cast:
    case PlainOp::bitcast: return values_.evaluate(v);
    }
}

void ThreadWalk::memory(Value v) {
    switch (MemoryOp(fn_[v].op)) {
    case MemoryOp::load:
    case MemoryOp::volatile_load: return access_.load(v);
    case MemoryOp::store: return access_.store(v);
    case MemoryOp::masked_load:
    case MemoryOp::masked_store:
    case MemoryOp::gather:
    case MemoryOp::scatter: return access_.masked(v);
    case MemoryOp::block_sync: return; // a block has one thread
    }
}

Flow ThreadWalk::inst(Value v) {
    if (step_limit && ++steps_ > step_limit) fail_internal("interp: too many steps in " + fn_.name);
    switch (family(fn_[v].op)) {
    case Family::arithmetic:
    case Family::bits:
    case Family::real:
    case Family::comparison: values_.evaluate(v); break;
    case Family::plain: plain(v); break;
    case Family::reduction: values_.reduce(v); break;
    case Family::address: {
        const uint64_t address = access_.address(v);
        values_.set(v, address);
        if (fn_[v].op == Op::reserve && !address) return Flow::exited;
        break;
    }
    case Family::memory: memory(v); break;
    case Family::atomic: access_.atomic(v); break;
    case Family::packed: access_.packed(v); break;
    case Family::cell: cells_.cell(v); break;
    case Family::step: cells_.step(v); break;
    case Family::outside: return outside_.execute(v) ? Flow::yielded : Flow::exited;
    case Family::control: return control(v);
    case Family::terminator:
    case Family::meta: fail_internal(std::string("interp: unexpected `") + info(fn_[v].op).name + "` in " + fn_.name);
    }
    return Flow::yielded;
}

} // namespace qd::backends::interpreter
