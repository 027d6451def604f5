#include "backends/interp/access.h"

#include "layout/layout.h"

#include <algorithm>
#include <utility>

namespace qd::backends::interpreter {

uint64_t Access::reserve(Value v) {
    abi::Heap &heap = thread_.heap;
    const uint64_t entries = values_.arg(v, 0), size = entry_bytes(fn()[v]);
    const bool countable = entries < uint64_t(1) << 31;
    const uint64_t bytes = countable ? (entries * size + 7) / 8 * 8 : UINT64_MAX;
    if (stack_of(fn()[v]) < abi::counted_stacks) {
        uint64_t &most = heap.entries[stack_of(fn()[v])];
        most = std::max(most, uint64_t(reserve_lanes(fn()[v])) << 32 | entries);
    }
    if (bytes > uint64_t(heap.end - heap.top))
        return number_of(launch_.stream.host->reserve(&launch_, &thread_, bytes, stack_of(fn()[v])));
    heap.used += bytes;
    heap.peak = std::max(heap.peak, heap.used);
    return number_of(std::exchange(heap.top, heap.top + bytes));
}

uint64_t Access::element(Value v) {
    std::span<const Value> args = fn().args(v);
    const Type &array = fn().type(args[0]);
    const uint64_t header = values_.get(args[0]);
    int64_t cell = 0;
    for (size_t a = 0; a < array.ndim; ++a)
        cell = cell * int64_t(launch_.args()[abi::extent_slot(uint32_t(header), uint32_t(a))]) +
               values_.index(args[a + 1]);
    const int64_t component = cell * array.rows * array.cols + values_.index(args[array.ndim + 1u]);
    return launch_.args()[header] + uint64_t(component * size_of(array.elem));
}

uint64_t Access::place(Value v) {
    std::span<const Value> args = fn().args(v);
    const Place &place = fn().places[fn()[v].imm];
    if (is_sparse(place)) return 0; // see Cells::pointer
    int32_t indices[16] = {};
    for (size_t a = 0; a < args.size() && a < 16; ++a) indices[a] = int32_t(values_.index(args[a]));
    return number_of(launch_.stream.trees[place.tree]) + layout::address(place, indices);
}

uint64_t Access::address(Value v) {
    const Inst &in = fn()[v];
    const auto arg = [&](size_t i) { return values_.arg(v, i); };
    switch (AddressOp(in.op)) {
    case AddressOp::element: return element(v);
    case AddressOp::place: return place(v);
    case AddressOp::array_base: return launch_.args()[arg(0)];
    case AddressOp::tree_base: return number_of(launch_.stream.trees[in.imm]);
    case AddressOp::tmp: return number_of(launch_.stream.tmp) + in.imm;
    case AddressOp::ret_slot: return number_of(launch_.ret) + in.imm;
    case AddressOp::count_slot: return number_of(launch_.counters) + 8 * in.imm;
    case AddressOp::random_state: return number_of(thread_.random);
    case AddressOp::offset: return arg(0) + arg(1);
    case AddressOp::reserve: return reserve(v);
    case AddressOp::stack: return arg(0);
    case AddressOp::table: return memory_.table(v);
    case AddressOp::shared: // a block has one thread
    case AddressOp::local: return memory_.make(v);
    }
    return 0;
}

uint64_t Access::checked(Value v, uint64_t bytes, bool writes) {
    const Value pointer = fn().args(v)[0];
    const uint64_t at = cells_.pointer(pointer, writes);
    memory_.check_bounds(pointer, at, bytes, writes);
    return at;
}

void Access::load(Value v) {
    const Type &t = fn().type(v);
    const uint64_t size = uint64_t(size_of(t.elem)), from = checked(v, t.lanes * size, false);
    for (unsigned k = 0; k < t.lanes; ++k) values_.words(v)[k] = memory_.read(from + k * size, t.elem);
}

void Access::store(Value v) {
    const Value value = fn().args(v)[1];
    const Type &t = fn().type(value);
    const uint64_t size = uint64_t(size_of(t.elem)), to = checked(v, t.lanes * size, true);
    for (unsigned k = 0; k < t.lanes; ++k) memory_.write(to + k * size, values_.constant(value, int(k)));
}

void Access::masked(Value v) {
    const Op op = fn()[v].op;
    std::span<const Value> args = fn().args(v);
    const bool far = op == Op::gather || op == Op::scatter, reads = op == Op::masked_load || op == Op::gather;
    const Value value = reads ? v : args[far ? 2 : 1];
    const Value mask = op == Op::masked_load ? args[1] : args.back();
    const Type &t = fn().type(value);
    for (int k = 0; k < t.lanes; ++k) {
        const uint64_t at = values_.arg(v, 0) + (far ? values_.words(args[1])[k] : uint64_t(k * size_of(t.elem)));
        const bool on = values_.words(mask)[k] & 1;
        if (on) memory_.check_bounds(args[0], at, uint64_t(size_of(t.elem)), !reads);
        if (reads)
            values_.words(v)[k] = on ? memory_.read(at, t.elem) : far ? 0 : values_.words(args[2])[k];
        else if (on)
            memory_.write(at, values_.constant(value, k));
    }
}

void Access::atomic(Value v) {
    const Inst &in = fn()[v];
    const uint64_t at = checked(v, uint64_t(size_of(in.type.elem)), true);
    const Constant old{in.type.elem, memory_.read(at, in.type.elem)};
    const Constant operand = values_.constant(fn().args(v)[1]);
    if (in.op == Op::atomic_xchg) {
        memory_.write(at, operand);
    } else if (in.op == Op::atomic_cas) {
        if (old == operand) memory_.write(at, values_.constant(fn().args(v)[2]));
    } else {
        Constant pair[] = {old, operand};
        memory_.write(at, eval(plain_op(in.op), in.type.elem, pair));
    }
    values_.set(v, old.bits);
}

} // namespace qd::backends::interpreter
