#include "tools/random_large.h"

#include "ir/builder.h"
#include "tools/random_numbers.h"

#include <cstring>
#include <functional>

namespace qd::tools {

using namespace ir;

namespace {

/// Every float is in [-1, 1], and each step damps the errors of its operands, so that differences in rounding do not grow. No
/// integer depends on a float.
class LargeGenerator {
  public:
    LargeGenerator(uint64_t seed, size_t instructions) : rng_(seed), b_(fn_), most_(instructions) {}
    Function make(bool fast_math);

  private:
    using Values = std::vector<Value>;
    /// The values of one real type that are in scope.
    struct Reals {
        Scalar type;
        Value read, written; ///< arrays: read at any index, written at the iteration's own
        Values all, roots;   ///< roots: of numbers between 3 and 5
    };

    Value param(Type t) {
        Inst inst;
        inst.type = t;
        const Value v = fn_.make(inst);
        fn_.params.push_back(v);
        return v;
    }
    /// Picks a value in scope, half of the time one of the newest few: some values are used a thousand instructions later.
    Value of(const Values &list) {
        const size_t newest = std::min<size_t>(list.size(), 12);
        return rng_.chance(50) ? rng_.of(list) : list[list.size() - 1 - rng_.below(newest)];
    }
    Value number(const Reals &r, double least, double most) {
        return b_.number(r.type, least + (most - least) * double(rng_.below(1025)) / 1024);
    }
    Value scaled(const Reals &r, Value v, double by) {
        const Value factor = b_.number(r.type, by);
        return b_.mul(v, factor);
    }
    Value whole() { return of(wholes_); }
    Value condition() { return of(conditions_); }
    Value any_index() {
        const Value free = whole();
        const Value extent = b_.dim(counts_, 0);
        return b_.mod(free, extent);
    }
    Value own_index() { return index_ ? index_ : any_index(); }
    Value at(Value array, Value index) {
        const Value component = b_.i32(0);
        return b_.element(array, std::array{index}, component);
    }
    Reals &reals() { return reals_[rng_.below(2)]; }

    void statement(int depth);
    void real_step();
    void root(Reals &r);
    Value unary(const Reals &r, Value a);
    Value binary(const Reals &r, Value a, Value c);
    void whole_step();
    void memory();
    void branch(int depth);
    void loop(int depth);
    void inner(BlockId block, int depth, const std::function<void()> &end);

