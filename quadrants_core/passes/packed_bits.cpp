#include "passes/packed_bits.h"

#include "ir/packing.h"

#include <cmath>

namespace qd::passes {

using namespace ir;

namespace {

Scalar signed_like(Scalar word) {
    const int bits = bits_of(word);
    return bits == 8 ? Scalar::i8 : bits == 16 ? Scalar::i16 : bits == 32 ? Scalar::i32 : Scalar::i64;
}

Value fixed_bits(Builder &b, const Packing &packing, Scalar word, Value number) {
    const Scalar type = b.fn.type(number).elem;
    const double least = packing.is_signed ? -std::ldexp(1, packing.bits - 1) : 0;
    const double most = std::ldexp(1, packing.digits()) - 1;
    const Value steps = b.number(type, 1 / packing.scale);
    const Value exact = b.mul(number, steps);
    const Value rounded = b.round(exact);
    const Value lower = b.number(type, least);
    const Value bounded = b.max(rounded, lower);
    const Value upper = b.number(type, most);
    const Value inside = b.min(bounded, upper);
    const bool wide = bits_of(word) == 64 || word == Scalar::u32;
    return converted(b, b.cast(inside, wide ? Scalar::i64 : Scalar::i32), word);
}

} // namespace

Value is_below_zero(Builder &b, const FloatForm &form, Value raw, Value size) {
    const Value endless = b.integer(form.bits, (2 * int64_t(form.bias) + 1) << form.digits);
    const Value zero = b.integer(form.bits, 0);
    const Value below_zero = b.lt(raw, zero);
    const Value is_number = b.le(size, endless);
    return b.band(below_zero, is_number);
}

namespace {

Value floating_bits(Builder &b, const Packing &packing, Scalar word, Value number) {
    const FloatForm form = form_of(b.fn.type(number).elem);
    const int digits = packing.digits(), fraction = digits + int(packing.is_signed);
    const auto integer = [&](int64_t v) { return b.integer(form.bits, v); };
    const Value raw = b.bitcast(number, form.bits);
    const Value all_but_sign = integer(int64_t(low_bits(bits_of(form.bits) - 1)));
    const Value size = b.band(raw, all_but_sign);
    const int drop = form.digits - digits;
    const Value half = integer(drop > 0 ? int64_t(1) << (drop - 1) : 0);
    const Value lifted = b.add(size, half);
    const Value dropped = integer(drop);
    const Value kept = b.shr(lifted, dropped); // exponent and digits; a carry propagates into the exponent
    const Value offset = integer((int64_t(form.bias) - packing.bias()) << digits);
    const Value rebased = b.sub(kept, offset);
    const Value one = integer(int64_t(1) << digits);
    const Value too_small = b.lt(rebased, one);
    const Value largest = integer(int64_t(low_bits(packing.exponent_bits + digits)));
    const Value bounded = b.min(rebased, largest);
    const Value zero = integer(0);
    const Value value = b.select(too_small, zero, bounded);
    const Value negative = is_below_zero(b, form, raw, size);
    if (!packing.is_signed) return converted(b, b.select(negative, zero, value), word);
    // exponent, sign, digits
    const Value mask = integer(int64_t(low_bits(digits)));
    const Value low = b.band(value, mask);
    const Value digit_count = integer(digits);
    const Value exponent = b.ushr(value, digit_count);
    const Value fraction_bits = integer(fraction);
    const Value high = b.shl(exponent, fraction_bits);
    const Value sign = b.select(negative, one, zero);
    const Value upper = b.bor(high, sign);
    return converted(b, b.bor(upper, low), word);
}

/// `lifted`: the word, shifted so that the number's top bit is the word's top bit.
Value floating_number(Builder &b, const Packing &packing, Value lifted, Value room, Scalar type) {
    const FloatForm form = form_of(type);
    const int digits = packing.digits(), fraction = digits + int(packing.is_signed);
    const auto integer = [&](int64_t v) { return b.integer(form.bits, v); };
    const Value narrow = b.ushr(lifted, room);
    const Value raw = converted(b, narrow, form.bits);
    const Value fraction_bits = integer(fraction);
    const Value exponent = b.ushr(raw, fraction_bits);
    const Value offset = integer(form.bias - packing.bias());
    const Value rebased = b.add(exponent, offset);
    const Value digit_count = integer(form.digits);
    const Value high = b.shl(rebased, digit_count);
    const Value mask = integer(int64_t(low_bits(digits)));
    const Value low = b.band(raw, mask);
    const Value widen = integer(form.digits - digits);
    const Value mantissa = b.shl(low, widen);
    Value joined = b.bor(high, mantissa);
    if (packing.is_signed) {
        const Value sign_at = integer(digits);
        const Value from_sign = b.ushr(raw, sign_at);
        const Value top = integer(bits_of(form.bits) - 1);
        const Value sign = b.shl(from_sign, top);
        joined = b.bor(joined, sign);
    }
    const Value zero = integer(0);
    const Value is_zero = b.eq(exponent, zero);
    const Value chosen = b.select(is_zero, zero, joined);
    return b.bitcast(chosen, type);
}

} // namespace

Value converted(Builder &b, Value v, Scalar type) { return b.fn.type(v).elem == type ? v : b.cast(v, type); }

Value packed_bits(Builder &b, const Packing &packing, Scalar word, Value number) {
    if (packing.kind == Packing::Kind::integer) return converted(b, number, word);
    if (packing.kind == Packing::Kind::fixed) return fixed_bits(b, packing, word, number);
    return floating_bits(b, packing, word, number);
}

Value unpacked_number(Builder &b, const Packing &packing, Value word, Value shift, Scalar type) {
    if (packing.kind == Packing::Kind::shared) return shared_number(b, packing, word, type);
    const Scalar elem = b.fn.type(word).elem;
    const int spare = bits_of(elem) - packing.bits;
    const Value room = b.integer(elem, spare);
    const Value up = b.sub(room, shift);
    const Value lifted = b.shl(word, up);
    if (packing.kind == Packing::Kind::floating) return floating_number(b, packing, lifted, room, type);
    const Scalar own = packing.is_signed ? signed_like(elem) : elem;
    const Value top = packing.is_signed ? b.bitcast(lifted, own) : lifted;
    const Value down = b.integer(own, spare);
    const Value number = packing.is_signed ? b.shr(top, down) : b.ushr(top, down);
    const Value value = converted(b, number, type);
    if (packing.kind == Packing::Kind::integer) return value;
    const Value scale = b.number(type, packing.scale);
    return b.mul(value, scale);
}

Value word_with_bits(Builder &b, Value word, Value shift, int count, Value bits) {
    const Value mask = b.integer(b.fn.type(word), int64_t(low_bits(count)));
    const Value low = b.band(bits, mask);
    const Value placed = b.shl(low, shift);
    const Value hole = b.shl(mask, shift);
    const Value others = b.bnot(hole);
    const Value kept = b.band(word, others);
    return b.bor(kept, placed);
}

} // namespace qd::passes
