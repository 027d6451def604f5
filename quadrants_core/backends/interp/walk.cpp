#include "backends/interp/walk_state.h"

#include "base/error.h"
#include "device_lib/clock.h"
#include "device_lib/random.h"
#include "runtime/externals.h"

#include <algorithm>
#include <utility>

namespace qd::backends::interpreter {

namespace {

thread_local uint64_t step_limit = 0;

/// Returns what follows an iteration. yielded: the next iteration; broke: the loop ends, with the passed values as results; anything else
/// also ends the enclosing constructs.
Flow after_iteration(Walk &walk, Flow flow, const Loop &loop, std::span<const Value> carried) {
    if (flow == Flow::returned || flow == Flow::broke) return flow;
    const bool halfway = flow == Flow::exited;
    if (!halfway && !walk.leave(loop) && !(loop.flushes && walk.left)) return Flow::yielded;
    if (!loop.flushes) return Flow::exited;
    walk.left = true;
    if (halfway) walk.pass(carried);
    return Flow::broke;
}

} // namespace

void Walk::define(Value v) {
    const Type &t = fn.type(v);
    slot[v.id] = uint32_t(values.size());
    values.resize(values.size() + (t.is_scalar() ? t.lanes : 1));
}

void Walk::start() {
    for (uint32_t i = 1; i < fn.insts.size(); ++i)
        if (fn.insts[i].type.kind != Kind::none) define(Value{i});
    size_t at = 0;
    for (Value p : fn.params) {
        const Type &t = fn.type(p);
        if (t.is_array()) {
            values[slot[p.id]] = at; // slot of its address; the extents follow
            at += abi::argument_slots(true, t.ndim);
        } else {
            uint64_t bits = launch.data.args[at++];
            int n = bits_of(t.elem);
            values[slot[p.id]] = n < 64 ? bits & ((uint64_t(1) << n) - 1) : bits;
        }
    }
}

Flow Walk::block(BlockId b) {
    for (Value v : fn[b].insts) {
        if (is_terminator(fn[v].op)) return terminator(v);
        Flow flow = inst(v);
        if (flow != Flow::yielded) return flow;
    }
    fail_internal("interp: a block without terminator in " + fn.name);
}

/// Runs one iteration of a loop, and releases its heap memory.
Flow Walk::iteration(BlockId body) {
    const HeapMark mark(thread.heap);
    return block(body);
}

void Walk::pass(std::span<const Value> list) {
    passed.clear();
    for (Value v : list) {
        int n = fn.type(v).is_scalar() ? fn.type(v).lanes : 1;
        passed.insert(passed.end(), lanes(v), lanes(v) + n);
    }
}

void Walk::receive(std::span<const Value> list) {
    size_t at = 0;
    for (Value v : list) {
        int n = fn.type(v).is_scalar() ? fn.type(v).lanes : 1;
        for (int i = 0; i < n; ++i) lanes(v)[i] = passed[at++];
    }
}

Flow Walk::terminator(Value v) {
    pass(fn.args(v));
    switch (TerminatorOp(fn[v].op)) {
    case TerminatorOp::yield: return Flow::yielded;
    case TerminatorOp::break_: return Flow::broke;
    case TerminatorOp::continue_: return Flow::continued;
    case TerminatorOp::ret: return Flow::returned;
    case TerminatorOp::exit: return Flow::exited;
    }
    return Flow::exited;
}

Flow Walk::control(Value v) {
    switch (ControlOp(fn[v].op)) {
    case ControlOp::if_: {
        Flow flow = block(fn[v].blocks[arg(v, 0) & 1 ? 0 : 1]);
        if (flow == Flow::yielded) receive(fn.results(v));
        return flow;
    }
    case ControlOp::for_: return for_loop(v);
    case ControlOp::loop: return endless_loop(v);
    case ControlOp::parallel: return parallel(v);
    }
    return Flow::exited;
}

Flow Walk::for_loop(Value v) {
    const Inst &in = fn[v];
    const Loop &loop = fn.loops[in.imm];
    int64_t lo = index(fn.args(v)[0]), hi = index(fn.args(v)[1]);
    std::span<const Value> params = fn[in.blocks[0]].params;
    pass(fn.args(v).subspan(2));
    if (loop.flushes && left) hi = lo;
    for (int64_t n = lo; n < hi; ++n) {
        receive(params.subspan(1));
        int64_t at = loop.reversed ? hi - 1 - (n - lo) : n;
        values[slot[params[0].id]] = from_int(fn.type(params[0]).elem, at).bits;
        Flow flow = loop.heap_persists ? block(in.blocks[0]) : iteration(in.blocks[0]);
        flow = after_iteration(*this, flow, loop, params.subspan(1));
        if (flow == Flow::broke) break;
        if (flow != Flow::yielded) return flow;
    }
    receive(fn.results(v));
    return Flow::yielded;
}

Flow Walk::endless_loop(Value v) {
    const Inst &in = fn[v];
    const Loop &loop = fn.loops[in.imm];
    pass(fn.args(v));
    while (true) {
        receive(fn[in.blocks[0]].params);
        Flow flow = iteration(in.blocks[0]);
        flow = after_iteration(*this, flow, loop, fn[in.blocks[0]].params);
        if (flow == Flow::broke) break;
        if (flow != Flow::yielded) return flow;
    }
    receive(fn.results(v));
    return Flow::yielded;
}

/// Runs every index, the last axis fastest; from the last to the first if the loop runs backward.
Flow Walk::parallel(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> params = fn[in.blocks[0]].params;
    QD_CHECK(!fn.loops[in.imm].cells, "a loop over cells must be lowered first");
    std::vector<int64_t> lo, hi;
    for (size_t a = 0; a < params.size(); ++a) {
        lo.push_back(index(fn.args(v)[2 * a]));
        hi.push_back(index(fn.args(v)[2 * a + 1]));
        if (lo[a] >= hi[a]) return Flow::yielded;
    }
    std::vector<int64_t> at = lo;
    while (true) {
        for (size_t a = 0; a < params.size(); ++a)
            values[slot[params[a].id]] = uint32_t(fn.loops[in.imm].reversed ? lo[a] + hi[a] - 1 - at[a] : at[a]);
        Flow flow = iteration(in.blocks[0]);
        if (flow != Flow::yielded) return flow;
        if (leave(fn.loops[in.imm])) return Flow::exited;
        size_t a = params.size();
        while (a > 0 && ++at[a - 1] == hi[a - 1]) {
            at[a - 1] = lo[a - 1];
            --a;
        }
        if (a == 0) return Flow::yielded;
    }
}

void Walk::pure(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    Constant operands[3];
    for (int lane = 0; lane < in.type.lanes; ++lane) {
        for (size_t i = 0; i < args.size(); ++i) {
            bool wide = fn.type(args[i]).lanes > 1;
            operands[i] = constant(args[i], wide ? lane : 0);
        }
        lanes(v)[lane] = eval(in.op, in.type.elem, {operands, args.size()}).bits;
    }
}

void Walk::reduce(Value v) {
    const Inst &in = fn[v];
    Value from = fn.args(v)[0];
    const Scalar elem = in.type.elem, wide = elem == Scalar::f16 ? Scalar::f32 : elem;
    const auto converted = [](Constant c, Scalar to) { return c.type == to ? c : eval(Op::cast, to, {&c, 1}); };
    Constant sum = converted(constant(from), wide);
    for (int lane = 1; lane < fn.type(from).lanes; ++lane) {
        Constant pair[] = {sum, converted(constant(from, lane), wide)};
        sum = eval(plain_op(in.op), wide, pair);
    }
    values[slot[v.id]] = converted(sum, elem).bits;
}

void Walk::random(Value v) {
    Scalar type = fn.type(v).elem;
    uint64_t bits = 0;
    if (type == Scalar::f64)
        bits = from_double(type, device_lib::random_f64(thread.random)).bits;
    else if (type == Scalar::f32)
        bits = from_double(type, device_lib::random_f32(thread.random)).bits;
    else if (type == Scalar::f16)
        bits = from_double(type, device_lib::random_f16(thread.random)).bits;
    else
        bits = device_lib::random_bits(thread.random, bits_of(type));
    values[slot[v.id]] = bits;
}

/// Calls the print or fail callback with the operands, starting with operand `first`.
void Walk::message(Value v, size_t first) {
    const Inst &in = fn[v];
    std::vector<uint64_t> list;
    for (Value a : fn.args(v).subspan(first)) {
        Constant c = constant(a);
        list.push_back(is_float(c.type)    ? from_double(Scalar::f64, to_double(c)).bits
                       : is_signed(c.type) ? uint64_t(to_int(c))
                                           : c.bits);
    }
    auto report = in.op == Op::print ? launch.host.print : launch.host.fail;
    if (report) report(&launch, &thread, uint32_t(in.imm), list.data());
}

void Walk::external(Value v) {
    const uint64_t imm = fn[v].imm;
    void *function = launch.host.external(imm / external_arguments);
    auto *slots = reinterpret_cast<uint64_t *>(uintptr_t(arg(v, 0)));
    runtime::call_external(function, slots, imm % external_arguments);
}

/// Evaluates the ops of Family::plain, most of which ir::eval does not support.
void Walk::plain(Value v) {
    const Inst &in = fn[v];
    switch (PlainOp(in.op)) {
    case PlainOp::constant: values[slot[v.id]] = in.imm; return;
    case PlainOp::group_any: values[slot[v.id]] = arg(v, 0) & 1; return; // a group has one lane
    case PlainOp::splat: std::fill_n(lanes(v), in.type.lanes, arg(v, 0)); return;
    case PlainOp::iota:
        for (int lane = 0; lane < in.type.lanes; ++lane) lanes(v)[lane] = from_int(in.type.elem, lane).bits;
        return;
    case PlainOp::dim:
        values[slot[v.id]] = uint32_t(launch.data.args[abi::extent_slot(uint32_t(arg(v, 0)), uint32_t(in.imm))]);
        return;
    case PlainOp::chunk_begin: values[slot[v.id]] = uint64_t(begin); return;
    case PlainOp::chunk_end: values[slot[v.id]] = uint64_t(end); return;
    case PlainOp::chunk_step: values[slot[v.id]] = uint64_t(stride); return;
    case PlainOp::select:
    case PlainOp::cast:
    case PlainOp::bitcast: return pure(v);
    }
}

void Walk::memory(Value v) {
    switch (MemoryOp(fn[v].op)) {
    case MemoryOp::load:
    case MemoryOp::volatile_load: return load(v);
    case MemoryOp::store: return store(v);
    case MemoryOp::masked_load:
    case MemoryOp::masked_store:
    case MemoryOp::gather:
    case MemoryOp::scatter: return masked(v);
    case MemoryOp::block_sync: return; // a block has one thread
    }
}

Flow Walk::outside(Value v) {
    const Inst &in = fn[v];
    switch (OutsideOp(in.op)) {
    case OutsideOp::random: random(v); break;
    case OutsideOp::print:
    case OutsideOp::fail: message(v, 0); break;
    case OutsideOp::assert_:
        if (arg(v, 0) & 1) break;
        message(v, 1);
        return Flow::exited;
    case OutsideOp::count:
        if (launch.data.counters && !left)
            __atomic_fetch_add(&launch.data.counters[in.imm], arg(v, 0), __ATOMIC_RELAXED);
        break;
    case OutsideOp::poll: values[slot[v.id]] = stopped(); break;
    case OutsideOp::poll_requests:
        values[slot[v.id]] = stopped() || (launch.data.counts_requested &&
                                           __atomic_load_n(launch.data.counts_requested, __ATOMIC_RELAXED));
        break;
    case OutsideOp::safepoint: {
        const uint32_t asked =
            launch.data.counts_requested ? __atomic_load_n(launch.data.counts_requested, __ATOMIC_RELAXED) : 0;
        values[slot[v.id]] = asked != std::exchange(reported, asked);
        break;
    }
    case OutsideOp::left_early: values[slot[v.id]] = left; break;
    case OutsideOp::serve_requests:
        if (launch.data.counts_requested) __atomic_store_n(launch.data.counts_requested, 0u, __ATOMIC_RELAXED);
        values[slot[v.id]] = stopped();
        break;
    case OutsideOp::clock: values[slot[v.id]] = uint64_t(device_lib::clock()); break;
    case OutsideOp::thread_index: values[slot[v.id]] = thread.index; break;
    case OutsideOp::external: external(v); break;
    case OutsideOp::graph_begin:
    case OutsideOp::graph_end: fail_internal("interp: " + fn.name + " is to be cut into tasks first");
    }
    return Flow::yielded;
}

Flow Walk::inst(Value v) {
    if (step_limit && ++steps > step_limit) fail_internal("interp: too many steps in " + fn.name);
    switch (family(fn[v].op)) {
    case Family::arithmetic:
    case Family::bits:
    case Family::real:
    case Family::comparison: pure(v); break;
    case Family::plain: plain(v); break;
    case Family::reduction: reduce(v); break;
    case Family::address:
        values[slot[v.id]] = address(v);
        if (fn[v].op == Op::reserve && !values[slot[v.id]]) return Flow::exited;
        break;
    case Family::memory: memory(v); break;
    case Family::atomic: atomic(v); break;
    case Family::packed: packed(v); break;
    case Family::cell: about_cells(v); break;
    case Family::step: step(v); break;
    case Family::outside: return outside(v);
    case Family::control: return control(v);
    case Family::terminator:
    case Family::meta: fail_internal(std::string("interp: unexpected `") + info(fn[v].op).name + "` in " + fn.name);
    }
    return Flow::yielded;
}

void limit_steps(uint64_t steps) { step_limit = steps; }

uint32_t argument_slots(const Function &fn) {
    uint32_t n = 0;
    for (Value p : fn.params) n += abi::argument_slots(fn.type(p).is_array(), fn.type(p).ndim);
    return n;
}

Outcome run(const Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t begin, int64_t end,
            int64_t step) {
    Walk walk{fn, launch, thread, begin, end, step};
    walk.start();
    Outcome outcome;
    if (walk.iteration(fn.body) != Flow::returned || walk.left) {
        outcome.how = Left::exited;
        return outcome;
    }
    for (size_t i = 0; i < fn.returns.size(); ++i) outcome.values.push_back({fn.returns[i].elem, walk.passed[i]});
    return outcome;
}

void run_bounds(const Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t out[2]) {
    Walk walk{fn, launch, thread, 0, 0, 1};
    walk.start();
    walk.block(fn.bounds);
    out[0] = int64_t(walk.passed[0]);
    out[1] = int64_t(walk.passed[1]);
}

} // namespace qd::backends::interpreter