    Numbers rng_;
    Function fn_;
    Builder b_;
    const size_t most_;
    Reals reals_[2] = {{Scalar::f32, {}, {}, {}, {}}, {Scalar::f64, {}, {}, {}, {}}};
    Values wholes_, conditions_;
    Value counts_, totals_, index_; ///< arrays of integers: only read, only added to
};

void LargeGenerator::root(Reals &r) {
    const Value four = b_.number(r.type, 4);
    const Value positive = b_.add(four, of(r.all));
    r.roots.push_back(b_.sqrt(positive));
}

Value LargeGenerator::unary(const Reals &r, Value a) {
    const Value four = b_.number(r.type, 4);
    const Value positive = b_.add(four, a);
    switch (rng_.below(13)) {
    case 0: return scaled(r, b_.sin(a), 0.75);
    case 1: return scaled(r, b_.cos(a), 0.75);
    case 2: return scaled(r, b_.tanh(a), 0.75);
    case 3: return scaled(r, b_.exp(a), 0.25);
    case 4: return scaled(r, b_.log(positive), 0.5);
    case 5: return b_.rsqrt(positive);
    case 6: return scaled(r, b_.sqrt(positive), 0.25);
    case 7: return scaled(r, b_.atan(a), 0.75);
    case 8: return scaled(r, b_.neg(a), 0.875);
    case 9: return scaled(r, b_.abs(a), 0.875);
    case 10: {
        const Value whole = b_.i32(int32_t(rng_.between(1, 3)));
        const Value exponent = b_.cast(whole, r.type);
        return scaled(r, b_.pow(a, exponent), 0.25);
    }
    case 11: return b_.div(a, positive);
    }
    return b_.div(a, of(r.roots));
}

Value LargeGenerator::binary(const Reals &r, Value a, Value c) {
    switch (rng_.below(9)) {
    case 0: return scaled(r, b_.add(a, c), 0.375);
    case 1: return scaled(r, b_.sub(a, c), 0.375);
    case 2: return scaled(r, b_.mul(a, c), 0.375);
    case 3: return scaled(r, b_.min(a, c), 0.875);
    case 4: return scaled(r, b_.max(a, c), 0.875);
    case 5: {
        const Value half = scaled(r, a, 0.375);
        const Value product = b_.mul(half, c);
        return b_.add(product, number(r, -0.25, 0.25));
    }
    case 6: return scaled(r, b_.fma(a, c, of(r.all)), 0.25);
    case 7: {
        const Value square = b_.mul(c, c);
        const Value sum = b_.add(square, number(r, 3, 4));
        return b_.div(a, b_.sqrt(sum));
    }
    }
    const Value chosen = condition();
    return scaled(r, b_.select(chosen, a, c), 0.9375);
}

void LargeGenerator::real_step() {
    Reals &r = reals();
    const uint64_t roll = rng_.below(100);
    if (roll < 4) return root(r);
    if (roll < 8) return r.all.push_back(number(r, -1, 1));
    if (roll < 12) {
        const Value other = of(reals_[&r == &reals_[0]].all);
        return r.all.push_back(b_.cast(other, r.type));
    }
    if (roll < 16) {
        const Value mask = b_.i32(15);
        const Value small = b_.band(whole(), mask);
        return r.all.push_back(scaled(r, b_.cast(small, r.type), 1.0 / 16));
    }
    const Value a = of(r.all);
    if (roll < 50) return r.all.push_back(unary(r, a));
    const Value c = of(r.all);
    r.all.push_back(binary(r, a, c));
}

void LargeGenerator::whole_step() {
    const Value a = whole();
    const Value c = whole();
    switch (rng_.below(10)) {
    case 0: return wholes_.push_back(b_.add(a, c));
    case 1: return wholes_.push_back(b_.sub(a, c));
    case 2: return wholes_.push_back(b_.mul(a, c));
    case 3: return wholes_.push_back(b_.bxor(a, c));
    case 4: return wholes_.push_back(b_.shr(a, c));
    case 5: return wholes_.push_back(b_.mod(a, c));
    case 6: return wholes_.push_back(b_.div(a, c));
    case 7: return wholes_.push_back(b_.select(condition(), a, c));
    case 8: return wholes_.push_back(b_.i32(int32_t(rng_.between(-99, 99))));
    }
    conditions_.push_back(rng_.chance(50) ? b_.lt(a, c) : b_.eq(a, c));
}

void LargeGenerator::memory() {
    Reals &r = reals();
    switch (rng_.below(5)) {
    case 0: return r.all.push_back(b_.load(at(r.read, rng_.chance(50) ? own_index() : any_index())));
    case 1: return wholes_.push_back(b_.load(at(counts_, rng_.chance(50) ? own_index() : any_index())));
    case 2: {
        const Value to = at(totals_, any_index());
        b_.atomic_add(to, whole());
        return;
    }
    case 3: {
        const Value to = at(r.written, own_index());
        b_.store(to, of(r.all));
        return;
    }
    }
    const Value from = at(r.written, own_index());
    r.all.push_back(b_.load(from));
}

/// Fills an inner block. Its values are out of scope afterwards.
void LargeGenerator::inner(BlockId block, int depth, const std::function<void()> &end) {
    const BlockId outer = b_.block;
    const size_t marks[] = {wholes_.size(),       conditions_.size(),     reals_[0].all.size(),
                            reals_[1].all.size(), reals_[0].roots.size(), reals_[1].roots.size()};
    Values *lists[] = {&wholes_, &conditions_, &reals_[0].all, &reals_[1].all, &reals_[0].roots, &reals_[1].roots};
    b_.block = block;
    for (uint64_t i = rng_.below(5); i > 0; --i) statement(depth + 1);
    end();
    for (size_t i = 0; i < std::size(lists); ++i) lists[i]->resize(marks[i]);
    b_.block = outer;
}

void LargeGenerator::branch(int depth) {
    const Value made = b_.if_(condition());
    Reals &r = reals();
    for (const BlockId side : {fn_[made].blocks[0], fn_[made].blocks[1]})
        inner(side, depth, [&] { b_.yield(std::array{of(r.all), whole()}); });
    r.all.push_back(fn_.add_result(made, r.type));
    wholes_.push_back(fn_.add_result(made, Scalar::i32));
}

void LargeGenerator::loop(int depth) {
    Reals &r = reals();
    const Value begin = b_.i32(0);
    const Value mask = b_.i32(3);
    const Value end = b_.band(whole(), mask);
    const std::array inits{of(r.all), whole()};
    const Value made = b_.for_(begin, end, inits, {});
    const BlockId body = fn_[made].blocks[0];
    const Values params = fn_[body].params;
    const size_t reals_before = r.all.size(), wholes_before = wholes_.size();
    wholes_.insert(wholes_.end(), {params[0], params[2]});
    r.all.push_back(params[1]);
    inner(body, depth, [&] { b_.yield(std::array{of(r.all), whole()}); });
    r.all.resize(reals_before);
    wholes_.resize(wholes_before);
    r.all.push_back(fn_.results(made)[0]);
    wholes_.push_back(fn_.results(made)[1]);
}

void LargeGenerator::statement(int depth) {
    const uint64_t roll = rng_.below(100);
    if (depth < 3 && roll < 2) return branch(depth);
    if (depth < 3 && roll < 4) return loop(depth);
    if (roll < 15) return memory();
    if (roll < 35) return whole_step();
    real_step();
}

Function LargeGenerator::make(bool fast_math) {
    fn_.name = "large";
    fn_.fast_math = fast_math;
    for (Reals &r : reals_) {
        r.read = param(Type::array(r.type, 1));
        r.written = param(Type::array(r.type, 1));
        r.all.push_back(param(r.type));
    }
    counts_ = param(Type::array(Scalar::i32, 1));
    totals_ = param(Type::array(Scalar::i32, 1));
    wholes_.push_back(param(Scalar::i32));
    b_.block = fn_.body = fn_.make_block();
    for (int i = 0; i < 3; ++i) wholes_.push_back(b_.i32(int32_t(rng_.between(-9, 99))));
    conditions_.push_back(b_.lt(wholes_[0], wholes_[1]));
    for (Reals &r : reals_) root(r);
    const bool is_parallel = rng_.chance(60);
    const BlockId outer = b_.block;
    if (is_parallel) {
        const Value begin = b_.i32(0);
        const Value end = b_.dim(counts_, 0);
        const Value made = b_.parallel(std::array{begin, end}, {});
        b_.block = fn_[made].blocks[0];
        wholes_.push_back(index_ = fn_[b_.block].params[0]);
    }
    while (fn_.insts.size() < most_) statement(0);
    for (Reals &r : reals_) {
        const Value to = at(r.written, own_index());
        b_.store(to, of(r.all));
    }
    if (is_parallel) {
        b_.yield();
        b_.block = outer;
        b_.ret();
    } else {
        const std::array last{of(reals_[0].all), of(reals_[1].all), whole()};
        for (Value v : last) fn_.returns.push_back(fn_.type(v));
        b_.ret(last);
    }
    return std::move(fn_);
}

} // namespace

Function random_large_function(uint64_t seed, size_t instructions, bool fast_math) {
    return LargeGenerator(seed, instructions).make(fast_math);
}

Inputs random_large_inputs(const Function &fn, uint64_t seed) {
    Numbers rng(seed ^ 0x9fb21c651e98df25u);
    const int64_t extent = rng.between(1, 70);
    const auto number = [&](Scalar type) {
        return is_float(type) ? from_double(type, double(rng.between(-1024, 1024)) / 1024)
                              : from_int(type, rng.between(-50, 50));
    };
    Inputs inputs;
    for (Value p : fn.params) {
        const Type t = fn.type(p);
        if (!t.is_array()) {
            inputs.scalars.push_back(number(t.elem));
            continue;
        }
        Array array = make_array(t, {extent});
        for (size_t at = 0; at < array.bytes.size(); at += size_t(size_of(t.elem))) {
            const Constant c = number(t.elem);
            std::memcpy(&array.bytes[at], &c.bits, size_t(size_of(t.elem)));
        }
        inputs.arrays.push_back(std::move(array));
    }
    return inputs;
}

} // namespace qd::tools
