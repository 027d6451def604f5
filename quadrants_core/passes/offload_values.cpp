#include "passes/offload_values.h"

#include "base/error.h"

#include <algorithm>

namespace qd::passes::offloading {

using namespace ir;

namespace {

constexpr int max_copied = 16; ///< instructions recomputed rather than passed through memory

} // namespace

bool Region::add(Value v) {
    if (!seen.insert(v.id).second) return false;
    needed.push_back(v);
    return true;
}

Crossing::Crossing(const Function &kernel)
    : k_(kernel), home_(kernel.insts.size(), -1), position_(kernel.insts.size()), remat_(kernel.insts.size()) {}

void Crossing::settle(Value v, int segment) {
    home_[v.id] = segment;
    position_[v.id] = order_++;
}

void Crossing::begin_segments(size_t count) {
    bodies.resize(count);
    bounds.resize(count);
    gives.assign(count, false);
    for (size_t s = 0; s < count; ++s) bodies[s].segment = bounds[s].segment = int(s);
}

bool Crossing::can_recompute(Value v) {
    uint8_t &state = remat_[v.id];
    if (state) return state == 1;
    const Inst &inst = k_[v];
    if (inst.op == Op::param) return home_[v.id] < 0;
    const bool ok = is_movable(inst.op) && recompute_cost(v) <= max_copied;
    remat_[v.id] = ok ? 1 : 2;
    return ok;
}

/// Counts the instructions that would be copied.
int Crossing::recompute_cost(Value v) {
    constexpr int too_much = 1000;
    const Inst &inst = k_[v];
    if (inst.op == Op::constant || inst.op == Op::dim) return 1;
    int cost = 1;
    for (Value a : k_.args(v)) {
        if (k_[a].op == Op::param) continue;
        if (!can_recompute(a)) return too_much;
        if (++cost > max_copied) return too_much;
        cost += k_[a].op == Op::constant ? 0 : recompute_cost(a);
    }
    return std::min(cost, too_much);
}

void Crossing::need(Region &r, Value used) {
    const Value v = owner(used);
    const int home = home_[v.id];
    if (home < 0) return;
    const bool here = r.at_home && home == r.segment;
    QD_CHECK(here || !k_.type(used).is_pointer() || !k_[v].results.size,
             "a pointer that control flow yields crosses tasks");
    if (k_[v].op == Op::local) {
        if (!here) reserve(v, uint64_t(size_of(k_.type(v).elem)) * k_[v].imm);
        r.add(v);
        if (here) return;
        bodies[size_t(home)].add(v);
        gives[size_t(home)] = true;
        return;
    }
    if (here || k_.type(used).is_pointer() || can_recompute(v)) {
        if (r.add(v)) need_operands(r, v);
        return;
    }
    reserve(used, 8);
    r.add(used);
    gives[size_t(home)] = true;
    need(bodies[size_t(home)], used);
}

void Crossing::need_operands(Region &r, Value v) {
    for (Value a : k_.args(v)) need(r, a);
    for (BlockId b : k_[v].blocks)
        if (b)
            for (Value inner : k_[b].insts) need_operands(r, inner);
}

void Crossing::reserve(Value v, uint64_t bytes) {
    if (slots_.try_emplace(v.id, tmp_bytes_).second) reserve(bytes);
}

uint64_t Crossing::reserve(uint64_t bytes) {
    const uint64_t at = tmp_bytes_;
    tmp_bytes_ += (bytes + 7) / 8 * 8;
    return at;
}

std::optional<uint64_t> Crossing::slot(Value v) const {
    const auto at = slots_.find(v.id);
    return at == slots_.end() ? std::nullopt : std::optional(at->second);
}

void Crossing::sort(Region &region) const {
    std::sort(region.needed.begin(), region.needed.end(), [&](Value a, Value b) {
        return std::pair(position_[owner(a).id], a.id) < std::pair(position_[owner(b).id], b.id);
    });
}

} // namespace qd::passes::offloading
