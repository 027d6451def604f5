#include "analysis/effects.h"

#include <array>

namespace qd::analysis {

using ir::BlockId;
using ir::Effect;
using ir::Family;
using ir::Function;
using ir::Op;
using ir::Value;

bool changes_cells(Op op) { return (ir::info(op).traits & ir::cells) && ir::info(op).effect == Effect::write; }

namespace {

constexpr uint8_t memory_and_control(Op op) {
    const ir::OpInfo &row = ir::info(op);
    const uint8_t exits = (row.traits & ir::leaves ? leaves : nothing) | (row.traits & ir::jumps ? jumps : nothing) |
                          (row.traits & ir::endless ? endless : nothing);
    switch (row.effect) {
    case Effect::pure:
    case Effect::meta: return nothing;
    case Effect::read: return reads;
    case Effect::control: return exits;
    case Effect::write: break;
    }
    if (row.family == Family::address) return nothing; // a local: no other pointer to its memory exists yet
    if (row.family == Family::memory) return row.traits & (ir::observes | ir::fences) ? reads | writes : writes;
    if (row.family != Family::outside) return reads | writes; // atomics, cells
    return outside | exits | (row.traits & ir::updates ? reads | writes : nothing);
}

constexpr uint8_t effects_of(Op op) {
    const uint16_t traits = ir::info(op).traits;
    return memory_and_control(op) | (traits & ir::convergent ? joins : nothing) |
           (traits & ir::fences ? syncs : nothing);
}

constexpr auto table = [] {
    std::array<uint8_t, ir::op_count> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = effects_of(Op(i));
    return all;
}();

} // namespace

uint8_t own_effects(Op op) { return table[size_t(op)]; }

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
