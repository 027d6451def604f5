// Emits functions and structured control flow:
//
//   if c: A else: B         selection merge M; branch c, A, B; A: .. branch M; B: .. branch M; M: phis
//   for i in lo .. hi       H: phis; loop merge M, C; branch i < hi, body, M;  C: phis; i + 1; branch H;  M: phis
//   loop                    H: phis; loop merge M, C; branch body;  C: phis; branch H;  M: phis
//
// `yield` and `continue` of a loop branch to C, `break` to M. Every block of SPIR-V follows the blocks that dominate it.
#include "codegen/spirv/emitter.h"

#include "analysis/uses.h"

#include <algorithm>
#include <array>

namespace qd::codegen::spirv {

using ir::ControlOp;
using ir::MemoryOp;
using ir::OutsideOp;
using ir::TerminatorOp;

std::vector<uint32_t> emit(const ir::Function &task, const Capabilities &has, uint32_t lanes) {
    return Emitter(task, has, lanes).run();
}

Emitter::Emitter(const ir::Function &task, const Capabilities &has, uint32_t lanes)
    : code_(task, has), fn_(task), frame_(code_), arithmetic_(code_, frame_), memory_(code_, frame_),
      updates_(code_, memory_, arithmetic_), groups_(code_, frame_, arithmetic_, lanes) {}

std::vector<uint32_t> Emitter::run() {
    if (fn_.role == ir::Role::kernel) code_.refuse("only tasks can be compiled; cut the kernel into tasks first");
    frame_.begin();
    const std::vector<uint32_t> uses = analysis::use_counts(fn_);
    for (const Value p : fn_.params)
        if (fn_.type(p).is_scalar() && uses[p.id]) code_.set(p, frame_.argument(p));
    block(fn_.body);
    return code_.module.finish();
}

void Emitter::block(ir::BlockId id) {
    for (const Value v : fn_[id].insts) instruction(v);
}

void Emitter::instruction(Value v) {
    const Value around = code_.current;
    code_.current = v;
    switch (ir::family(fn_[v].op)) {
    case Family::meta: break;
    case Family::plain:
    case Family::arithmetic:
    case Family::bits:
    case Family::real:
    case Family::comparison: code_.set(v, arithmetic_.pure(v)); break;
    case Family::reduction: code_.refuse("a device has no vectors");
    case Family::address: memory_.address(v); break;
    case Family::memory: memory(v); break;
    case Family::atomic: updates_.atomic(v); break;
    case Family::group: code_.set(v, groups_.group(v)); break;
    case Family::packed: code_.refuse("must be lowered to words first");
    case Family::cell:
        if (fn_[v].op != Op::address) code_.refuse("a device has no sparse trees");
        code_.set(v, code_.arg(v, 0)); // a pointer is its address
        break;
    case Family::step: code_.refuse("a device has no sparse trees");
    case Family::outside: outside(v); break;
    case Family::control: control(v); break;
    case Family::terminator: terminator(v); break;
    }
    code_.current = around;
}

void Emitter::memory(Value v) {
    switch (MemoryOp(fn_[v].op)) {
    case MemoryOp::load: return memory_.load(v);
    case MemoryOp::store: return memory_.store(v);
    case MemoryOp::volatile_load: return memory_.volatile_load(v);
    case MemoryOp::fence: return memory_.fence(ir::FenceScope(fn_[v].imm));
    case MemoryOp::block_sync: return memory_.barrier(spv::Scope::Workgroup);
    case MemoryOp::group_sync: return memory_.barrier(spv::Scope::Subgroup);
    case MemoryOp::masked_load:
    case MemoryOp::masked_store:
    case MemoryOp::gather:
    case MemoryOp::scatter: code_.refuse("a device has no vectors");
    }
}

/// Requests of the host are looked at between tasks only.
void Emitter::outside(Value v) {
    switch (OutsideOp(fn_[v].op)) {
    case OutsideOp::random:
    case OutsideOp::assert_:
    case OutsideOp::count: code_.refuse("must be lowered first");
    case OutsideOp::print:
    case OutsideOp::fail: code_.refuse("a device has no way to hand a message to the host");
    case OutsideOp::poll:
    case OutsideOp::poll_requests:
    case OutsideOp::safepoint:
    case OutsideOp::serve_requests:
    case OutsideOp::left_early: return code_.set(v, code_.module.boolean(false)); // no loop is left early
    case OutsideOp::clock: return code_.set(v, clock());
    case OutsideOp::thread_index: return code_.set(v, frame_.index_in_grid());
    case OutsideOp::external: code_.refuse("a device cannot call a library of the host");
    case OutsideOp::graph_begin:
    case OutsideOp::graph_end: code_.refuse("must be cut into tasks first");
    }
}

Id Emitter::clock() {
    if (!code_.has.has(Capability::ShaderClockKHR)) return code_.whole(64, 0);
    code_.need(Capability::ShaderClockKHR);
    return code_.op(spv::Op::OpReadClockKHR, code_.integer(64), {code_.whole(32, uint32_t(spv::Scope::Subgroup))});
}

void Emitter::control(Value v) {
    switch (ControlOp(fn_[v].op)) {
    case ControlOp::if_: return if_op(v);
    case ControlOp::for_: return for_op(v);
    case ControlOp::loop: return loop_op(v);
    case ControlOp::parallel: code_.refuse("must be turned into the code of a thread first");
    }
}

void Emitter::terminator(Value v) {
    const std::span<const Value> args = fn_.args(v);
    const auto loop = std::ranges::find_if(regions_.rbegin(), regions_.rend(), &Region::is_loop);
    switch (TerminatorOp(fn_[v].op)) {
    case TerminatorOp::yield:
        if (regions_.empty()) code_.refuse("a device does not compute ranges");
        return jump(*regions_.back().yield, args);
    case TerminatorOp::break_:
        if (loop == regions_.rend()) code_.refuse("outside a loop");
        return jump(*loop->leave, args);
    case TerminatorOp::continue_:
        if (loop == regions_.rend()) code_.refuse("outside a loop");
        return jump(*loop->yield, args);
    case TerminatorOp::ret:
        if (!args.empty()) code_.refuse("a task returns through ret_slot");
        return code_.put(spv::Op::OpReturn, {});
    case TerminatorOp::exit:
        if (std::ranges::any_of(regions_, &Region::flushes))
            code_.refuse("a device cannot leave a loop whose sums are still to be stored");
        return code_.put(spv::Op::OpReturn, {});
    }
}

Emitter::Exit Emitter::make_exit(std::span<const Value> like) {
    Exit exit;
    exit.label = code_.module.fresh();
    for (const Value v : like) {
        exit.types.push_back(code_.type(fn_.type(v)));
        exit.results.push_back(code_.module.fresh());
    }
    exit.values.resize(like.size());
    return exit;
}

void Emitter::come_from(Exit &to, std::span<const Id> values) {
    to.reached = true;
    for (size_t i = 0; i < to.results.size(); ++i) {
        to.values[i].push_back(values[i]);
        to.values[i].push_back(code_.block);
    }
}

void Emitter::jump(Exit &to, std::span<const Value> values) {
    if (values.size() < to.results.size()) code_.refuse("too few values for a block");
    std::vector<Id> ids;
    for (size_t i = 0; i < to.results.size(); ++i) ids.push_back(code_.get(values[i]));
    come_from(to, ids);
    branch(to.label);
}

/// A block that no branch reaches has no values.
void Emitter::enter(Exit &exit) {
    code_.label(exit.label);
    for (size_t i = 0; i < exit.results.size(); ++i) {
        std::vector<uint32_t> operands = {exit.types[i], exit.results[i]};
        if (exit.reached) operands.insert(operands.end(), exit.values[i].begin(), exit.values[i].end());
        code_.module.put(TaskCode::Part::code, exit.reached ? spv::Op::OpPhi : spv::Op::OpUndef, operands);
    }
}

void Emitter::bind(const Exit &exit, std::span<const Value> results) {
    for (size_t i = 0; i < results.size() && i < exit.results.size(); ++i) code_.set(results[i], exit.results[i]);
}

void Emitter::if_op(Value v) {
    Exit merge = make_exit(fn_.results(v));
    const Id condition = code_.arg(v, 0);
    const std::array sides = {code_.module.fresh(), code_.module.fresh()};
    code_.put(spv::Op::OpSelectionMerge, {merge.label, uint32_t(spv::SelectionControlMask::MaskNone)});
    code_.put(spv::Op::OpBranchConditional, {condition, sides[0], sides[1]});
    for (size_t side = 0; side < sides.size(); ++side) {
        code_.label(sides[side]);
        regions_.push_back({&merge, nullptr});
        block(fn_[v].blocks[side]);
        regions_.pop_back();
    }
    enter(merge);
    bind(merge, fn_.results(v));
}

void Emitter::carry(Value v, Id before, const Exit &again) {
    const std::span<const Value> params = std::span(fn_[fn_[v].blocks[0]].params).last(again.results.size());
    const std::span<const Value> inits = fn_.args(v).last(again.results.size());
    for (size_t i = 0; i < params.size(); ++i)
        code_.set(params[i], code_.op(spv::Op::OpPhi, again.types[i],
                                      {code_.get(inits[i]), before, again.results[i], again.label}));
}

template <class Next> void Emitter::loop_body(Value v, Region &region, const Next &next) {
    regions_.push_back(region);
    block(fn_[v].blocks[0]);
    regions_.pop_back();
    enter(*region.yield);
    next();
    enter(*region.leave);
    bind(*region.leave, fn_.results(v));
}

/// A loop that runs down counts the index above the current one.
void Emitter::for_op(Value v) {
    const std::span<const Value> args = fn_.args(v), params = fn_[fn_[v].blocks[0]].params;
    const ir::Loop &flags = fn_.loops.at(fn_[v].imm);
    const Scalar t = fn_.type(args[0]).elem;
    const Id type = code_.scalar(t), lower = code_.get(args[0]), upper = code_.get(args[1]), one = code_.constant(t, 1);
    Exit again = make_exit(params.subspan(1)), leave = make_exit(fn_.results(v));
    Region region{&again, &leave, flags.flushes};
    const Id header = code_.module.fresh(), body = code_.module.fresh(), next = code_.module.fresh();
    const Id before = code_.block;
    branch(header);
    code_.label(header);
    const Id counter = code_.op(spv::Op::OpPhi, type, {flags.reversed ? upper : lower, before, next, again.label});
    carry(v, before, again);
    const Id low = flags.reversed ? lower : counter, high = flags.reversed ? counter : upper;
    const Id runs = code_.boolean(ir::is_signed(t) ? spv::Op::OpSLessThan : spv::Op::OpULessThan, {low, high});
    std::vector<Id> carried;
    for (const Value p : params.subspan(1)) carried.push_back(code_.get(p));
    come_from(leave, carried);
    code_.put(spv::Op::OpLoopMerge, {leave.label, again.label, uint32_t(spv::LoopControlMask::MaskNone)});
    code_.put(spv::Op::OpBranchConditional, {runs, body, leave.label});
    code_.label(body);
    code_.set(params[0], flags.reversed ? code_.op(spv::Op::OpISub, type, {counter, one}) : counter);
    loop_body(v, region, [&] {
        const Id from = flags.reversed ? code_.get(params[0]) : counter;
        const Id step = flags.reversed ? code_.constant(t, 0) : one;
        code_.put(spv::Op::OpIAdd, {type, next, from, step});
        branch(header);
    });
}

void Emitter::loop_op(Value v) {
    const std::span<const Value> params = fn_[fn_[v].blocks[0]].params;
    Exit again = make_exit(params), leave = make_exit(fn_.results(v));
    Region region{&again, &leave, fn_.loops.at(fn_[v].imm).flushes};
    const Id header = code_.module.fresh(), body = code_.module.fresh(), before = code_.block;
    branch(header);
    code_.label(header);
    carry(v, before, again);
    code_.put(spv::Op::OpLoopMerge, {leave.label, again.label, uint32_t(spv::LoopControlMask::MaskNone)});
    branch(body);
    code_.label(body);
    loop_body(v, region, [&] { branch(header); });
}

} // namespace qd::codegen::spirv
