// Conditions for vectorising a loop:
//  - Its iterations are independent: it comes from a parallel loop, or no store may touch memory that another iteration accesses. To
//    prove the latter, every store must go to contiguous elements, one per iteration, and every access that may alias a store must have
//    the same address.
//  - Carried values are sums, minima or maxima. Float sums are reassociated only if the loop comes from a parallel loop (where the sum
//    was atomic) or under fast_math.
//  - It contains only pure instructions, loads, stores, branches, checks for Stop that leave the task and, if it comes from a parallel
//    loop, inner loops: `for` loops with bounds that do not depend on the index, and loops that end by break. There is no continue,
//    atomic or other effect.
//  - Heap room that each iteration reserves, of equal size, is reserved for all lanes at once, with elements interleaved: byte n of the
//    room is at byte n * lanes for the first lane, and in the following elements for the others. Lanes that access the same position
//    then access contiguous elements.
//  - Lanes leave a divergent inner loop one by one: lanes that broke are masked until none is active. With an inner loop the body is
//    large, so the remaining iterations run as a masked SIMD iteration instead of a second copy of the body.
//  - A branch on a varying condition becomes masks. Under a mask, a load or store of contiguous elements is masked; a load from an
//    address that does not vary must be safe to execute speculatively (`safe`).
// An index i + c that forms an address is assumed not to wrap, since addresses inside an array do not.
#include "passes/vectorize_plan.h"

#include "analysis/uses.h"
#include "analysis/walk.h"
#include "passes/safepoints.h"
#include "passes/slots.h"

#include <algorithm>
#include <utility>

