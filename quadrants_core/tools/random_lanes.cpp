#include "tools/random_lanes.h"

#include "ir/builder.h"
#include "tools/random_function.h"
#include "tools/random_numbers.h"

#include <algorithm>

namespace qd::tools {

using namespace ir;

namespace {

/// Threads that have the same value, or that are certain to run the same code together.
enum class Joint : uint8_t { none, group, block };

constexpr int32_t smallest_group = 8; ///< a group has a multiple of these lanes
constexpr Scalar types[] = {Scalar::u1,  Scalar::u8,  Scalar::i32, Scalar::i32,
                            Scalar::u32, Scalar::i64, Scalar::f32, Scalar::f64};

class LaneGenerator {
  public:
    explicit LaneGenerator(uint64_t seed) : rng_(seed), b_(fn_) {}
    Function make();

  private:
    struct Known {
        Value v;
        Joint same; ///< threads for which it is the same
    };
    Value param(Type type);
    void keep(Value v, Joint same) { known_.push_back({v, same}); }
    Known any(Joint least = Joint::none);
    Known pick(Scalar type, Joint least = Joint::none);
    Value constant(int32_t v) { return b_.i32(v); }

    void parallel();
    void statements(int n, int depth);
    void statement(int depth);
    void arithmetic();
    void position();
    void load();
    void add_up();
    void group_op();
    void barrier(Joint among);
    void exchange(Joint among);
    void branch(int depth);
    void loop(int depth);
    void leave(std::span<const Value> carried);

