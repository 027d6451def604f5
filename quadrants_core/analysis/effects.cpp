#include "analysis/effects.h"

namespace qd::analysis {

using ir::BlockId;
using ir::Effect;
using ir::Function;
using ir::Op;
using ir::Value;

bool changes_cells(Op op) {
    switch (op) {
    case Op::activate:
    case Op::deactivate:
    case Op::append:
    case Op::make_cell:
    case Op::drop_cell:
    case Op::new_cell:
    case Op::list: return true;
    default: return false;
    }
}

uint8_t own_effects(Op op) {
    switch (ir::info(op).effect) {
    case Effect::pure:
    case Effect::meta: return nothing;
    case Effect::read: return reads;
    case Effect::write:
        if (op == Op::local) return nothing;
        if (op == Op::store || op == Op::masked_store || op == Op::scatter) return writes;
        if ((ir::info(op).traits & ir::atomic) || changes_cells(op)) return reads | writes;
        if (op == Op::external) return reads | writes | outside;
        return op == Op::assert_ ? outside | leaves : outside;
    case Effect::control:
        if (op == Op::break_ || op == Op::continue_) return jumps;
        if (op == Op::exit || op == Op::ret) return leaves;
        return op == Op::loop ? endless : nothing;
    }
    return nothing;
}

namespace {

uint8_t collect(const Function &fn, BlockId b, std::vector<uint8_t> &all) {
    uint8_t sum = nothing;
    for (Value v : fn[b].insts) {
        uint8_t does = nothing;
        for (BlockId child : fn[v].blocks)
            if (child) does |= collect(fn, child, all);
        if (fn[v].op != Op::if_) does &= uint8_t(~jumps);
        does |= own_effects(fn[v].op);
        all[v.id] = does;
        sum |= does;
    }
    return sum;
}

} // namespace

std::vector<uint8_t> effects(const Function &fn) {
    std::vector<uint8_t> all(fn.insts.size());
    if (fn.bounds) collect(fn, fn.bounds, all);
    if (fn.body) collect(fn, fn.body, all);
    return all;
}

} // namespace qd::analysis
