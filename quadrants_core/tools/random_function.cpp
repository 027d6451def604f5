#include "tools/random_generator.h"

#include <cstring>

namespace qd::tools {

namespace {

/// True if the last bits of the result differ between machines.
bool is_transcendental(Op op) { return (info(op).traits & routine) || op == Op::rsqrt; }

/// Returns every arithmetic op; the plain ones more often.
const std::vector<Op> &arithmetic_ops() {
    static const std::vector<Op> ops = [] {
        std::vector<Op> list{Op::add, Op::sub, Op::mul};
        for (int i = 0; i < op_count; ++i)
            if (ir::is_arithmetic(Op(i))) list.push_back(Op(i));
        return list;
    }();
    return ops;
}

} // namespace

std::vector<Op> ops_of(Family family) {
    std::vector<Op> list;
    for (int i = 0; i < op_count; ++i)
        if (ir::family(Op(i)) == family) list.push_back(Op(i));
    return list;
}

Value Generator::constant(Scalar type) { return b_.constant(type, rng_.number(type).bits); }

Value Generator::any() {
    if (visible_.empty()) return constant(scalar());
    size_t n = visible_.size();
    size_t back = std::min(rng_.below(n), rng_.below(n)); // newer ones more often
    return visible_[n - 1 - back];
}

Value Generator::pick(Scalar type) {
    for (int tries = 0; tries < 4; ++tries) {
        Value v = any();
        if (fn_.type(v) == Type(type)) return v;
    }
    Value v = any();
    if (rng_.chance(30) || fn_.type(v) == Type(type)) return fn_.type(v) == Type(type) ? v : constant(type);
    return b_.cast(v, type);
}

void Generator::arithmetic() {
    Scalar type = scalar();
    Op op = rng_.of(arithmetic_ops());
    if ((info(op).traits & float_only) && !is_float(type)) type = rng_.chance(50) ? Scalar::f32 : Scalar::f64;
    if ((info(op).traits & int_only) && !is_int(type)) type = Scalar::i32;
    if (is_float(type) && is_transcendental(op) && !options_.transcendental) return;
    std::vector<Value> args;
    for (int i = 0; i < info(op).operands; ++i) args.push_back(pick(type));
    if (args.size() == 2 && rng_.chance(5)) args[1] = args[0];
    keep(b_.emit(op, args));
}

void Generator::comparison() {
    static const std::vector<Op> ops = ops_of(Family::comparison);
    Scalar type = scalar();
    Value x = pick(type);
    Value y = pick(type);
    Value c = b_.emit(rng_.of(ops), {x, y});
    const bool votes = rng_.chance(10) && parallel_ && !parallel_->serialize;
    keep(votes ? b_.group_any(c) : c);
    if (!rng_.chance(40)) return;
    Scalar other = scalar();
    Value t = pick(other);
    Value f = pick(other);
    keep(b_.select(c, t, f));
}

void Generator::conversion() {
    Value v = any();
    Scalar from = fn_.type(v).elem;
    // Integers are not reinterpreted as floats: a subnormal among them may or may not be flushed.
    if (rng_.chance(20) && is_int(from) && from != Scalar::u1) {
        for (Scalar to : all_scalars)
            if (is_int(to) && to != from && bits_of(to) == bits_of(from) && rng_.chance(60))
                return keep(b_.bitcast(v, to));
    }
    if (rng_.chance(10)) return bits_of_float();
    keep(b_.cast(v, scalar()));
}

/// Returns a float that is neither NaN nor one of the numbers that devices flush.
Value Generator::clean_float(Scalar type) {
    Value x = pick(type);
    Value size = b_.abs(x);
    const uint64_t smallest = type == Scalar::f64 ? 0x0010000000000000u : type == Scalar::f32 ? 0x00800000u : 0x0400u;
    Value least = b_.constant(type, smallest);
    Value normal = b_.ge(size, least);
    Value zero = b_.constant(type, 0);
    return b_.select(normal, x, zero);
}

void Generator::bits_of_float() {
    bool wide = rng_.chance(50);
    Value clean = clean_float(wide ? Scalar::f64 : Scalar::f32);
    keep(b_.bitcast(clean, wide ? Scalar::i64 : Scalar::u32));
}

std::vector<Value> Generator::values_like(std::span<const Value> model) {
    std::vector<Value> types(model.begin(), model.end()), list;
    for (Value m : types) list.push_back(pick(fn_.type(m).elem));
    return list;
}

void Generator::leave_loop(bool breaks, bool yields_too) {
    LoopFrame frame = loops_.back();
    std::vector<Value> values = values_like(frame.carried);
    if (frame.counts && !breaks) {
        Value one = b_.i32(1);
        values[0] = b_.add(frame.carried[0], one);
    }
    if (breaks)
        b_.break_(values);
    else if (yields_too)
        b_.yield(values);
    else
        b_.continue_(values);
}

void Generator::branch(int depth) {
    Value condition = pick(Scalar::u1);
    Value v = b_.if_(condition);
    std::vector<Scalar> types;
    for (uint64_t i = rng_.below(3); i > 0; --i) types.push_back(scalar());
    BlockId outer = b_.block;
    bool leaves = !loops_.empty() && types.empty() && rng_.chance(40);
    for (int k = 0; k < 2; ++k) {
        size_t mark = visible_.size(), storages = storage_.size();
        b_.block = fn_[v].blocks[k];
        if (k == 0 || rng_.chance(60)) statements(int(rng_.below(5)), depth + 1);
        if (leaves && k == 0) {
            leave_loop(rng_.chance(60), false);
        } else {
            std::vector<Value> values;
            for (Scalar t : types) values.push_back(pick(t));
            b_.yield(values);
        }
        visible_.resize(mark);
        storage_.resize(storages);
    }
    b_.block = outer;
    for (Scalar t : types) keep(fn_.add_result(v, t));
}

/// Fills the body of a loop and returns to the block around it.
void Generator::body(Value control, BlockId block, std::span<const Value> carried, int depth) {
    BlockId outer = b_.block;
    size_t mark = visible_.size(), storages = storage_.size();
    b_.block = block;
    for (Value c : carried) keep(c);
    loops_.push_back({{carried.begin(), carried.end()}, false});
    statements(1 + int(rng_.below(7)), depth + 1);
    leave_loop(false, rng_.chance(95));
    loops_.pop_back();
    visible_.resize(mark);
    storage_.resize(storages);
    b_.block = outer;
    std::vector<Value> results(fn_.results(control).begin(), fn_.results(control).end());
    for (Value r : results) keep(r);
}

void Generator::counted_loop(int depth) {
    Scalar type = rng_.chance(80) ? Scalar::i32 : Scalar::i64;
    Value lo = b_.integer(type, rng_.between(-2, 2));
    Value hi = b_.integer(type, rng_.between(-1, 6));
    if (rng_.chance(40)) { // a bound known only at run time: 0 to 7
        Value v = pick(type);
        Value mask = b_.integer(type, 7);
        hi = b_.band(v, mask);
    }
    std::vector<Value> inits;
    for (uint64_t i = rng_.below(3); i > 0; --i) inits.push_back(pick(scalar()));
    Loop loop;
    loop.reversed = rng_.chance(20);
    Value v = b_.for_(lo, hi, inits, loop);
    BlockId block = fn_[v].blocks[0];
    std::vector<Value> params = fn_[block].params;
    size_t mark = visible_.size();
    keep(params[0]);
    std::vector<Value> carried(params.begin() + 1, params.end());
    body(v, block, carried, depth);
    // The index went into the outer scope with the values that were there before: remove it.
    visible_.erase(visible_.begin() + ptrdiff_t(mark));
}

/// Makes a loop with a counter of its own, so that it terminates.
void Generator::open_loop(int depth) {
    std::vector<Value> inits = {b_.i32(0)};
    for (uint64_t i = rng_.below(3); i > 0; --i) inits.push_back(pick(scalar()));
    Value v = b_.loop(inits, {});
    BlockId block = fn_[v].blocks[0], outer = b_.block;
    std::vector<Value> carried = fn_[block].params;
    b_.block = block;
    Value limit = b_.i32(int32_t(rng_.below(6)));
    Value done = b_.ge(carried[0], limit);
    Value check = b_.if_(done);
    b_.block = fn_[check].blocks[0];
    b_.break_(carried);
    b_.block = fn_[check].blocks[1];
    b_.yield();
    b_.block = block;

    size_t mark = visible_.size(), storages = storage_.size();
    for (Value c : carried) keep(c);
    loops_.push_back({carried, true});
    statements(1 + int(rng_.below(6)), depth + 1);
    leave_loop(false, rng_.chance(95));
    loops_.pop_back();
    visible_.resize(mark);
    storage_.resize(storages);
    b_.block = outer;
    std::vector<Value> results(fn_.results(v).begin(), fn_.results(v).end());
    for (Value r : results) keep(r);
}

void Generator::parallel_loop() {
    std::vector<size_t> arrays;
    for (size_t i = 0; i < storage_.size(); ++i)
        if (storage_[i].kind == Storage::Kind::array) arrays.push_back(i);
    std::vector<Value> bounds;
    int ndim = arrays.empty() ? 1 : storage_[rng_.of(arrays)].ndim;
    const Storage *over = nullptr;
    for (size_t i : arrays)
        if (storage_[i].ndim == ndim) over = &storage_[i];
    for (int axis = 0; axis < ndim; ++axis) {
        bounds.push_back(b_.i32(int32_t(rng_.chance(70) ? 0 : rng_.below(3))));
        bounds.push_back(over ? b_.dim(over->value, axis) : b_.i32(int32_t(rng_.below(40))));
    }
    Loop loop;
    loop.serialize = rng_.chance(10);
    Value v = b_.parallel(bounds, loop);
    BlockId block = fn_[v].blocks[0], outer = b_.block;
    std::vector<Storage> before = storage_;
    size_t mark = visible_.size();
    for (Storage &s : storage_) {
        static constexpr Use uses[] = {Use::read, Use::own, Use::own, Use::atomic};
        s.use = rng_.of(uses);
        if (s.use == Use::own && (s.kind != Storage::Kind::array || s.ndim != ndim)) s.use = Use::read;
        if (s.use == Use::atomic && !is_int(s.elem)) s.use = Use::read;
        if (fn_.type(s.value).space == Space::constant) s.use = Use::read;
    }
    indices_ = fn_[block].params;
    for (Value index : indices_) keep(index);
    parallel_ = &loop;
    b_.block = block;
    statements(3 + int(rng_.below(8)), 1);
    if (rng_.chance(80)) memory();
    b_.yield();
    parallel_ = nullptr;
    indices_.clear();
    visible_.resize(mark);
    storage_ = before;
    b_.block = outer;
}

uint32_t Generator::message(int values) {
    Message m;
    for (int i = 0; i < values; ++i) {
        m.pieces.push_back({"v" + std::to_string(i) + "=", -1});
        m.pieces.push_back({"", i});
    }
    m.pieces.push_back({"\n", -1});
    fn_.messages.push_back(m);
    return uint32_t(fn_.messages.size() - 1);
}

void Generator::effect() {
    uint64_t kind = rng_.below(5);
    if (kind == 0) {
        Counter counter;
        counter.what = Counter::What(rng_.below(6));
        fn_.counters.push_back(counter);
        Value n = b_.i64(1);
        if (rng_.chance(50)) {
            Value c = pick(Scalar::u1);
            n = b_.cast(c, Scalar::i64);
        }
        b_.count(uint32_t(fn_.counters.size() - 1), n);
        return;
    }
    if (kind == 4) {
        b_.emit(rng_.chance(50) ? Op::block_sync : Op::group_sync, {});
        return;
    }
    if (parallel_) return;
    if (kind == 1) {
        const auto number = [&] {
            Scalar type = scalar();
            if (options_.transcendental && is_float(type))
                type = Scalar::i64; // the text would differ in the last digit
            return is_float(type) ? clean_float(type) : pick(type);
        };
        Value x = number();
        Value y = number();
        uint32_t m = message(2);
        b_.emit(Op::print, {x, y}, {}, m);
    } else if (kind == 2) {
        Value x = pick(Scalar::u8);
        Value limit = b_.constant(Scalar::u8, 240);
        Value ok = b_.le(x, limit);
        uint32_t m = message(1);
        b_.emit(Op::assert_, {ok, x}, {}, m);
    } else if (rng_.chance(80)) {
        keep(b_.random(scalar()));
    } else {
        b_.emit(Op::clock, {}, Scalar::i64); // its result is not used: it differs from run to run
        keep(b_.emit(Op::thread_index, {}, Scalar::i32));
    }
}

void Generator::statement(int depth) {
    uint64_t roll = rng_.below(100);
    if (options_.control && depth < 4 && roll < 8) return branch(depth);
    if (options_.control && depth < 3 && roll < 14) return rng_.chance(60) ? counted_loop(depth) : open_loop(depth);
    if (options_.control && options_.parallel && depth == 0 && roll < 22) return parallel_loop();
    if (options_.arrays && roll < 42) return memory();
    if (roll < 45) return make_memory();
    if (options_.effects && roll < 49) return effect();
    if (roll < 60) return comparison();
    if (roll < 72) return conversion();
    arithmetic();
}

void Generator::statements(int n, int depth) {
    for (int i = 0; i < n && budget_ > 0; ++i) {
        --budget_;
        statement(depth);
    }
}

Function Generator::make() {
    fn_.name = "random";
    parameters();
    b_.block = fn_.body = fn_.make_block();
    budget_ = options_.statements;
    if (rng_.chance(15)) budget_ *= 4;
    while (budget_ > 0) statements(1, 0);
    std::vector<Value> returned;
    for (uint64_t i = rng_.below(4); i > 0; --i) {
        Value v = any();
        returned.push_back(v);
        fn_.returns.push_back(fn_.type(v));
    }
    b_.ret(returned);
    return std::move(fn_);
}

Function random_function(uint64_t seed, const RandomOptions &options) { return Generator(seed, options).make(); }

Inputs random_inputs(const Function &fn, uint64_t seed) {
    Numbers rng(seed ^ 0x5851f42d4c957f2du);
    Inputs inputs;
    int64_t line = rng.between(1, 40), rows = rng.between(1, 6), columns = rng.between(1, 9);
    for (Value p : fn.params) {
        Type t = fn.type(p);
        if (!t.is_array()) {
            inputs.scalars.push_back(rng.number(t.elem));
            continue;
        }
        Array array = make_array(t, t.ndim == 1 ? std::vector<int64_t>{line} : std::vector<int64_t>{rows, columns});
        for (size_t at = 0; at < array.bytes.size(); at += size_t(size_of(t.elem))) {
            Constant c = rng.number(t.elem);
            std::memcpy(&array.bytes[at], &c.bits, size_t(size_of(t.elem)));
        }
        inputs.arrays.push_back(std::move(array));
    }
    return inputs;
}

} // namespace qd::tools
