#include "backends/interp/walk.h"

#include "base/error.h"
#include "device_lib/clock.h"
#include "device_lib/random.h"
#include "layout/layout.h"
#include "runtime/externals.h"
#include "runtime/faults.h"
#include "runtime/sparse.h"

#include <cstring>
#include <iterator>

namespace qd::backends::interpreter {

using namespace ir;

namespace {

thread_local uint64_t step_limit = 0;

/// How a block was left.
enum class Flow : uint8_t { yielded, broke, continued, returned, exited };

struct Walk {
    const Function &fn;
    const abi::Launch &launch;
    abi::Thread &thread;
    int64_t begin, end;
    uint64_t steps = 0;
    std::vector<uint32_t> slot = std::vector<uint32_t>(fn.insts.size()); ///< where a value's lanes are in `values`
    std::vector<uint64_t> values = std::vector<uint64_t>(1);
    std::vector<std::vector<uint64_t>> locals = std::vector<std::vector<uint64_t>>(fn.insts.size());
    std::vector<uint64_t> passed;     ///< operands of the terminator just executed, all lanes
    uint64_t known_pages[2][16] = {}; ///< to be read, to be written; there is no memory on page 0

    uint64_t *lanes(Value v) { return &values[slot[v.id]]; }
    uint64_t get(Value v) { return values[slot[v.id]]; }
    Constant constant(Value v, int lane = 0) { return {fn.type(v).elem, lanes(v)[lane]}; }
    int64_t index(Value v) { return to_int(constant(v)); }
    uint64_t arg(Value inst, size_t i) { return get(fn.args(inst)[i]); }

    void start();
    void define(Value v);
    Flow block(BlockId b);
    Flow inst(Value v);
    Flow terminator(Value v);
    Flow control(Value v);
    Flow for_loop(Value v);
    Flow endless_loop(Value v);
    Flow parallel(Value v);
    void pass(std::span<const Value> list);
    void receive(std::span<const Value> list);
    bool stopped() const { return must_leave(launch.data); }
    bool leave(const Loop &loop) const { return loop.interruptible && stopped(); }

