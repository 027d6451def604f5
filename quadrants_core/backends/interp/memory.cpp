#include "backends/interp/walk_state.h"
#include "layout/layout.h"
#include "runtime/faults.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace qd::backends::interpreter {

namespace {

uint64_t number_of(const void *p) { return uint64_t(reinterpret_cast<uintptr_t>(p)); }
char *at(uint64_t number) { return reinterpret_cast<char *>(uintptr_t(number)); }

} // namespace

/// Throws runtime::Fault if the bytes cannot be accessed. Pages found accessible are cached for the rest of the run.
void Walk::check_accessible(uint64_t address, uint64_t bytes, bool writes) {
    for (const uint64_t at : {address, address + bytes - 1}) {
        const uint64_t page = at / runtime::page_bytes;
        uint64_t &known = known_pages[writes][page % std::size(known_pages[writes])];
        if (known == page) continue;
        runtime::probe(at, writes);
        known = page;
    }
}

/// Throws runtime::Fault if an access leaves its local, table or shared memory, whose size is known. Pointers that passed through control
/// flow are not checked.
void Walk::check_bounds(Value pointer, uint64_t address, uint64_t bytes, bool writes) const {
    if (fn.type(pointer).space == Space::global) return;
    while (fn[pointer].op == Op::offset) pointer = fn.args(pointer)[0];
    const Inst &made = fn[pointer];
    const std::vector<uint64_t> &memory = locals[pointer.id];
    if (memory.empty()) return;
    const uint64_t count = made.op == Op::table ? fn.tables[made.imm].values.size() : made.imm;
    const uint64_t begin = number_of(memory.data()), end = begin + count * uint64_t(size_of(made.type.elem));
    if (address >= begin && address <= end && bytes <= end - address) return;
    runtime::Fault fault;
    fault.kind = writes ? runtime::Fault::Kind::write : runtime::Fault::Kind::read;
    fault.has_address = true;
    fault.address = uintptr_t(address);
    throw fault;
}

uint64_t Walk::read(uint64_t address, Scalar type) {
    check_accessible(address, uint64_t(size_of(type)), false);
    uint64_t bits = 0;
    std::memcpy(&bits, at(address), size_t(size_of(type)));
    return type == Scalar::u1 ? bits & 1 : bits;
}

void Walk::write(uint64_t address, Constant v) {
    check_accessible(address, uint64_t(size_of(v.type)), true);
    std::memcpy(at(address), &v.bits, size_t(size_of(v.type)));
}

uint64_t Walk::reserve(Value v) {
    abi::Heap &heap = thread.heap;
    const uint64_t entries = arg(v, 0), size = entry_bytes(fn[v]);
    const bool countable = entries < uint64_t(1) << 31;
    const uint64_t bytes = countable ? (entries * size + 7) / 8 * 8 : UINT64_MAX;
    if (stack_of(fn[v]) < abi::counted_stacks) {
        uint64_t &most = heap.entries[stack_of(fn[v])];
        most = std::max(most, uint64_t(reserve_lanes(fn[v])) << 32 | entries);
    }
    if (bytes > uint64_t(heap.end - heap.top))
        return number_of(launch.host.reserve(&launch, &thread, bytes, stack_of(fn[v])));
    heap.used += bytes;
    heap.peak = std::max(heap.peak, heap.used);
    return number_of(std::exchange(heap.top, heap.top + bytes));
}

/// Returns the address of a pointer at its use. For a place in a sparse tree, only the use looks up the cell, or creates it if `writes`.
uint64_t Walk::pointer(Value v, bool writes) {
    if (fn[v].op == Op::offset) return pointer(fn.args(v)[0], writes) + arg(v, 1);
    if (!sparse_place(v)) return get(v);
    const Place &place = fn.places[fn[v].imm];
    return number_of(cell(v, place.levels.size(), writes)) + place.byte_offset;
}

/// Returns the cell, `depth` levels below the root, that contains a place; `make`: creates missing cells.
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

void Walk::about_cells(Value v) {
    const CellOp op = CellOp(fn[v].op);
    if (op == CellOp::address) {
        values[slot[v.id]] = pointer(fn.args(v)[0], false);
        return;
    }
    Value named = fn.args(v)[0];
    const Place &place = fn.places[fn[named].imm];
    const PlaceLevel &level = place.levels.back();
    if (op == CellOp::activate) {
        cell(named, place.levels.size(), true);
        return;
    }
    char *container = cell(named, place.levels.size() - 1, op == CellOp::append) + level.start;
    int32_t indices[16] = {};
    for (size_t a = 0; a < fn.args(named).size() && a < 16; ++a) indices[a] = int32_t(index(fn.args(named)[a]));
    int64_t number = int64_t(layout::cell_number(place, level, indices));
    switch (op) {
    case CellOp::is_active: values[slot[v.id]] = trees().exists(place.tree, level.node, container, number); return;
    case CellOp::deactivate: return trees().drop(place.tree, level.node, container, number);
    case CellOp::append: values[slot[v.id]] = uint32_t(trees().append(place.tree, level.node, container)); return;
    case CellOp::length: values[slot[v.id]] = *reinterpret_cast<uint32_t *>(container); return;
    case CellOp::activate:
    case CellOp::address: return;
    }
}

