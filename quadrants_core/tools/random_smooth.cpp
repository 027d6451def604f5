#include "tools/random_smooth.h"

#include "ir/builder.h"
#include "tools/random_numbers.h"

#include <cstring>

namespace qd::tools {

using namespace ir;

namespace {

/// Generates kernels to differentiate. Their parameters: x (only loaded), y (each element updated by its own iteration), z (only added to),
/// an array of integers, a scratch array without a companion for values with zero derivative, a float and an integer.
class SmoothGenerator {
  public:
    explicit SmoothGenerator(uint64_t seed) : rng_(seed), b_(fn_) {}
    Function make();

  private:
    using Values = std::vector<Value>;

    Value param(Type t) {
        Inst inst;
        inst.type = t;
        const Value v = fn_.make(inst);
        fn_.params.push_back(v);
        return v;
    }
    Value number() { return b_.number(Scalar::f64, double(rng_.between(-12, 12)) / 8); }
    /// Picks a value, newer ones more often.
    Value of(const Values &list) {
        const size_t n = list.size();
        return list[n - 1 - std::min(rng_.below(n), rng_.below(n))];
    }
    Value real() { return reals_.empty() || rng_.chance(10) ? number() : of(reals_); }
    Value whole() { return wholes_.empty() || rng_.chance(10) ? b_.i32(int32_t(rng_.below(6))) : of(wholes_); }
    Value any_index() {
        const Value free = whole();
        const Value extent = b_.dim(x_, 0);
        return b_.mod(free, extent);
    }
    Value own_index() { return index_ ? index_ : any_index(); }
    Value at(Value array, Value index) {
        const Value component = b_.i32(0);
        return b_.element(array, std::array{index}, component);
    }
    Value scratch(Value index) {
        const Value zero = b_.i32(0);
        return b_.element(scratch_, std::array{index, zero}, zero);
    }
    Value in_local(Value local) {
        const Value free = whole();
        const Value mask = b_.i32(3);
        const Value inside = b_.band(free, mask);
        const Value wide = b_.cast(inside, Scalar::i64);
        const Value eight = b_.i64(8);
        const Value bytes = b_.mul(wide, eight);
        return b_.offset(local, bytes, Scalar::f64);
    }
    void add_up() {
        const Value p = at(z_, any_index());
        b_.atomic_add(p, real());
    }
    /// Updates an element by a linear function of its old value.
    void update() {
        const Value p = at(y_, own_index());
        const Value old = b_.load(p);
        const Value factor = number();
        const Value scaled = b_.mul(old, factor);
        const Value more = real();
        const Value sum = b_.add(scaled, more);
        b_.store(p, rng_.chance(20) ? more : sum);
    }
    /// Updates a local by a nonlinear function of its old value, which reverse mode needs therefore.
    void update_local() {
        const Value p = in_local(of(locals_));
        const Value old = b_.load(p);
        const Value other = real();
        const Value product = tame(b_.mul(old, other));
        reals_.push_back(product);
        b_.store(p, real());
    }
    Value condition() {
        if (rng_.chance(40)) {
            const Value a = real();
            const Value b = real();
            return b_.lt(a, b);
        }
        const Value a = whole();
        const Value b = whole();
        return b_.le(a, b);
    }
    /// Limits a value to [-1, 1].
    Value tame(Value v) { return rng_.chance(50) ? b_.tanh(v) : b_.sin(v); }

    void statements(int n, int depth);
    void statement(int depth);
    void compute();
    Value unary(Value a);
    Value binary(Value a, Value c);
    void branch(int depth);
    void loop(int depth);
    void skip(int depth);
    void apart();
    void memory();
    Values picks(const std::vector<Scalar> &types) {
        Values list;
        for (Scalar t : types) list.push_back(is_float(t) ? real() : whole());
        return list;
    }
    void keep(Value v) { (fn_.type(v).is_float() ? reals_ : wholes_).push_back(v); }

