#include "backends/interp/thread_walk.h"

#include "analysis/lanes.h"
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

/// Returns a number that identifies iteration `n` of a loop, given that of the loops around.
uint64_t next_iteration(uint64_t around, uint64_t n) { return (around + n + 1) * 0x9e3779b97f4a7c15u; }

} // namespace

void limit_steps(uint64_t steps) { step_limit = steps; }

ThreadWalk::ThreadWalk(const ThreadWalk &around, Seat seat, Chunk chunk)
    : fn_(around.fn_), launch_(around.launch_), thread_(around.thread_), chunk_(chunk), geometry_(around.geometry_),
      seat_(seat), values_(around.values_), memory_(fn_, &seat.block->memory()), cells_(values_, memory_, launch_),
      access_(values_, memory_, cells_, launch_, thread_), outside_(values_, launch_, thread_) {}

ThreadWalk::ThreadWalk(const Function &fn, const abi::Launch &launch, abi::Thread &thread, Chunk chunk,
                       Geometry geometry)
    : fn_(fn), launch_(launch), thread_(thread), chunk_(chunk), geometry_(geometry), seat_(), values_(fn), memory_(fn),
      cells_(values_, memory_, launch), access_(values_, memory_, cells_, launch, thread),
      outside_(values_, launch, thread) {
    size_t at = 0;
    for (Value p : fn.params) {
        const Type &t = fn.type(p);
        if (t.is_array()) {
            values_.set(p, at); // slot of its address; the extents follow
            at += abi::argument_slots(true, t.ndim);
        } else {
            uint64_t bits = launch.args()[at++];
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
    const uint64_t around = iteration_;
    for (int64_t n = lo; n < hi; ++n) {
        iteration_ = next_iteration(around, uint64_t(n - lo));
        values_.receive(params.subspan(1));
        int64_t at = loop.reversed ? hi - 1 - (n - lo) : n;
        values_.set(params[0], from_int(fn_.type(params[0]).elem, at).bits);
        Flow flow = loop.heap_persists ? block(in.blocks[0]) : iteration(in.blocks[0]);
        flow = after_iteration(flow, loop, params.subspan(1));
        if (flow == Flow::broke) break;
        if (flow != Flow::yielded) return flow;
    }
    iteration_ = around;
    values_.receive(fn_.results(v));
    return Flow::yielded;
}

Flow ThreadWalk::endless_loop(Value v) {
    const Inst &in = fn_[v];
    const Loop &loop = fn_.loops[in.imm];
    values_.pass(fn_.args(v));
    const uint64_t around = iteration_;
    for (uint64_t n = 0;; ++n) {
        iteration_ = next_iteration(around, n);
        values_.receive(fn_[in.blocks[0]].params);
        Flow flow = iteration(in.blocks[0]);
        flow = after_iteration(flow, loop, fn_[in.blocks[0]].params);
        if (flow == Flow::broke) break;
        if (flow != Flow::yielded) return flow;
    }
    iteration_ = around;
    values_.receive(fn_.results(v));
    return Flow::yielded;
}

/// Sets the indices of a parallel loop for its iteration `number`; the last axis varies fastest.
void ThreadWalk::set_indices(Value v, const Range &range, int64_t number) {
    const Inst &in = fn_[v];
    std::span<const Value> params = fn_[in.blocks[0]].params;
    for (size_t a = params.size(); a-- > 0;) {
        const int64_t extent = range.extent[a], at = a > 0 ? number % extent : number;
        number /= extent;
        values_.set(params[a], uint32_t(range.lo[a] + (fn_.loops[in.imm].reversed ? extent - 1 - at : at)));
    }
}

/// Runs every index; from the last to the first if the loop runs backward.
Flow ThreadWalk::parallel(Value v) {
    const Inst &in = fn_[v];
    const Loop &loop = fn_.loops[in.imm];
    QD_CHECK(!loop.cells, "a loop over cells must be lowered first");
    Range range;
    for (size_t a = 0; a < fn_[in.blocks[0]].params.size(); ++a) {
        range.lo.push_back(values_.index(fn_.args(v)[2 * a]));
        range.extent.push_back(std::max<int64_t>(values_.index(fn_.args(v)[2 * a + 1]) - range.lo[a], 0));
        range.size *= range.extent[a];
    }
    if (geometry_.lanes && !loop.serialize && analysis::uses_blocks(fn_, in.blocks[0]))
        return parallel_blocks(v, range);
    for (int64_t n = 0; n < range.size; ++n) {
        set_indices(v, range, n);
        Flow flow = iteration(in.blocks[0]);
        if (flow != Flow::yielded) return flow;
        if (leave(loop)) return Flow::exited;
    }
    return Flow::yielded;
}

/// Runs the iterations as the threads of blocks.
Flow ThreadWalk::parallel_blocks(Value v, const Range &range) {
    const BlockId body = fn_[v].blocks[0];
    const Loop &loop = fn_.loops[fn_[v].imm];
    const Geometry geometry{geometry_.lanes, loop.block_dim ? loop.block_dim : geometry_.block};
    ThreadBlock block(fn_, geometry, &memory_, analysis::may_wait(fn_, body));
    for (int64_t first = 0; first < range.size; first += geometry.block) {
        const auto present = uint32_t(std::min<int64_t>(geometry.block, range.size - first));
        const bool goes_on = block.run(first / geometry.block, present, [&](uint32_t t) {
            ThreadWalk thread(*this, {&block, t}, chunk_);
            thread.set_indices(v, range, first + t);
            return thread.iteration(body) == Flow::yielded && !leave(loop);
        });
        if (!goes_on) return Flow::exited;
    }
    return Flow::yielded;
}

/// Waits for the threads that a convergent op joins, and returns its result.
uint64_t ThreadWalk::meet(Value v) {
    ThreadBlock::Arrival arrival{v, iteration_, {}};
    for (size_t i = 0; i < fn_.args(v).size(); ++i) arrival.operands[i] = values_.arg(v, i);
    return seat_.block->meet(seat_.thread, arrival);
}

void ThreadWalk::group(Value v) {
    const Op op = fn_[v].op;
    if (!seat_.block) {
        if (op != Op::group_any)
            fail_internal(std::string("interp: `") + info(op).name + "` of a thread that is alone");
        return values_.set(v, values_.arg(v, 0) & 1);
    }
    if (info(op).traits & convergent) return values_.set(v, meet(v));
    values_.set(v, seat_.block->position(GroupOp(op), seat_.thread));
}

/// Evaluates the ops of Family::plain, most of which ir::eval does not support.
void ThreadWalk::plain(Value v) {
    const Inst &in = fn_[v];
    const auto arg = [&] { return values_.arg(v, 0); };
    switch (PlainOp(in.op)) {
    case PlainOp::constant: return values_.set(v, in.imm);
    case PlainOp::splat: std::fill_n(values_.words(v), in.type.lanes, arg()); return;
    case PlainOp::iota:
        for (int k = 0; k < in.type.lanes; ++k) values_.words(v)[k] = from_int(in.type.elem, k).bits;
        return;
    case PlainOp::dim:
        return values_.set(v, uint32_t(launch_.args()[abi::extent_slot(uint32_t(arg()), uint32_t(in.imm))]));
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
    case MemoryOp::volatile_load:
        if (seat_.block) seat_.block->pause(seat_.thread); // it may be in a loop that waits for a store
        return access_.load(v);
    case MemoryOp::load: return access_.load(v);
    case MemoryOp::store: return access_.store(v);
    case MemoryOp::masked_load:
    case MemoryOp::masked_store:
    case MemoryOp::gather:
    case MemoryOp::scatter: return access_.masked(v);
    case MemoryOp::block_sync:
    case MemoryOp::group_sync:
        if (seat_.block) meet(v); // a thread that is alone waits for none
        return;
    case MemoryOp::fence: return; // accesses take effect at once
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
    case Family::group: group(v); break;
    case Family::address: {
        const bool of_block = fn_[v].op == Op::shared && seat_.block;
        const uint64_t address = of_block ? seat_.block->shared(v) : access_.address(v);
        values_.set(v, address);
        if (fn_[v].op == Op::reserve && !address) return Flow::exited;
        break;
    }
    case Family::memory: memory(v); break;
    case Family::atomic:
        if (fn_[v].op == Op::atomic_cas && seat_.block)
            seat_.block->pause(seat_.thread); // others may change the memory first
        access_.atomic(v);
        break;
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