/// Executes the ops that ops on cells and sparse pointers are lowered to, and those on lists of cells.
void Walk::step(Value v) {
    const Inst &in = fn[v];
    const Place &place = fn.places[place_of(in)];
    const auto node = [&] { return place.levels[level_of(in)].node; };
    const auto container = [&] { return at(arg(v, 0)); };
    const auto number = [&] { return index(fn.args(v)[1]); };
    uint64_t result = 0;
    switch (StepOp(in.op)) {
    case StepOp::find_cell: result = number_of(trees().find(place.tree, node(), container(), number())); break;
    case StepOp::make_cell: result = number_of(trees().make(place.tree, node(), container(), number())); break;
    case StepOp::drop_cell: return trees().drop(place.tree, node(), container(), number());
    case StepOp::has_cell: result = trees().exists(place.tree, node(), container(), number()); break;
    case StepOp::new_cell: result = uint32_t(trees().append(place.tree, node(), container())); break;
    case StepOp::count_cells: result = *reinterpret_cast<uint32_t *>(container()); break;
    case StepOp::list: result = uint32_t(trees().make_list(place.tree, place.levels.back().node)); break;
    case StepOp::list_cell: result = read(element(v), Scalar::u64); break;
    case StepOp::list_value: result = read(element(v) + 8 + 4 * level_of(in), Scalar::i32); break;
    case StepOp::own_index: result = arg(v, 0); break;
    }
    values[slot[v.id]] = result;
}

uint64_t Walk::element(Value v) {
    const Place &place = fn.places[place_of(fn[v])];
    const char *elements = trees().elements(place.tree, place.levels.back().node);
    return number_of(elements) + uint64_t(index(fn.args(v)[0])) * abi::list_element_bytes(place.shape.size());
}

uint64_t Walk::address(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    switch (AddressOp(in.op)) {
    case AddressOp::element: {
        const Type &array = fn.type(args[0]);
        uint64_t header = get(args[0]);
        int64_t cell = 0;
        for (size_t a = 0; a < array.ndim; ++a)
            cell =
                cell * int64_t(launch.data.args[abi::extent_slot(uint32_t(header), uint32_t(a))]) + index(args[a + 1]);
        int64_t component = cell * array.rows * array.cols + index(args[array.ndim + 1u]);
        return launch.data.args[header] + uint64_t(component * size_of(array.elem));
    }
    case AddressOp::place: {
        const Place &place = fn.places[in.imm];
        if (is_sparse(place)) return 0; // see `pointer`
        int32_t indices[16] = {};
        for (size_t a = 0; a < args.size() && a < 16; ++a) indices[a] = int32_t(index(args[a]));
        return number_of(launch.data.trees[place.tree]) + layout::address(place, indices);
    }
    case AddressOp::array_base: return launch.data.args[get(args[0])];
    case AddressOp::tree_base: return number_of(launch.data.trees[in.imm]);
    case AddressOp::tmp: return number_of(launch.data.tmp) + in.imm;
    case AddressOp::ret_slot: return number_of(launch.data.ret) + in.imm;
    case AddressOp::count_slot: return number_of(launch.data.counters) + 8 * in.imm;
    case AddressOp::random_state: return number_of(thread.random);
    case AddressOp::offset: return get(args[0]) + get(args[1]);
    case AddressOp::reserve: return reserve(v);
    case AddressOp::stack: return get(args[0]);
    case AddressOp::table: return table(v);
    case AddressOp::shared: // a block has one thread
    case AddressOp::local: break;
    }
    std::vector<uint64_t> &memory = locals[v.id];
    memory.assign(size_t((in.imm * uint64_t(size_of(in.type.elem)) + 7) / 8), 0);
    return number_of(memory.data());
}

uint64_t Walk::table(Value v) {
    const Table &table = fn.tables[fn[v].imm];
    const size_t size = size_t(size_of(table.elem));
    std::vector<uint64_t> &memory = locals[v.id];
    if (memory.empty()) {
        memory.resize((table.values.size() * size + 7) / 8);
        for (size_t i = 0; i < table.values.size(); ++i)
            std::memcpy(reinterpret_cast<char *>(memory.data()) + i * size, &table.values[i], size);
    }
    return number_of(memory.data());
}

void Walk::load(Value v) {
    const Type &t = fn.type(v);
    uint64_t from = pointer(fn.args(v)[0], false);
    check_bounds(fn.args(v)[0], from, uint64_t(t.lanes * size_of(t.elem)), false);
    for (int lane = 0; lane < t.lanes; ++lane) lanes(v)[lane] = read(from + uint64_t(lane * size_of(t.elem)), t.elem);
}

void Walk::store(Value v) {
    Value value = fn.args(v)[1];
    const Type &t = fn.type(value);
    uint64_t to = pointer(fn.args(v)[0], true);
    check_bounds(fn.args(v)[0], to, uint64_t(t.lanes * size_of(t.elem)), true);
    for (int lane = 0; lane < t.lanes; ++lane) write(to + uint64_t(lane * size_of(t.elem)), constant(value, lane));
}

/// Executes masked_load, masked_store, gather and scatter.
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
        if (on) check_bounds(args[0], at, uint64_t(size_of(t.elem)), !reads);
        if (reads)
            lanes(v)[lane] = on ? read(at, t.elem) : far ? 0 : lanes(args[2])[lane];
        else if (on)
            write(at, constant(value, lane));
    }
}

void Walk::atomic(Value v) {
    const Inst &in = fn[v];
    uint64_t at = pointer(fn.args(v)[0], true);
    check_bounds(fn.args(v)[0], at, uint64_t(size_of(in.type.elem)), true);
    Constant old{in.type.elem, read(at, in.type.elem)};
    Constant operand = constant(fn.args(v)[1]);
    if (in.op == Op::atomic_xchg) {
        write(at, operand);
    } else if (in.op == Op::atomic_cas) {
        if (old == operand) write(at, constant(fn.args(v)[2]));
    } else {
        Constant pair[] = {old, operand};
        write(at, eval(plain_op(in.op), in.type.elem, pair));
    }
    values[slot[v.id]] = old.bits;
}

} // namespace qd::backends::interpreter