    Numbers rng_;
    Function fn_;
    Builder b_;
    Value read_, sums_;        ///< arrays that are only loaded from, and only added to
    std::vector<Known> known_; ///< values in scope
    Joint joint_ = Joint::block;
    uint32_t block_ = 0; ///< threads of a block in the current loop
    bool full_ = false;  ///< no thread of a block is past the end of the range
    int budget_ = 0;
};

Value LaneGenerator::param(Type type) {
    Inst inst;
    inst.type = type;
    const Value v = fn_.make(inst);
    fn_.params.push_back(v);
    return v;
}

LaneGenerator::Known LaneGenerator::any(Joint least) {
    for (int tries = 0; tries < 8 && !known_.empty(); ++tries) {
        const size_t n = known_.size();
        const Known &k = known_[n - 1 - std::min(rng_.below(n), rng_.below(n))];
        if (k.same >= least) return k;
    }
    const Scalar type = rng_.of(types);
    return {b_.constant(type, rng_.number(type).bits), Joint::block};
}

LaneGenerator::Known LaneGenerator::pick(Scalar type, Joint least) {
    const Known k = any(least);
    return fn_.type(k.v) == Type(type) ? k : Known{b_.cast(k.v, type), k.same};
}

void LaneGenerator::arithmetic() {
    static constexpr Op ops[] = {Op::add, Op::sub, Op::mul, Op::min, Op::max};
    static constexpr Op comparisons[] = {Op::lt, Op::ge, Op::eq};
    const Scalar type = rng_.of(types);
    const Known x = pick(type), y = pick(type);
    const Joint same = std::min(x.same, y.same);
    if (rng_.chance(60)) return keep(b_.emit(rng_.of(ops), {x.v, y.v}), same);
    const Value c = b_.emit(rng_.of(comparisons), {x.v, y.v});
    keep(c, same);
    if (rng_.chance(50)) keep(b_.select(c, x.v, y.v), same);
}

void LaneGenerator::position() {
    struct Row {
        Op op;
        Joint same;
    };
    static constexpr Row rows[] = {{Op::lane, Joint::none},
                                   {Op::lanes, Joint::block},
                                   {Op::thread_in_block, Joint::none},
                                   {Op::block_index, Joint::block},
                                   {Op::block_threads, Joint::block}};
    const Row &row = rng_.of(rows);
    keep(b_.emit(row.op, {}), row.same);
}

void LaneGenerator::load() {
    const Known at = pick(Scalar::i32);
    const Value extent = b_.dim(read_, 0);
    const Value inside = b_.mod(at.v, extent);
    const Value zero = constant(0);
    const Value p = b_.element(read_, {&inside, 1}, zero);
    keep(rng_.chance(20) ? b_.volatile_load(p) : b_.load(p), at.same);
}

/// Makes a value visible outside: it is added to an element of an array.
void LaneGenerator::add_up() {
    const Known value = pick(Scalar::i64), at = pick(Scalar::i32);
    const Value extent = b_.dim(sums_, 0);
    const Value inside = b_.mod(at.v, extent);
    const Value zero = constant(0);
    const Value p = b_.element(sums_, {&inside, 1}, zero);
    b_.atomic_add(p, value.v);
}

void LaneGenerator::group_op() {
    static constexpr Op shuffles[] = {Op::shuffle, Op::shuffle_xor, Op::shuffle_up, Op::shuffle_down};
    if (rng_.chance(40)) {
        const Known c = pick(Scalar::u1);
        return keep(b_.emit(rng_.chance(60) ? Op::ballot : Op::group_any, {c.v}), Joint::group);
    }
    const Known value = any(), by = pick(Scalar::i32);
    const Value mask = constant(rng_.chance(80) ? 7 : 63); // beyond the group: unspecified, but not an error
    const Value inside = b_.band(by.v, mask);
    keep(b_.emit(rng_.of(shuffles), {value.v, inside}), Joint::none);
}

/// The threads of a block, or of a group, wait for each other.
void LaneGenerator::barrier(Joint among) {
    if (rng_.chance(70)) b_.emit(Op::fence, {}, {}, rng_.below(std::size(scope_names)));
    b_.emit(among == Joint::block ? Op::block_sync : Op::group_sync, {});
}

/// Threads exchange values through memory that the block shares, or add up in it.
void LaneGenerator::exchange(Joint among) {
    const Op barrier = among == Joint::block ? Op::block_sync : Op::group_sync;
    const Scalar type = Scalar::i64;
    const Value memory = b_.emit(Op::shared, {}, Type::pointer(type), block_);
    const Value own = b_.emit(Op::thread_in_block, {}), size = b_.i64(size_of(type));
    const auto at = [&](Value index) {
        const Value wide = b_.cast(index, Scalar::i64);
        const Value bytes = b_.mul(wide, size);
        return b_.offset(memory, bytes, type);
    };
    const Value mine = at(own);
    const Known value = pick(type), other = pick(Scalar::i32);
    b_.store(mine, value.v);
    b_.emit(barrier, {});
    const Value mask = constant(among == Joint::block ? int32_t(block_) - 1 : smallest_group - 1);
    const Value by = b_.band(other.v, mask);
    const Value theirs = at(b_.bxor(own, by));
    if (rng_.chance(30)) {
        const Known more = pick(type);
        b_.atomic_add(theirs, more.v);
        b_.emit(barrier, {});
        keep(b_.load(mine), Joint::none);
    } else {
        keep(b_.load(theirs), Joint::none);
    }
    b_.emit(barrier, {}); // before the memory is stored to again
}

void LaneGenerator::branch(int depth) {
    const Known condition = pick(Scalar::u1, Joint(rng_.below(3)));
    const Joint around = joint_;
    const Value v = b_.if_(condition.v);
    const BlockId outer = b_.block;
    std::vector<Scalar> results;
    for (uint64_t i = rng_.below(3); i > 0; --i) results.push_back(rng_.of(types));
    std::vector<Joint> same(results.size(), condition.same);
    for (int side = 0; side < 2; ++side) {
        const size_t mark = known_.size();
        b_.block = fn_[v].blocks[side];
        joint_ = std::min(around, condition.same);
        if (side == 0 || rng_.chance(50)) statements(int(rng_.below(4)), depth + 1);
        std::vector<Value> values;
        for (size_t i = 0; i < results.size(); ++i) {
            const Known k = pick(results[i]);
            values.push_back(k.v);
            same[i] = std::min(same[i], k.same);
        }
        b_.yield(values);
        known_.resize(mark);
    }
    b_.block = outer;
    joint_ = around;
    for (size_t i = 0; i < results.size(); ++i) keep(fn_.add_result(v, results[i]), same[i]);
}

/// Leaves the loop, or goes on with its next iteration, where all threads that run it together do so.
void LaneGenerator::leave(std::span<const Value> carried) {
    const Known condition = pick(Scalar::u1, joint_);
    const Value v = b_.if_(condition.v);
    const BlockId outer = b_.block;
    b_.block = fn_[v].blocks[0];
    std::vector<Value> values;
    for (Value c : carried) values.push_back(pick(fn_.type(c).elem).v);
    if (rng_.chance(50))
        b_.break_(values);
    else
        b_.continue_(values);
    b_.block = fn_[v].blocks[1];
    b_.yield();
    b_.block = outer;
}

void LaneGenerator::loop(int depth) {
    const Known bound = pick(Scalar::i32, Joint(rng_.below(3)));
    const Value mask = constant(3), lo = constant(int32_t(rng_.between(-1, 1)));
    const Value hi = b_.band(bound.v, mask);
    std::vector<Value> inits;
    for (uint64_t i = rng_.below(3); i > 0; --i) inits.push_back(any().v);
    Loop settings;
    settings.reversed = rng_.chance(20);
    const Value v = b_.for_(lo, hi, inits, settings);
    const BlockId body = fn_[v].blocks[0], outer = b_.block;
    const std::vector<Value> params = fn_[body].params;
    const std::span<const Value> carried = std::span(params).subspan(1);
    const Joint around = joint_;
    const size_t mark = known_.size();
    b_.block = body;
    joint_ = std::min(around, bound.same);
    keep(params[0], bound.same);
    for (Value c : carried) keep(c, Joint::none);
    statements(1 + int(rng_.below(4)), depth + 1);
    if (rng_.chance(30)) {
        leave(carried);
        statements(1, depth + 1);
    }
    std::vector<Value> values;
    for (Value c : carried) values.push_back(pick(fn_.type(c).elem).v);
    b_.yield(values);
    known_.resize(mark);
    b_.block = outer;
    joint_ = around;
    const std::vector<Value> results(fn_.results(v).begin(), fn_.results(v).end());
    for (Value r : results) keep(r, Joint::none);
}

void LaneGenerator::statement(int depth) {
    const uint64_t roll = rng_.below(100);
    if (depth < 3 && roll < 12) return branch(depth);
    if (depth < 2 && roll < 22) return loop(depth);
    if (joint_ >= Joint::group && roll < 42) return group_op();
    if (joint_ >= Joint::group && roll < 45) return barrier(Joint::group);
    if (joint_ >= Joint::group && full_ && roll < 49) return exchange(Joint::group);
    if (joint_ == Joint::block && roll < 51) return barrier(Joint::block);
    if (joint_ == Joint::block && roll < 56) return exchange(Joint::block);
    if (roll < 62) return position();
    if (roll < 70) return load();
    if (roll < 78) return add_up();
    arithmetic();
}

void LaneGenerator::statements(int n, int depth) {
    for (int i = 0; i < n && budget_-- > 0; ++i) statement(depth);
}

/// A loop of full blocks may have barriers, another one has not.
void LaneGenerator::parallel() {
    static constexpr uint32_t sizes[] = {8, 16, 64};
    block_ = rng_.of(sizes);
    full_ = rng_.chance(60);
    const int32_t lo = int32_t(rng_.below(3)),
                  count = full_ ? int32_t(block_ * (1 + rng_.below(3))) : int32_t(rng_.below(90));
    const Value bounds[] = {constant(lo), constant(lo + count)};
    Loop settings;
    settings.block_dim = block_;
    const Value v = b_.parallel(bounds, settings);
    const BlockId body = fn_[v].blocks[0], outer = b_.block;
    const size_t mark = known_.size();
    b_.block = body;
    joint_ = full_ ? Joint::block : Joint::group;
    keep(fn_[body].params[0], Joint::none);
    keep(b_.emit(Op::thread_in_block, {}), Joint::none);
    budget_ = 30;
    statements(4 + int(rng_.below(8)), 0);
    for (int i = 0; i < 3; ++i) add_up();
    b_.yield();
    known_.resize(mark);
    b_.block = outer;
}

Function LaneGenerator::make() {
    fn_.name = "lanes";
    for (int i = 0; i < 2; ++i) keep(param(rng_.of(types)), Joint::block);
    read_ = param(Type::array(rng_.of(types), 1));
    sums_ = param(Type::array(Scalar::i64, 1));
    b_.block = fn_.body = fn_.make_block();
    for (uint64_t i = 1 + rng_.below(2); i > 0; --i) parallel();
    b_.ret();
    return std::move(fn_);
}

} // namespace

Function random_lanes_function(uint64_t seed) { return LaneGenerator(seed).make(); }

Inputs random_lanes_inputs(const Function &fn, uint64_t seed) {
    Inputs inputs = random_inputs(fn, seed);
    static constexpr int lanes[] = {8, 32, 64};
    inputs.lanes = lanes[seed % std::size(lanes)];
    return inputs;
}

} // namespace qd::tools
