// Floating-point numbers that share one exponent in their word (Packing::Kind::shared).
#include "passes/packed_bits.h"

#include "ir/packing.h"

namespace qd::passes {

using namespace ir;

namespace {

/// Extracts bits of a word as an integer.
Value bits_at(Builder &b, Value word, int shift, int count, Scalar type) {
    const Scalar elem = b.fn.type(word).elem;
    const Value at = b.integer(elem, shift);
    const Value mask = b.integer(elem, int64_t(low_bits(count)));
    const Value down = b.ushr(word, at);
    const Value bits = b.band(down, mask);
    return converted(b, bits, type);
}

/// A word being updated: one number changes, and possibly the exponent and all numbers that share it.
struct Change {
    Builder &b;
    const Packing &packing;
    Value word;
    Scalar type;
    FloatForm form = form_of(type);

    Value integer(int64_t v) const { return b.integer(form.bits, v); }
    Value take(int shift, int count) const { return bits_at(b, word, shift, count, form.bits); }
    void put(int shift, int count, Value bits) {
        const Scalar elem = b.fn.type(word).elem;
        const Value first = b.integer(elem, shift);
        const Value wide = converted(b, bits, elem);
        word = word_with_bits(b, word, first, count, wide);
    }

    /// Shifts right with rounding.
    Value shifted(Value bits, Value by) const {
        const Value one = integer(1);
        const Value last = integer(form.digits + 2);
        const Value count = b.min(by, last);
        const Value unit = b.shl(one, count);
        const Value half = b.ushr(unit, one);
        const Value lifted = b.add(bits, half);
        return b.ushr(lifted, count);
    }

    /// The exponent that the number would have alone, rounded to its digits; below 1 if it is too small.
    Value own_exponent(Value size) const {
        const int drop = form.digits - (packing.digits() - 1);
        const Value half = integer(drop > 0 ? int64_t(1) << (drop - 1) : 0);
        const Value rounded = b.add(size, half);
        const Value place = integer(form.digits);
        const Value exponent = b.shr(rounded, place);
        const Value offset = integer(form.bias - packing.bias());
        return b.sub(exponent, offset);
    }

    /// The exponent that another number needs; 0 if the number is 0.
    Value needed(Value size, int digits, Value before) const {
        const Value free = converted(b, b.clz(size), form.bits);
        const Value spare = integer(bits_of(form.bits) - digits);
        const Value unused = b.sub(free, spare);
        const Value least = b.sub(before, unused);
        const Value one = integer(1);
        const Value needed = b.max(least, one);
        const Value zero = integer(0);
        const Value is_zero = b.eq(size, zero);
        return b.select(is_zero, zero, needed);
    }

    /// The number's digits at the given exponent: the mantissa of the float including its leading 1, shifted.
    Value digits_at(Value exponent, Value size, Value own, Value largest) const {
        const int digits = packing.digits();
        const Value zero = integer(0);
        const Value place = integer(form.digits);
        const Value biased = b.ushr(size, place);
        const Value offset = integer(form.bias - packing.bias());
        const Value raw_exponent = b.sub(biased, offset);
        const Value mantissa_mask = integer(int64_t(low_bits(form.digits)));
        const Value fraction = b.band(size, mantissa_mask);
        const Value leading = integer(int64_t(1) << form.digits);
        const Value full = b.bor(fraction, leading);
        const Value difference = b.sub(exponent, raw_exponent);
        const Value drop = integer(form.digits - (digits - 1));
        const Value by = b.add(difference, drop);
        const Value shift = b.max(by, zero);
        const Value kept = shifted(full, shift);
        const Value most = integer(int64_t(low_bits(digits)));
        const Value too_large = b.gt(own, largest);
        const Value inside = b.min(kept, most);
        const Value bounded = b.select(too_large, most, inside);
        const Value all_zero = b.eq(exponent, zero);
        const Value no_bits = b.eq(biased, zero);
        const Value nothing = b.bor(all_zero, no_bits);
        return b.select(nothing, zero, bounded);
    }

    void store(Value number);
};

void Change::store(Value number) {
    const Value zero = integer(0);
    const Value largest = integer(largest_exponent(packing, type));
    const Value raw = b.bitcast(number, form.bits);
    const Value all_but_sign = integer(int64_t(low_bits(bits_of(form.bits) - 1)));
    Value size = b.band(raw, all_but_sign);
    const Value negative = is_below_zero(b, form, raw, size);
    if (!packing.is_signed) size = b.select(negative, zero, size);
    const Value own = own_exponent(size);
    const Value before = take(packing.exponent_shift, packing.exponent_bits);
    Value exponent = b.max(own, zero);
    std::vector<Value> sizes;
    for (const Packing::Sharer &other : packing.others) {
        sizes.push_back(take(other.shift, other.digits));
        exponent = b.max(exponent, needed(sizes.back(), other.digits, before));
    }
    exponent = b.min(exponent, largest);

    Value bits = digits_at(exponent, size, own, largest);
    if (packing.is_signed) {
        const Value one = integer(int64_t(1) << packing.digits());
        const Value sign = b.select(negative, one, zero);
        bits = b.bor(bits, sign);
    }
    put(packing.shift, packing.bits, bits);
    put(packing.exponent_shift, packing.exponent_bits, exponent);
    const Value up = b.sub(exponent, before);
    const Value right = b.max(up, zero);
    const Value down = b.sub(before, exponent);
    const Value left = b.max(down, zero);
    for (size_t i = 0; i < sizes.size(); ++i) {
        const Value moved = b.shl(sizes[i], left);
        put(packing.others[i].shift, packing.others[i].digits, shifted(moved, right));
    }
}

} // namespace

Value shared_number(Builder &b, const Packing &packing, Value word, Scalar type) {
    const FloatForm form = form_of(type);
    const int digits = packing.digits();
    const Value size = bits_at(b, word, packing.shift, digits, form.bits);
    const Value exponent = bits_at(b, word, packing.exponent_shift, packing.exponent_bits, form.bits);
    const Value whole = b.cast(size, type);
    const Value unit = b.number(type, 1.0 / double(uint64_t(1) << (digits - 1)));
    const Value fraction = b.mul(whole, unit);
    const Value offset = b.integer(form.bits, form.bias - packing.bias());
    const Value rebased = b.add(exponent, offset);
    const Value place = b.integer(form.bits, form.digits);
    const Value raw_power = b.shl(rebased, place);
    const Value power = b.bitcast(raw_power, type);
    const Value number = b.mul(fraction, power);
    const Value zero = b.integer(form.bits, 0);
    const Value nothing = b.number(type, 0);
    const Value is_zero = b.eq(exponent, zero);
    const Value value = b.select(is_zero, nothing, number);
    if (!packing.is_signed) return value;
    const Value sign = bits_at(b, word, packing.shift + digits, 1, form.bits);
    const Value negative = b.ne(sign, zero);
    const Value opposite = b.neg(value);
    return b.select(negative, opposite, value);
}

Value word_with_shared(Builder &b, const Packing &packing, Value word, Value number) {
    Change change{b, packing, word, b.fn.type(number).elem};
    change.store(number);
    return change.word;
}

} // namespace qd::passes
