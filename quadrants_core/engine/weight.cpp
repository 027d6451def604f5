#include "engine/weight.h"

#include <algorithm>
#include <vector>

namespace qd::engine {
namespace {

using namespace ir;

constexpr double unknown_trips = 32; ///< of a loop whose bounds are known only at run time

double op_cost(const Function &fn, const Inst &inst) {
    if (inst.op == Op::random || inst.op == Op::clock) return 20;
    if (inst.op == Op::external) return 50;
    if (inst.op == Op::print) return 500;
    if (inst.op == Op::element || inst.op == Op::place) return 1;
    if (info(inst.op).traits & (slow | routine)) return cost_of(inst.op);
    if (is_atomic(inst.op)) return 10;
    if (info(inst.op).effect == Effect::read || inst.op == Op::store) return 1;
    if (info(inst.op).effect != Effect::pure || inst.op == Op::constant) return 0.25;
    const bool integer = !fn.type(fn.list(inst.args).empty() ? Value{} : fn.list(inst.args)[0]).is_float();
    return integer ? 0.3 : 1; // mostly address arithmetic
}

double trips(const Function &fn, const Inst &loop) {
    if (loop.op != Op::for_) return unknown_trips;
    const Inst &lo = fn[fn.list(loop.args)[0]];
    const Inst &hi = fn[fn.list(loop.args)[1]];
    if (lo.op != Op::constant || hi.op != Op::constant) return unknown_trips;
    return std::max(0.0, double(int64_t(hi.imm << 32) - int64_t(lo.imm << 32)) / double(1ll << 32));
}

/// `apart`, by value: loops that are not counted.
double block_cost(const Function &fn, BlockId block, const std::vector<uint8_t> &apart = {}) {
    double cost = 0;
    for (Value v : fn[block].insts) {
        const Inst &inst = fn[v];
        if (!apart.empty() && apart[v.id]) continue;
        cost += op_cost(fn, inst);
        if (!owns_block(inst.op)) continue;
        switch (ControlOp(inst.op)) {
        case ControlOp::if_:
            cost += 0.6 * (block_cost(fn, inst.blocks[0], apart) + block_cost(fn, inst.blocks[1], apart));
            break;
        case ControlOp::for_:
        case ControlOp::loop: cost += trips(fn, inst) * (0.5 + block_cost(fn, inst.blocks[0], apart)); break;
        case ControlOp::parallel: cost += block_cost(fn, inst.blocks[0], apart); break;
        }
    }
    return cost;
}

/// Marks in `ranged` every value that depends on the bounds of the chunk, including the loops over its indices.
void find_ranged(const Function &fn, BlockId block, std::vector<uint8_t> &ranged) {
    for (Value v : fn[block].insts) {
        const Inst &inst = fn[v];
        bool is_ranged = inst.op == Op::chunk_begin || inst.op == Op::chunk_end;
        if (!owns_block(inst.op) || inst.op == Op::for_)
            for (Value a : fn.args(v)) is_ranged |= ranged[a.id] != 0;
        ranged[v.id] = is_ranged;
        for (Value r : fn.results(v)) ranged[r.id] = is_ranged;
        for (BlockId inner : inst.blocks)
            if (inner) find_ranged(fn, inner, ranged);
    }
}

float chunk_weight(const Function &task) {
    if (task.role != Role::range_task) return 0;
    std::vector<uint8_t> ranged(task.insts.size());
    find_ranged(task, task.body, ranged);
    return float(std::min(block_cost(task, task.body, ranged), 1e9));
}

} // namespace

float weight(const Function &task) { return float(std::clamp(block_cost(task, task.body), 1.0, 1e9)); }

int widest(const Function &fn) {
    int lanes = 1;
    for (const Block &block : fn.blocks)
        for (Value v : block.insts) lanes = std::max(lanes, int(fn.type(v).lanes));
    return lanes;
}

abi::Weight weight_after(abi::Weight before, const Function &optimized) {
    const int lanes = widest(optimized);
    return {lanes > 2 ? std::max(0.25f, before.index * 2 / float(lanes)) : before.index, chunk_weight(optimized)};
}

size_t code_size(const Function &fn) {
    size_t size = 0;
    for (const Block &block : fn.blocks) size += block.insts.size();
    return size;
}

size_t stack_for(const Function &fn) {
    constexpr size_t for_blocks = 2 << 20, for_value = 1 << 10;
    return for_blocks + for_value * fn.insts.size();
}

} // namespace qd::engine