    Numbers rng_;
    Function fn_;
    Builder b_;
    Value x_, y_, z_, counts_, scratch_, index_;
    Values reals_, wholes_, locals_;
    std::vector<Scalar> carried_; ///< types that the current loop carries
    bool in_loop_ = false;
    int budget_ = 0;
    bool scratch_ready_ = false;
};

Value SmoothGenerator::unary(Value a) {
    const Value squared = b_.mul(a, a);
    const Value one = b_.number(Scalar::f64, 1);
    const Value positive = b_.add(squared, one);
    switch (rng_.below(18)) {
    case 0: return b_.sin(a);
    case 1: return b_.cos(a);
    case 2: return b_.tanh(a);
    case 3: return b_.atan(a);
    case 4: return b_.sqrt(positive);
    case 5: return b_.rsqrt(positive);
    case 6: return b_.log(positive);
    case 7: return b_.log2(positive);
    case 8: return b_.abs(a);
    case 9: return b_.neg(a);
    case 10: return b_.floor(a);
    case 11: return b_.exp(tame(a));
    case 12: return b_.tan(tame(a));
    case 13: {
        const Value half = b_.number(Scalar::f64, 0.5);
        const Value small = b_.mul(tame(a), half);
        return rng_.chance(50) ? b_.asin(small) : b_.acos(small);
    }
    case 14: return b_.sign(a);
    case 15: return b_.cast(a, Scalar::f64);
    case 16: return b_.ceil(a);
    }
    return b_.trunc(a);
}

Value SmoothGenerator::binary(Value a, Value c) {
    const Value squared = b_.mul(c, c);
    const Value one = b_.number(Scalar::f64, 1);
    const Value positive = b_.add(squared, one);
    switch (rng_.below(14)) {
    case 0:
    case 1: return b_.add(a, c);
    case 2: return b_.sub(a, c);
    case 3:
    case 4: return tame(b_.mul(a, c));
    case 5: return b_.div(a, positive);
    case 6: return b_.min(a, c);
    case 7: return b_.max(a, c);
    case 8: return b_.atan2(a, positive);
    case 9: {
        const Value small = tame(a);
        return b_.pow(positive, small);
    }
    case 10: return b_.mod(a, positive);
    case 11: return b_.floordiv(a, positive);
    case 12: {
        const Value third = real();
        return tame(b_.fma(a, c, third));
    }
    }
    const Value chosen = condition();
    return b_.select(chosen, a, c);
}

void SmoothGenerator::compute() {
    if (rng_.chance(15)) {
        const Value a = whole();
        const Value c = whole();
        wholes_.push_back(rng_.chance(50) ? b_.add(a, c) : b_.sub(a, c));
        return;
    }
    const Value a = real();
    if (rng_.chance(30)) return reals_.push_back(unary(a));
    const Value c = real();
    reals_.push_back(binary(a, c));
}

void SmoothGenerator::branch(int depth) {
    const Value made = b_.if_(condition());
    std::vector<Scalar> types;
    for (uint64_t i = rng_.below(3); i > 0; --i) types.push_back(rng_.chance(80) ? Scalar::f64 : Scalar::i32);
    const BlockId outer = b_.block;
    for (BlockId side : {fn_[made].blocks[0], fn_[made].blocks[1]}) {
        const Values reals = reals_, wholes = wholes_, locals = locals_;
        b_.block = side;
        if (side == fn_[made].blocks[0] || rng_.chance(60)) statements(int(rng_.below(5)), depth + 1);
        b_.yield(picks(types));
        reals_ = reals, wholes_ = wholes, locals_ = locals;
    }
    b_.block = outer;
    for (Scalar t : types) keep(fn_.add_result(made, t));
}

/// Makes a branch with paths that skip the rest of the iteration.
void SmoothGenerator::skip(int depth) {
    const Value made = b_.if_(condition());
    const BlockId outer = b_.block;
    const uint64_t leaves = rng_.below(4); // 0, 1: that side skips; more: paths inside both
    std::vector<Scalar> types;
    for (uint64_t i = rng_.below(3); i > 0; --i) types.push_back(rng_.chance(80) ? Scalar::f64 : Scalar::i32);
    for (uint64_t side = 0; side < 2; ++side) {
        const Values reals = reals_, wholes = wholes_, locals = locals_;
        b_.block = fn_[made].blocks[side];
        statements(int(rng_.below(3)), depth + 1);
        if (leaves > 1 && depth < 4 && rng_.chance(60)) skip(depth + 1);
        if (leaves == side)
            b_.continue_(picks(carried_));
        else
            b_.yield(picks(types));
        reals_ = reals, wholes_ = wholes, locals_ = locals;
    }
    b_.block = outer;
    for (Scalar t : types) keep(fn_.add_result(made, t));
}

/// Makes a branch at the top level without results.
void SmoothGenerator::apart() {
    const Value made = b_.if_(condition());
    const BlockId outer = b_.block;
    for (BlockId side : {fn_[made].blocks[0], fn_[made].blocks[1]}) {
        const Values reals = reals_, wholes = wholes_;
        b_.block = side;
        budget_ = 12;
        loop(1);
        statements(4, 1);
        add_up();
        b_.yield();
        reals_ = reals, wholes_ = wholes;
        locals_.clear();
    }
    b_.block = outer;
}

void SmoothGenerator::loop(int depth) {
    const Value lo = b_.i32(int32_t(rng_.between(0, 1)));
    Value hi = b_.i32(int32_t(rng_.between(0, 5)));
    if (rng_.chance(50)) {
        const Value free = whole();
        const Value seven = b_.i32(rng_.chance(50) ? 3 : 7);
        hi = b_.band(free, seven);
    }
    Values inits;
    for (uint64_t i = rng_.below(3); i > 0; --i) inits.push_back(rng_.chance(85) ? real() : whole());
    Loop flags;
    flags.reversed = rng_.chance(20);
    const Value made = b_.for_(lo, hi, inits, flags);
    const BlockId body = fn_[made].blocks[0], outer = b_.block;
    const Values reals = reals_, wholes = wholes_, locals = locals_;
    b_.block = body;
    const Values params = fn_[body].params;
    wholes_.push_back(params[0]);
    if (rng_.chance(60)) { // a value that differs between iterations
        const Value extent = b_.dim(x_, 0);
        const Value inside = b_.mod(params[0], extent);
        reals_.push_back(b_.load(at(x_, inside)));
    }
    if (!locals_.empty() && rng_.chance(30)) update_local();
    const std::vector<Scalar> around = carried_;
    const bool was_in_loop = in_loop_;
    carried_.clear();
    for (size_t k = 1; k < params.size(); ++k) carried_.push_back(fn_.type(params[k]).elem);
    in_loop_ = true;
    const bool linear = rng_.chance(50);
    if (!linear)
        for (size_t k = 1; k < params.size(); ++k) keep(params[k]);
    statements(1 + int(rng_.below(5)), depth + 1);
    Values next;
    for (size_t k = 1; k < params.size(); ++k) {
        if (!linear || !fn_.type(params[k]).is_float()) {
            next.push_back(fn_.type(params[k]).is_float() ? real() : whole());
            continue;
        }
        if (rng_.chance(40)) { // a sum, sometimes under a condition
            const Value more = real();
            const Value sum = rng_.chance(70) ? b_.add(params[k], more) : b_.sub(more, params[k]);
            const Value chosen = rng_.chance(50) ? condition() : Value{};
            next.push_back(chosen ? b_.select(chosen, sum, params[k]) : sum);
            continue;
        }
        const Value from = params[1 + rng_.below(params.size() - 1)];
        const Value factor = rng_.chance(50) ? number() : tame(real());
        const Value product = b_.mul(fn_.type(from).is_float() ? from : params[k], factor);
        const Value more = real();
        next.push_back(b_.add(product, more));
    }
    b_.yield(next);
    carried_ = around;
    in_loop_ = was_in_loop;
    reals_ = reals, wholes_ = wholes, locals_ = locals;
    b_.block = outer;
    for (Value r : Values(fn_.results(made).begin(), fn_.results(made).end())) keep(r);
}

void SmoothGenerator::memory() {
    switch (rng_.below(13)) {
    case 0:
    case 1:
    case 2: return reals_.push_back(b_.load(at(x_, rng_.chance(50) ? own_index() : any_index())));
    case 3: return add_up();
    case 4: return wholes_.push_back(b_.load(at(counts_, any_index())));
    case 5: return update();
    case 6: locals_.push_back(b_.local(Scalar::f64, 4)); return;
    case 7:
    case 8:
        if (!locals_.empty()) reals_.push_back(b_.load(in_local(of(locals_))));
        return;
    case 9:
    case 10:
        if (!locals_.empty()) b_.store(in_local(of(locals_)), real());
        return;
    }
    if (!scratch_ready_) return;
    const Value p = scratch(own_index());
    if (rng_.chance(50))
        b_.store(p, b_.floor(real()));
    else
        reals_.push_back(b_.load(p));
}

void SmoothGenerator::statement(int depth) {
    const uint64_t roll = rng_.below(100);
    if (depth < 4 && roll < 10) return branch(depth);
    if (depth < 4 && roll < 22) return loop(depth);
    if (depth < 4 && in_loop_ && roll < 26) return skip(depth);
    if (roll < 50) return memory();
    compute();
}

void SmoothGenerator::statements(int n, int depth) {
    for (int i = 0; i < n && budget_ > 0; ++i) {
        --budget_;
        statement(depth);
    }
}

Function SmoothGenerator::make() {
    fn_.name = "smooth";
    const Type line = Type::array(Scalar::f64, 1);
    x_ = param(line), param(line);
    y_ = param(line), param(line);
    z_ = param(line), param(line);
    counts_ = param(Type::array(Scalar::i32, 1));
    scratch_ = param(Type::array(Scalar::f64, 2));
    reals_.push_back(param(Scalar::f64));
    wholes_.push_back(param(Scalar::i32));
    b_.block = fn_.body = fn_.make_block();
    budget_ = 30;
    if (rng_.chance(30)) {
        statements(30, 0);
        add_up();
        b_.ret();
        return std::move(fn_);
    }
    for (uint64_t loops = 1 + rng_.below(2); loops > 0; --loops) {
        if (rng_.chance(30)) compute();
        if (rng_.chance(20)) reals_.push_back(b_.load(at(x_, any_index())));
        if (rng_.chance(20)) apart();
        const Value zero = b_.i32(0);
        const Value extent = b_.dim(x_, 0);
        Loop flags;
        flags.serialize = rng_.chance(30);
        const Value made = b_.parallel(std::array{zero, extent}, flags);
        const Values reals = reals_, wholes = wholes_;
        const BlockId outer = b_.block;
        b_.block = fn_[made].blocks[0];
        const Value first = fn_[b_.block].params[0];
        wholes_.push_back(first);
        index_ = flags.serialize ? Value{} : first; // runs in order, so all elements may be updated
        if (rng_.chance(40)) locals_.push_back(b_.local(Scalar::f64, 4));
        if ((scratch_ready_ = index_ && rng_.chance(30))) b_.store(scratch(index_), b_.floor(real()));
        budget_ = 25;
        statements(25, 1);
        if (flags.serialize) update();
        add_up();
        b_.yield();
        index_ = {};
        scratch_ready_ = false;
        locals_.clear();
        reals_ = reals, wholes_ = wholes;
        b_.block = outer;
    }
    b_.ret();
    return std::move(fn_);
}

} // namespace

Function random_smooth_function(uint64_t seed) { return SmoothGenerator(seed).make(); }

Inputs random_smooth_inputs(const Function &fn, uint64_t seed) {
    Numbers rng(seed ^ 0x2545f4914f6cdd1du);
    const int64_t extent = rng.between(1, 5);
    const auto number = [&](Scalar type) {
        return type == Scalar::f64 ? from_double(type, double(rng.between(-4000, 4000)) / 2048 + 1e-4)
                                   : from_int(type, rng.between(0, 6));
    };
    Inputs inputs;
    for (Value p : fn.params) {
        const Type t = fn.type(p);
        if (!t.is_array()) {
            inputs.scalars.push_back(number(t.elem));
            continue;
        }
        Array array = make_array(t, std::vector<int64_t>(t.ndim, extent));
        for (size_t at = 0; at < array.bytes.size(); at += size_t(size_of(t.elem))) {
            const Constant c = number(t.elem);
            std::memcpy(&array.bytes[at], &c.bits, size_t(size_of(t.elem)));
        }
        inputs.arrays.push_back(std::move(array));
    }
    return inputs;
}

autodiff::Companions paired_companions(const Function &fn) {
    autodiff::Companions found;
    found.arrays.resize(fn.params.size());
    size_t open = fn.params.size();
    for (size_t i = 0; i < fn.params.size(); ++i) {
        if (fn.type(fn.params[i]) != Type::array(Scalar::f64, 1)) continue;
        if (open == fn.params.size()) {
            open = i;
        } else {
            found.arrays[open] = fn.params[i];
            open = fn.params.size();
        }
    }
    return found;
}

} // namespace qd::tools