    void pure(Value v);
    void reduce(Value v);
    uint64_t address(Value v);
    runtime::SparseTrees &trees() const {
        return const_cast<runtime::SparseTrees &>(static_cast<const runtime::SparseTrees &>(*launch.data.sparse));
    }
    bool sparse_place(Value v) const { return fn[v].op == Op::place && is_sparse(fn.places[fn[v].imm]); }
    uint64_t pointer(Value v, bool writes);
    char *cell(Value place, size_t depth, bool make);
    uint64_t element(Value list);
    void about_cells(Value v);
    void step(Value v);
    void reach(uint64_t address, uint64_t bytes, bool writes);
    uint64_t read(uint64_t address, Scalar type);
    void write(uint64_t address, Constant v);
    void load(Value v);
    void store(Value v);
    void masked(Value v);
    void atomic(Value v);
    void random(Value v);
    void message(Value v, size_t first);
    void external(Value v);
};

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
            values[slot[p.id]] = at; // of its address; the extents follow
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
    switch (fn[v].op) {
    case Op::yield: return Flow::yielded;
    case Op::break_: return Flow::broke;
    case Op::continue_: return Flow::continued;
    case Op::ret: return Flow::returned;
    default: return Flow::exited;
    }
}

Flow Walk::control(Value v) {
    switch (fn[v].op) {
    case Op::if_: {
        Flow flow = block(fn[v].blocks[arg(v, 0) & 1 ? 0 : 1]);
        if (flow == Flow::yielded) receive(fn.results(v));
        return flow;
    }
    case Op::for_: return for_loop(v);
    case Op::loop: return endless_loop(v);
    default: return parallel(v);
    }
}

Flow Walk::for_loop(Value v) {
    const Inst &in = fn[v];
    const Loop &loop = fn.loops[in.imm];
    int64_t lo = index(fn.args(v)[0]), hi = index(fn.args(v)[1]);
    std::span<const Value> params = fn[in.blocks[0]].params;
    pass(fn.args(v).subspan(2));
    for (int64_t n = lo; n < hi; ++n) {
        receive(params.subspan(1));
        int64_t at = loop.reversed ? hi - 1 - (n - lo) : n;
        values[slot[params[0].id]] = from_int(fn.type(params[0]).elem, at).bits;
        Flow flow = block(in.blocks[0]);
        if (flow == Flow::returned || flow == Flow::exited) return flow;
        if (flow == Flow::broke) break;
        if (leave(loop)) return Flow::exited;
    }
    receive(fn.results(v));
    return Flow::yielded;
}

Flow Walk::endless_loop(Value v) {
    const Inst &in = fn[v];
    pass(fn.args(v));
    while (true) {
        receive(fn[in.blocks[0]].params);
        Flow flow = block(in.blocks[0]);
        if (flow == Flow::returned || flow == Flow::exited) return flow;
        if (flow == Flow::broke) break;
        if (leave(fn.loops[in.imm])) return Flow::exited;
    }
    receive(fn.results(v));
    return Flow::yielded;
}

/// Every index, the last axis fastest.
Flow Walk::parallel(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> params = fn[in.blocks[0]].params;
    std::vector<int64_t> lo, hi;
    for (size_t a = 0; a < params.size(); ++a) {
        lo.push_back(index(fn.args(v)[2 * a]));
        hi.push_back(index(fn.args(v)[2 * a + 1]));
        if (lo[a] >= hi[a]) return Flow::yielded;
    }
    std::vector<int64_t> at = lo;
    while (true) {
        for (size_t a = 0; a < params.size(); ++a) values[slot[params[a].id]] = uint32_t(at[a]);
        Flow flow = block(in.blocks[0]);
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
    Op step = in.op == Op::reduce_add ? Op::add : in.op == Op::reduce_min ? Op::min : Op::max;
    Constant sum = constant(from);
    for (int lane = 1; lane < fn.type(from).lanes; ++lane) {
        Constant pair[] = {sum, constant(from, lane)};
        sum = eval(step, in.type.elem, pair);
    }
    values[slot[v.id]] = sum.bits;
}

uint64_t number_of(const void *p) { return uint64_t(reinterpret_cast<uintptr_t>(p)); }
char *at(uint64_t number) { return reinterpret_cast<char *>(uintptr_t(number)); }

/// Where a pointer leads when it is used. A place in a sparse tree finds its cell only then, or makes it.
uint64_t Walk::pointer(Value v, bool writes) {
    if (fn[v].op == Op::offset) return pointer(fn.args(v)[0], writes) + arg(v, 1);
    if (!sparse_place(v)) return get(v);
    const Place &place = fn.places[fn[v].imm];
    return number_of(cell(v, place.levels.size(), writes)) + place.byte_offset;
}

/// The cell of a place `depth` levels below the root.
char *Walk::cell(Value v, size_t depth, bool make) {
    Place place = fn.places[fn[v].imm];
    place.levels.resize(depth);
    place.byte_offset = 0;
    int32_t indices[16] = {};
    for (size_t a = 0; a < fn.args(v).size() && a < 16; ++a) indices[a] = int32_t(index(fn.args(v)[a]));
    return layout::address(place, indices, launch.data.trees[place.tree],
                           [&](const PlaceLevel &level, char *container, uint64_t number) {
                               return make ? trees().make(place.tree, level.node, container, int64_t(number))
                                           : trees().find(place.tree, level.node, container, int64_t(number));
                           });
}

/// is_active, activate, deactivate, append, length.
void Walk::about_cells(Value v) {
    Value named = fn.args(v)[0];
    const Place &place = fn.places[fn[named].imm];
    const PlaceLevel &level = place.levels.back();
    if (fn[v].op == Op::activate) {
        cell(named, place.levels.size(), true);
        return;
    }
    char *container = cell(named, place.levels.size() - 1, fn[v].op == Op::append) + level.start;
    int32_t indices[16] = {};
    for (size_t a = 0; a < fn.args(named).size() && a < 16; ++a) indices[a] = int32_t(index(fn.args(named)[a]));
    int64_t number = int64_t(layout::cell_number(place, level, indices));
    switch (fn[v].op) {
    case Op::is_active: values[slot[v.id]] = trees().exists(place.tree, level.node, container, number); return;
    case Op::deactivate: return trees().drop(place.tree, level.node, container, number);
    case Op::append: values[slot[v.id]] = uint32_t(trees().append(place.tree, level.node, container)); return;
    default: values[slot[v.id]] = *reinterpret_cast<uint32_t *>(container); return; // length
    }
}

/// The steps that about_cells and pointers consist of.
void Walk::step(Value v) {
    const Inst &in = fn[v];
    const Place &place = fn.places[place_of(in)];
    uint32_t node = place.levels[level_of(in)].node;
    char *container = at(arg(v, 0));
    int64_t number = in.args.size > 1 ? index(fn.args(v)[1]) : 0;
    switch (in.op) {
    case Op::find_cell: values[slot[v.id]] = number_of(trees().find(place.tree, node, container, number)); return;
    case Op::make_cell: values[slot[v.id]] = number_of(trees().make(place.tree, node, container, number)); return;
    case Op::drop_cell: return trees().drop(place.tree, node, container, number);
    case Op::has_cell: values[slot[v.id]] = trees().exists(place.tree, node, container, number); return;
    case Op::new_cell: values[slot[v.id]] = uint32_t(trees().append(place.tree, node, container)); return;
    default: values[slot[v.id]] = *reinterpret_cast<uint32_t *>(container); return; // count_cells
    }
}

uint64_t Walk::element(Value v) {
    const Place &place = fn.places[place_of(fn[v])];
    const char *elements = trees().elements(place.tree, place.levels.back().node);
    return number_of(elements) + uint64_t(index(fn.args(v)[0])) * abi::list_element_bytes(place.shape.size());
}

uint64_t Walk::address(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    switch (in.op) {
    case Op::element: {
        const Type &array = fn.type(args[0]);
        uint64_t header = get(args[0]);
        int64_t cell = 0;
        for (size_t a = 0; a < array.ndim; ++a)
            cell =
                cell * int64_t(launch.data.args[abi::extent_slot(uint32_t(header), uint32_t(a))]) + index(args[a + 1]);
        int64_t component = cell * array.rows * array.cols + index(args[array.ndim + 1u]);
        return launch.data.args[header] + uint64_t(component * size_of(array.elem));
    }
    case Op::place: {
        const Place &place = fn.places[in.imm];
        if (is_sparse(place)) return 0; // see `pointer`
        int32_t indices[16] = {};
        for (size_t a = 0; a < args.size() && a < 16; ++a) indices[a] = int32_t(index(args[a]));
        return uint64_t(reinterpret_cast<uintptr_t>(launch.data.trees[place.tree])) + layout::address(place, indices);
    }
    case Op::array_base: return launch.data.args[get(args[0])];
    case Op::tree_base: return uint64_t(reinterpret_cast<uintptr_t>(launch.data.trees[in.imm]));
    case Op::tmp: return uint64_t(reinterpret_cast<uintptr_t>(launch.data.tmp)) + in.imm;
    case Op::ret_slot: return uint64_t(reinterpret_cast<uintptr_t>(launch.data.ret)) + in.imm;
    case Op::offset: return get(args[0]) + get(args[1]);
    default: { // local
        std::vector<uint64_t> &memory = locals[v.id];
        memory.assign(size_t((in.imm * uint64_t(size_of(in.type.elem)) + 7) / 8), 0);
        return uint64_t(reinterpret_cast<uintptr_t>(memory.data()));
    }
    }
}

/// Throws runtime::Fault where there is no memory. Pages that were met are known for the rest of the run.
void Walk::reach(uint64_t address, uint64_t bytes, bool writes) {
    for (const uint64_t at : {address, address + bytes - 1}) {
        const uint64_t page = at / runtime::page_bytes;
        uint64_t &known = known_pages[writes][page % std::size(known_pages[writes])];
        if (known == page) continue;
        runtime::probe(at, writes);
        known = page;
    }
}

uint64_t Walk::read(uint64_t address, Scalar type) {
    reach(address, uint64_t(size_of(type)), false);
    uint64_t bits = 0;
    std::memcpy(&bits, at(address), size_t(size_of(type)));
    return type == Scalar::u1 ? bits & 1 : bits;
}

void Walk::write(uint64_t address, Constant v) {
    reach(address, uint64_t(size_of(v.type)), true);
    std::memcpy(at(address), &v.bits, size_t(size_of(v.type)));
}

void Walk::load(Value v) {
    const Type &t = fn.type(v);
    uint64_t from = pointer(fn.args(v)[0], false);
    for (int lane = 0; lane < t.lanes; ++lane) lanes(v)[lane] = read(from + uint64_t(lane * size_of(t.elem)), t.elem);
}

void Walk::store(Value v) {
    Value value = fn.args(v)[1];
    const Type &t = fn.type(value);
    uint64_t to = pointer(fn.args(v)[0], true);
    for (int lane = 0; lane < t.lanes; ++lane) write(to + uint64_t(lane * size_of(t.elem)), constant(value, lane));
}

/// masked_load, masked_store, gather, scatter.
void Walk::masked(Value v) {
    Op op = fn[v].op;
    std::span<const Value> args = fn.args(v);
    bool far = op == Op::gather || op == Op::scatter, reads = op == Op::masked_load || op == Op::gather;
    Value value = reads ? v : args[far ? 2 : 1];
    Value mask = op == Op::masked_load ? args[1] : args.back();
    const Type &t = fn.type(value);
    for (int lane = 0; lane < t.lanes; ++lane) {
        uint64_t at = arg(v, 0) + (far ? lanes(args[1])[lane] : uint64_t(lane * size_of(t.elem)));
        bool on = lanes(mask)[lane] & 1;
        if (reads)
            lanes(v)[lane] = on ? read(at, t.elem) : far ? 0 : lanes(args[2])[lane];
        else if (on)
            write(at, constant(value, lane));
    }
}

Op combining(Op atomic) {
    switch (atomic) {
    case Op::atomic_add: return Op::add;
    case Op::atomic_mul: return Op::mul;
    case Op::atomic_min: return Op::min;
    case Op::atomic_max: return Op::max;
    case Op::atomic_and: return Op::band;
    case Op::atomic_or: return Op::bor;
    default: return Op::bxor;
    }
}

void Walk::atomic(Value v) {
    const Inst &in = fn[v];
    uint64_t at = pointer(fn.args(v)[0], true);
    Constant old{in.type.elem, read(at, in.type.elem)};
    Constant operand = constant(fn.args(v)[1]);
    if (in.op == Op::atomic_xchg) {
        write(at, operand);
    } else if (in.op == Op::atomic_cas) {
        if (old == operand) write(at, constant(fn.args(v)[2]));
    } else {
        Constant pair[] = {old, operand};
        write(at, eval(combining(in.op), in.type.elem, pair));
    }
    values[slot[v.id]] = old.bits;
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

/// Hands the operands from `first` on to the print or fail callback.
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

Flow Walk::inst(Value v) {
    const Inst &in = fn[v];
    if (step_limit && ++steps > step_limit) fail_internal("interp: too many steps in " + fn.name);
    if (can_eval(in.op)) {
        pure(v);
        return Flow::yielded;
    }
    if (info(in.op).traits & Trait::atomic) {
        atomic(v);
        return Flow::yielded;
    }
    switch (in.op) {
    case Op::constant:
    case Op::splat:
        for (int lane = 0; lane < in.type.lanes; ++lane) lanes(v)[lane] = in.op == Op::splat ? arg(v, 0) : in.imm;
        break;
    case Op::iota:
        for (int lane = 0; lane < in.type.lanes; ++lane) lanes(v)[lane] = from_int(in.type.elem, lane).bits;
        break;
    case Op::reduce_add:
    case Op::reduce_min:
    case Op::reduce_max: reduce(v); break;
    case Op::dim:
        values[slot[v.id]] = uint32_t(launch.data.args[abi::extent_slot(uint32_t(arg(v, 0)), uint32_t(in.imm))]);
        break;
    case Op::element:
    case Op::place:
    case Op::array_base:
    case Op::tree_base:
    case Op::tmp:
    case Op::ret_slot:
    case Op::offset:
    case Op::local: values[slot[v.id]] = address(v); break;
    case Op::load: load(v); break;
    case Op::store: store(v); break;
    case Op::masked_load:
    case Op::masked_store:
    case Op::gather:
    case Op::scatter: masked(v); break;
    case Op::is_active:
    case Op::activate:
    case Op::deactivate:
    case Op::append:
    case Op::length: about_cells(v); break;
    case Op::address: values[slot[v.id]] = pointer(fn.args(v)[0], false); break;
    case Op::find_cell:
    case Op::make_cell:
    case Op::drop_cell:
    case Op::has_cell:
    case Op::new_cell:
    case Op::count_cells: step(v); break;
    case Op::list: {
        const Place &place = fn.places[place_of(in)];
        values[slot[v.id]] = uint32_t(trees().make_list(place.tree, place.levels.back().node));
        break;
    }
    case Op::list_cell: values[slot[v.id]] = read(element(v), Scalar::u64); break;
    case Op::list_value: values[slot[v.id]] = read(element(v) + 8 + 4 * level_of(in), Scalar::i32); break;
    case Op::own_index: values[slot[v.id]] = arg(v, 0); break;
    case Op::random: random(v); break;
    case Op::print: message(v, 0); break;
    case Op::assert_:
        if (arg(v, 0) & 1) break;
        message(v, 1);
        return Flow::exited;
    case Op::count:
        if (launch.data.counters) __atomic_fetch_add(&launch.data.counters[in.imm], arg(v, 0), __ATOMIC_RELAXED);
        break;
    case Op::poll: values[slot[v.id]] = stopped(); break;
    case Op::asked:
        values[slot[v.id]] = stopped() || (launch.data.asked && __atomic_load_n(launch.data.asked, __ATOMIC_RELAXED));
        break;
    case Op::answer:
        if (launch.data.asked) __atomic_store_n(launch.data.asked, 0u, __ATOMIC_RELAXED);
        values[slot[v.id]] = stopped();
        break;
    case Op::clock: values[slot[v.id]] = uint64_t(device_lib::clock()); break;
    case Op::thread_index: values[slot[v.id]] = thread.index; break;
    case Op::external: external(v); break;
    case Op::chunk_begin: values[slot[v.id]] = uint64_t(begin); break;
    case Op::chunk_end: values[slot[v.id]] = uint64_t(end); break;
    case Op::if_:
    case Op::for_:
    case Op::loop:
    case Op::parallel: return control(v);
    default: fail_internal(std::string("interp: unexpected `") + info(in.op).name + "` in " + fn.name);
    }
    return Flow::yielded;
}

} // namespace

void limit_steps(uint64_t steps) { step_limit = steps; }

uint32_t argument_slots(const Function &fn) {
    uint32_t n = 0;
    for (Value p : fn.params) n += abi::argument_slots(fn.type(p).is_array(), fn.type(p).ndim);
    return n;
}

Outcome run(const Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t begin, int64_t end) {
    Walk walk{fn, launch, thread, begin, end};
    walk.start();
    Outcome outcome;
    if (walk.block(fn.body) != Flow::returned) {
        outcome.how = Left::exited;
        return outcome;
    }
    for (size_t i = 0; i < fn.returns.size(); ++i) outcome.values.push_back({fn.returns[i].elem, walk.passed[i]});
    return outcome;
}

void run_bounds(const Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t out[2]) {
    Walk walk{fn, launch, thread, 0, 0};
    walk.start();
    walk.block(fn.bounds);
    out[0] = int64_t(walk.passed[0]);
    out[1] = int64_t(walk.passed[1]);
}

} // namespace qd::backends::interpreter
