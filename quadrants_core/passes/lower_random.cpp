// Random numbers become integer arithmetic on the state of the thread's generator: one step of it (must match device_lib/random.h), then
// the high bits of the resulting word. Integers are these bits; a float is their value times the power of two that makes it less than 1,
// exact in its type.
#include "passes/passes.h"
#include "passes/rewrite.h"

#include <cmath>

namespace qd::passes {

using namespace ir;

namespace {

/// Shifts a u64 left by this many bits, or right if negative.
Value shifted(Builder &b, Value x, int left) {
    const Value count = b.integer(Scalar::u64, left < 0 ? -left : left);
    return left < 0 ? b.ushr(x, count) : b.shl(x, count);
}

Value rotated(Builder &b, Value x, int left) {
    const Value high = shifted(b, x, left);
    const Value low = shifted(b, x, left - 64);
    return b.bor(high, low);
}

Value next_word(Builder &b) {
    const Value low = b.emit(Op::random_state, {}, Type::pointer(Scalar::u64));
    const Value high = b.offset(low, b.i64(8), Scalar::u64);
    const Value s0 = b.load(low);
    const Value s1 = b.load(high);
    const Value sum = b.add(s0, s1);
    const Value turned = rotated(b, sum, 17);
    const Value word = b.add(turned, s0);
    const Value mixed = b.bxor(s1, s0);
    const Value first = rotated(b, s0, 49);
    const Value both = b.bxor(first, mixed);
    const Value next = b.bxor(both, shifted(b, mixed, 21));
    b.store(low, next);
    b.store(high, rotated(b, mixed, 28));
    return word;
}

/// Number of random bits in a value of this type.
int bits_for(Scalar type) {
    return type == Scalar::f16 ? 11 : type == Scalar::f32 ? 24 : type == Scalar::f64 ? 53 : bits_of(type);
}

Value number(Builder &b, Value v) {
    const Type type = b.fn.type(v);
    const int bits = bits_for(type.elem);
    Value word = next_word(b);
    if (bits < 64) word = shifted(b, word, bits - 64);
    if (!type.is_float()) return b.cast(word, type);
    const Type wide = type.elem == Scalar::f64 ? Scalar::f64 : Scalar::f32;
    // Not negative, so the signed conversion, which is faster, gives the same.
    const Value whole = b.bitcast(word, Scalar::i64);
    const Value converted = b.cast(whole, wide);
    const Value unit = b.number(wide, std::ldexp(1.0, -bits));
    const Value fraction = b.mul(converted, unit);
    return type == wide ? fraction : b.cast(fraction, type);
}

} // namespace

bool lower_random(Function &fn, const Config &) {
    return expand_each(fn, [&](Value v) { return fn[v].op == Op::random; }, number);
}

} // namespace qd::passes