namespace qd::passes {

using namespace ir;
using analysis::Overlap;
using analysis::Root;

namespace {

constexpr size_t largest_body = 3000; ///< instructions
constexpr size_t long_body = 800;     ///< instructions; longer bodies are not duplicated

/// True for integer divisions by variables, for which machines have no SIMD instructions.
bool divides_lane_by_lane(const Function &fn, Value v) {
    Op op = fn[v].op;
    bool divides = op == Op::div || op == Op::rem || op == Op::floordiv || op == Op::mod;
    return divides && fn.type(v).is_int() && fn[fn.args(v)[1]].op != Op::constant;
}

/// True for math functions that are calls in scalar code but a few dozen instructions in vector code.
bool has_vector_form(const Function &fn, const Inst &inst) {
    return fn.fast_math && inst.type.elem == Scalar::f32 && (info(inst.op).traits & lane_form);
}

bool constant(const Function &fn, Value v, int64_t &value) {
    if (fn[v].op != Op::constant) return false;
    int bits = bits_of(fn.type(v).elem);
    value = bits == 64 ? int64_t(fn[v].imm) : int64_t(fn[v].imm << (64 - bits)) >> (64 - bits);
    return true;
}

/// 64-bit sums, such as coverage counts, do not reduce the number of lanes.
bool is_wide_count(Type t) { return t.is_int() && bits_of(t.elem) == 64; }

bool is_address_int(Type t) {
    return t.is_scalar() && t.lanes == 1 &&
           (t.elem == Scalar::i32 || t.elem == Scalar::u32 || t.elem == Scalar::i64 || t.elem == Scalar::u64);
}

} // namespace

Planner::Planner(const Function &fn, const analysis::Memory &memory, const Config &config)
    : fn_(fn), memory_(memory), config_(config), effects_(analysis::effects(fn)), uses_(analysis::use_counts(fn)),
      totals_(fn, uses_), shapes_(fn.insts.size()), slots_(fn.insts.size()), defined_(fn.insts.size()),
      always_(fn.insts.size()), shared_room_(fn.insts.size()) {
    stop_uses_.resize(fn.insts.size());
    analysis::walk(fn, [&](Value v) {
        if (is_safepoint(fn, v)) forget_uses(fn[v].blocks[0]);
        if (!is_stop_check(fn, v)) return;
        for (Value count : fn[fn[v].blocks[0]].insts)
            if (fn[count].op == Op::count) ++stop_uses_[fn.args(count)[0].id];
    });
}

/// Does not count the uses at a safepoint, which is rewritten for the vectorised loop: see vectorize_safepoint.cpp.
void Planner::forget_uses(BlockId b) {
    for (Value v : fn_[b].insts)
        for (Value a : fn_.args(v)) --uses_[a.id];
}

void Planner::set(Value v, Shape s) {
    if (s.kind == Shape::linear && s.stride == 0) s.kind = Shape::uniform;
    shapes_[v.id] = s;
    defined_[v.id] = 1;
    touched_.push_back(v.id);
}

void Planner::widen(Type t) {
    if (t.is_scalar() && !t.is_bool()) widest_ = std::max(widest_, size_of(t.elem));
}

bool Planner::plan(Value loop, Plan &plan) {
    for (uint32_t id : touched_) {
        shapes_[id] = {};
        slots_[id] = 0;
        defined_[id] = always_[id] = shared_room_[id] = 0;
    }
    touched_.clear();
    totals_.forget();
    accesses_.clear();
    plan = {};
    plan.loop = loop;
    plan_ = &plan;
    widest_ = 1;
    masked_ = depth_ = idle_ = leaving_ = 0;
    around_ = {};
    scalar_cost_ = vector_cost_ = idle_cost_ = 0;
    size_ = 0;

    const Loop &flags = fn_.loops[fn_[loop].imm];
    marked_ = flags.vectorize;
    if (fn_[loop].op != Op::for_ || flags.reversed || config_.vector_bytes < 8) return false;
    BlockId body = fn_[loop].blocks[0];
    const std::vector<Value> &params = fn_[body].params;
    set(params[0], {Shape::linear, 1});
    plan.sums.resize(params.size() - 1, Op::param);
    for (size_t k = 1; k < params.size(); ++k) {
        set(params[k], {Shape::varying, 0});
        slots_[params[k].id] = uint32_t(k);
        if (!is_wide_count(fn_.type(params[k]))) widen(fn_.type(params[k]));
    }
    find_safe(body);
    if (!block(body) || !sums(body) || (!marked_ && !independent())) return false;
    for (Op op : plan.sums)
        if (op == Op::param) return false;

    plan.lanes = config_.vector_bytes / widest_;
    if (plan.lanes < 2 || plan.lanes > 64) return false;
    if (size_ >= long_body && config_.vector_bytes >= 64 && !plan.reserves_room) plan.mask_remainder = true;
    if (plan.mask_remainder) totals_.find_sums(loop, *this); // next to an inner loop the popcounts are free
    int64_t lo, hi;
    if (constant(fn_, fn_.args(loop)[0], lo) && constant(fn_, fn_.args(loop)[1], hi)) {
        if (hi - lo < plan.lanes) return false;
        plan.mask_remainder = plan.mask_remainder && (hi - lo) % plan.lanes != 0;
    }
    // Only float sums have a latency worth hiding; coverage counts take one cycle.
    bool slow = std::any_of(params.begin() + 1, params.end(), [&](Value p) { return fn_.type(p).is_float(); });
    if (slow && !plan.mask_remainder && !plan.reserves_room) plan.unroll = size_ <= 12 ? 4 : size_ <= 40 ? 2 : 1;
    if (plan.reserves_room && plan.scatters_inside) return false; // little speedup for lanes times the room
    return vector_cost_ + (scalar_cost_ + idle_cost_) / plan.lanes < 0.8 * scalar_cost_;
}

bool Planner::safe(Value pointer) const {
    if (pointer.id < always_.size() && always_[pointer.id]) return true;
    Root root = memory_.root(pointer);
    if (root == Root::tmp || root == Root::local) return true;
    while (fn_[pointer].op == Op::offset && fn_[fn_.args(pointer)[1]].op == Op::constant)
        pointer = fn_.args(pointer)[0];
    return fn_[pointer].op == Op::tree_base; // a field without indices, or with constant ones
}

void Planner::find_safe(BlockId b) {
    for (Value v : fn_[b].insts)
        if (Value p = memory_.access(v).pointer) {
            always_[p.id] = 1;
            touched_.push_back(p.id);
        }
}

bool Planner::block(BlockId b) {
    for (Value v : fn_[b].insts)
        if (!instruction(v)) return false;
    return true;
}

bool Planner::instruction(Value v) {
    const Op op = fn_[v].op;
    if (op == Op::safepoint || is_safepoint(fn_, v)) return true;
    if (++size_ > largest_body) return false;
    if (op == Op::load || op == Op::store) return memory_access(v);
    if (op == Op::if_) return branch(v);
    if (op == Op::for_ || op == Op::loop) return inner_loop(v);
    if (op == Op::poll) set(v, {});
    if (op == Op::poll || op == Op::yield) return true;
    if (op == Op::break_) return depth_ > 0;
    if (op == Op::reserve) return room(v);
    return is_movable(op) && pure(v);
}

bool Planner::room(Value v) {
    const Value entries = fn_.args(v)[0];
    if (leaving_ || shape(entries).kind != Shape::uniform) return false;
    plan_->reserves_room = true;
    if (!reserve_lanes(fn_[v])) { // sized by the number of entries
        if (inside(entries) && fn_[entries].op != Op::constant) return false;
        if (std::ranges::find(plan_->rooms, v) == plan_->rooms.end()) plan_->rooms.push_back(v);
    }
    set(v, {});
    shared_room_[v.id] = 1;
    return true;
}

bool Planner::pure(Value v) {
    const Inst &inst = fn_[v];
    const std::span<const Value> args = fn_.args(v);
    const bool is_room = !args.empty() && is_in_shared_room(args[0]);
    if (inst.op == Op::stack && inside(args[0]) && !is_room) return false;
    if (is_room) {
        if ((inst.op != Op::stack && inst.op != Op::offset) || shape(args.back()).kind != Shape::uniform) return false;
        set(v, {Shape::linear, size_of(inst.type.elem)});
        shared_room_[v.id] = 1;
        return true;
    }
    Shape s = arithmetic(v);
    set(v, s);
    double weight = depth_ ? 8 : 1;
    if (s.kind != Shape::varying || totals_.has(v)) return true;
    if (inst.type.is_pointer()) return inst.op == Op::offset;
    if (!is_lane_wise(inst.op) || inst.type.lanes != 1) return false;
    if (for_stop_only(v) || (inst.op == Op::add && is_wide_count(inst.type))) return true;
    widen(inst.type);
    for (Value a : fn_.args(v)) {
        if (!fn_.type(a).is_scalar()) return false;
        widen(fn_.type(a));
    }
    if (counts_branch(fn_, v)) return true; // coverage counts must not change the decision
    scalar_cost_ += weight * cost_of(inst.op);
    if (divides_lane_by_lane(fn_, v)) vector_cost_ += weight * (cost_of(inst.op) + 2);
    if (info(inst.op).traits & routine) vector_cost_ += weight * (has_vector_form(fn_, inst) ? 2 : cost_of(inst.op));
    return true;
}

/// The shape of a pure instruction.
Shape Planner::arithmetic(Value v) const {
    const Inst &inst = fn_[v];
    std::span<const Value> args = fn_.args(v);
    bool all_uniform = true;
    for (Value a : args) {
        if (shape(a).kind == Shape::varying) return {Shape::varying, 0};
        all_uniform = all_uniform && shape(a).kind == Shape::uniform;
    }
    if (all_uniform) return {};
    Shape other{Shape::varying, 0};
    int64_t c;
    bool address = inst.op == Op::offset || is_address_int(inst.type);
    if (!address) return other;
    const Op op = inst.op;
    if (op == Op::add || op == Op::offset) return {Shape::linear, shape(args[0]).stride + shape(args[1]).stride};
    if (op == Op::sub) return {Shape::linear, shape(args[0]).stride - shape(args[1]).stride};
    if (op == Op::neg) return {Shape::linear, -shape(args[0]).stride};
    if (op == Op::mul && constant(fn_, args[1], c)) return {Shape::linear, shape(args[0]).stride * c};
    if (op == Op::mul && constant(fn_, args[0], c)) return {Shape::linear, shape(args[1]).stride * c};
    if (op == Op::shl && constant(fn_, args[1], c) && c >= 0 && c < 32)
        return {Shape::linear, shape(args[0]).stride << c};
    if (op != Op::cast) return other;
    Type from = fn_.type(args[0]);
    bool keeps = is_address_int(from) && (from.elem == Scalar::i32 || size_of(from.elem) == size_of(inst.type.elem));
    return keeps ? shape(args[0]) : other;
}

bool Planner::memory_access(Value v) {
    bool is_load = fn_[v].op == Op::load;
    Value pointer = fn_.args(v)[0];
    Type type = is_load ? fn_.type(v) : fn_.type(fn_.args(v)[1]);
    if (type.lanes != 1) return false;
    Shape at = shape(pointer);
    double weight = depth_ ? 8 : 1;
    accesses_.push_back(v);
    if (at.kind == Shape::uniform) {
        if (!is_load || (idle_ && !safe(pointer))) return false;
        set(v, {});
        return true;
    }
    bool masked = masked_ && !(is_load && safe(pointer));
    bool contiguous = at.kind == Shape::linear && at.stride == size_of(type.elem);
    // Masks, gathers and scatters need hardware support.
    if ((masked || !contiguous) && config_.vector_bytes < 32) return false;
    widen(type);
    if (is_load) set(v, {Shape::varying, 0});
    scalar_cost_ += weight;
    if (!contiguous) {
        vector_cost_ += weight * (is_load ? 1.5 : 2.5);
        plan_->has_inner_gather |= depth_ > 0;
        plan_->scatters_inside |= depth_ > 0 && !is_load;
    }
    return true;
}

bool Planner::diverges(Value loop) const {
    const std::vector<Value> &body = fn_[fn_[loop].blocks[0]].insts;
    return std::any_of(body.begin(), body.end(), [&](Value v) { return jumps(v); });
}

/// Returns whether a check for Stop, where all lanes leave together, can be vectorised. The counts in its branch must be reductions that
/// are valid for every lane, including lanes that left the inner loop or are masked.
bool Planner::stop_check(Value v) {
    const std::vector<Value> &leave = fn_[fn_[v].blocks[0]].insts, &stay = fn_[fn_[v].blocks[1]].insts;
    if (fn_[leave.back()].op != Op::exit || stay.size() != 1 || fn_[stay[0]].op != Op::yield) return false;
    if (leave.size() > 1 && (idle_ || leaving_ > 1)) return false;
    std::span<const Value> sums = fn_[fn_[plan_->loop].blocks[0]].params, inner;
    if (around_) inner = fn_[fn_[around_].blocks[0]].params;
    auto among = [](std::span<const Value> list, Value v) {
        return std::find(list.begin(), list.end(), v) != list.end();
    };
    auto from_zero = [&](Value param) {
        size_t slot = size_t(std::find(sums.begin(), sums.end(), param) - sums.begin());
        const Inst &init = fn_[fn_.args(plan_->loop)[slot + 1]];
        return init.op == Op::constant && init.imm == 0;
    };
    return std::all_of(leave.begin(), leave.end() - 1, [&](Value count) {
        if (fn_[count].op != Op::count) return false;
        Value amount = fn_.args(count)[0], root = counted_of(amount);
        if (fn_[amount].op == Op::cast) amount = fn_.args(amount)[0];
        return !inside(root) || (among(sums.subspan(1), root) && from_zero(root)) ||
               (around_ && root == amount && among(inner.subspan(first_carried(fn_, around_)), root));
    });
}

Value Planner::counted_of(Value amount) const {
    if (fn_[amount].op == Op::cast) amount = fn_.args(amount)[0];
    while (inside(amount) && fn_[amount].op == Op::add) amount = fn_.args(amount)[0];
    return amount;
}

/// Returns false if result `slot` of a branch may point to room that lanes reserved together or to anything else but a constant.
bool Planner::joins_rooms(Value branch, size_t slot) {
    bool any = false, all = true;
    for (BlockId b : fn_[branch].blocks) {
        const Value given = fn_.args(fn_[b].insts.back())[slot];
        any |= is_in_shared_room(given);
        all &= is_in_shared_room(given) || fn_[given].op == Op::constant;
    }
    const Value r = fn_.results(branch)[slot];
    if (any) shared_room_[r.id] = 1;
    return !any || (all && shape(r).kind == Shape::uniform);
}

bool Planner::branch(Value v) {
    const Inst &inst = fn_[v];
    if (is_stop_check(fn_, v)) return stop_check(v);
    bool varies = shape(fn_.args(v)[0]).kind != Shape::uniform || jumps(v);
    masked_ += varies;
    idle_ += varies;
    bool fine = block(inst.blocks[0]) && block(inst.blocks[1]);
    masked_ -= varies;
    idle_ -= varies;
    if (!fine || (jumps(v) && inst.results.size)) return false;
    for (size_t k = 0; k < fn_.results(v).size(); ++k) {
        Value r = fn_.results(v)[k];
        if (!fn_.type(r).is_scalar()) return false;
        bool varying = varies;
        for (BlockId b : inst.blocks)
            varying = varying || shape(fn_.args(fn_[b].insts.back())[k]).kind != Shape::uniform;
        set(r, {varying ? Shape::varying : Shape::uniform, 0});
        if (varying) widen(fn_.type(r));
        if (!joins_rooms(v, k)) return false;
    }
    return true;
}

/// Plans an inner loop, which has the same trip count in all lanes or is divergent. Finds by iteration which carried values vary; the
/// result of a divergent loop always varies.
bool Planner::inner_loop(Value v) {
    if (!marked_) return false;
    bool counted = fn_[v].op == Op::for_, leaves = diverges(v);
    uint32_t init = first_init(fn_, v), first = first_carried(fn_, v);
    if (leaves ? config_.vector_bytes < 32 : !counted) return false;
    plan_->mask_remainder = config_.vector_bytes >= 32;
    if (leaves && !depth_ && !idle_) totals_.find(v, fn_[plan_->loop].blocks[0]);
    for (Value bound : fn_.args(v).first(init))
        if (shape(bound).kind != Shape::uniform) return false;
    BlockId body = fn_[v].blocks[0];
    const std::vector<Value> &params = fn_[body].params;
    if (counted) set(params[0], {});
    std::vector<bool> varying;
    for (size_t k = 0; k + init < fn_.args(v).size(); ++k) {
        if (!fn_.type(params[first + k]).is_scalar()) return false;
        if (is_in_shared_room(fn_.args(v)[init + k])) return false;
        bool taken_along = leaves && used(fn_.results(v)[k]);
        varying.push_back(taken_along || shape(fn_.args(v)[init + k]).kind != Shape::uniform);
    }
    Value last = fn_[body].insts.back();
    if (fn_[last].op != Op::yield) return false;
    double before[2] = {scalar_cost_, vector_cost_};
    bool settled = false;
    for (int round = 0; !settled; ++round) {
        for (size_t k = 0; k < varying.size(); ++k) {
            set(params[first + k], {varying[k] ? Shape::varying : Shape::uniform, 0});
            Type type = fn_.type(params[first + k]);
            if (varying[k] && !is_wide_count(type)) widen(type);
        }
        scalar_cost_ = before[0];
        vector_cost_ = before[1];
        ++depth_;
        masked_ += leaves;
        leaving_ += leaves;
        Value outer = std::exchange(around_, v);
        bool fine = block(body);
        around_ = outer;
        leaving_ -= leaves;
        masked_ -= leaves;
        --depth_;
        if (!fine) return false;
        settled = true;
        for (size_t k = 0; k < varying.size(); ++k) {
            if (is_in_shared_room(fn_.args(last)[k])) return false;
            bool now = varying[k] || round >= 2 || shape(fn_.args(last)[k]).kind != Shape::uniform;
            settled = settled && now == varying[k];
            varying[k] = now;
        }
    }
    for (size_t k = 0; k < varying.size(); ++k)
        set(fn_.results(v)[k], {varying[k] || leaves ? Shape::varying : Shape::uniform, 0});
    if (leaves) { // estimate: half of the lanes wait for the others
        idle_cost_ += scalar_cost_ - before[0];
        vector_cost_ += vector_cost_ - before[1];
    }
    return true;
}

/// Returns whether each carried value of the loop is a reduction: the body must combine it with other values by one operation and yield it.
bool Planner::sums(BlockId b) {
    for (Value v : fn_[b].insts) {
        const Inst &inst = fn_[v];
        if (inst.op == Op::yield || inst.op == Op::safepoint || is_safepoint(fn_, v) || is_stop_check(fn_, v) ||
            for_stop_only(v))
            continue;
        if (!sum_operands(v)) return false;
        for (BlockId inner : inst.blocks)
            if (inner && !sums(inner)) return false;
        if (!inst.results.size) continue;
        bool loops = is_loop(inst.op);
        for (size_t k = 0; k < fn_.results(v).size(); ++k) {
            uint32_t slot = loops ? slots_[fn_.args(v)[first_init(fn_, v) + k].id] : 0;
            for (int side = 0; side < 2; ++side) {
                if (!inst.blocks[side]) continue;
                uint32_t next = slots_[fn_.args(fn_[inst.blocks[side]].insts.back())[k].id];
                if ((side || loops) && next != slot) return false;
                slot = next;
            }
            slots_[fn_.results(v)[k].id] = slot;
        }
    }
    if (b != fn_[plan_->loop].blocks[0]) return true;
    std::span<const Value> next = fn_.args(fn_[b].insts.back());
    for (size_t k = 0; k < plan_->sums.size(); ++k)
        if (slots_[next[k].id] != k + 1) return false;
    return true;
}

bool Planner::sum_operands(Value v) {
    const Inst &inst = fn_[v];
    std::span<const Value> args = fn_.args(v);
    uint32_t slot = 0;
    int count = 0, at = 0;
    for (size_t i = 0; i < args.size(); ++i) {
        uint32_t s = slots_[args[i].id];
        if (!s) continue;
        if (inst.op == Op::for_) { // carried by the inner loop
            if (i < 2 || diverges(v)) return false;
            slots_[fn_[inst.blocks[0]].params[i - 1].id] = s;
            continue;
        }
        if (slot && s != slot) return false;
        slot = s;
        at = int(i);
        ++count;
    }
    if (!slot) return true;
    if (inst.op == Op::select) {
        if (count != 2 || slots_[args[0].id]) return false;
        slots_[v.id] = slot;
        return true;
    }
    if (count != 1) return false;
    const bool sums = inst.op == Op::add || (inst.op == Op::sub && at == 0) || (inst.op == Op::fma && at == 2);
    if (!sums && inst.op != Op::min && inst.op != Op::max) return false;
    const Op applied = sums ? Op::add : inst.op;
    if (applied == Op::add && inst.type.is_float() && !marked_ && !fn_.fast_math) return false;
    Op &known = plan_->sums[slot - 1];
    if (known != Op::param && known != applied) return false;
    known = applied;
    slots_[v.id] = slot;
    return true;
}

bool Planner::independent() {
    for (Value store : accesses_) {
        if (fn_[store].op != Op::store) continue;
        analysis::Access to = memory_.access(store);
        Shape at = shape(to.pointer);
        if (at.kind != Shape::linear || at.stride != size_of(to.type.elem)) return false;
        for (Value other : accesses_) {
            analysis::Access a = memory_.access(other);
            if (!memory_.objects_overlap(memory_.object(to.pointer), memory_.object(a.pointer))) continue;
            if (memory_.overlap(to, a) != Overlap::exact) return false;
        }
    }
    return true;
}

} // namespace qd::passes
