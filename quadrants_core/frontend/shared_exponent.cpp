// Floating-point numbers of quant types that share one exponent in their word. Each has a size of `digits` bits below
// its sign; it stands for size * 2^(exponent - bias - (digits - 1)), and exponent 0 says that all of them are 0. The
// exponent is the smallest that holds the largest of them; a store moves the digits of the others if it changes, and
// rounds to the nearest.
#include "frontend/packed.h"

#include "frontend/types.h"

namespace qd::frontend {

using ir::Scalar;

namespace {

int digits_of(const Packing &packing) { return packing.bits - int(packing.is_signed); }
int64_t bias_of(const Packing &packing) { return (int64_t(1) << (packing.exponent_bits - 1)) - 1; }

/// The largest exponent that the word and the type it is computed in can hold.
int64_t largest_exponent(const Packing &packing) {
    const FloatForm form = form_of(packing.compute);
    return std::min(int64_t(low_bits(packing.exponent_bits)), form.bias + bias_of(packing));
}

} // namespace

/// Some bits of a word as an integer.
ir::Value PackedNumbers::bits_at(ir::Value word, int shift, int count, Scalar type) {
    const Scalar elem = fn_.type(word).elem;
    const ir::Value at = b_.integer(elem, shift), mask = b_.integer(elem, int64_t(low_bits(count)));
    const ir::Value down = b_.ushr(word, at);
    const ir::Value bits = b_.band(down, mask);
    return convert(w_, bits, type);
}

ir::Value PackedNumbers::shared_number(const Packing &packing, ir::Value word) {
    const FloatForm form = form_of(packing.compute);
    const int digits = digits_of(packing);
    const ir::Value size = bits_at(word, packing.shift, digits, form.bits);
    const ir::Value exponent = bits_at(word, packing.exponent_shift, packing.exponent_bits, form.bits);
    const ir::Value whole = b_.cast(size, packing.compute);
    const ir::Value unit = b_.number(packing.compute, 1.0 / double(uint64_t(1) << (digits - 1)));
    const ir::Value fraction = b_.mul(whole, unit);
    const ir::Value offset = b_.integer(form.bits, form.bias - bias_of(packing));
    const ir::Value rebased = b_.add(exponent, offset);
    const ir::Value place = b_.integer(form.bits, form.digits);
    const ir::Value power = b_.bitcast(b_.shl(rebased, place), packing.compute);
    const ir::Value number = b_.mul(fraction, power);
    const ir::Value zero = b_.integer(form.bits, 0), nothing = b_.number(packing.compute, 0);
    const ir::Value is_zero = b_.eq(exponent, zero);
    const ir::Value value = b_.select(is_zero, nothing, number);
    if (!packing.is_signed) return value;
    const ir::Value sign = bits_at(word, packing.shift + digits, 1, form.bits);
    const ir::Value negative = b_.ne(sign, zero);
    const ir::Value opposite = b_.neg(value);
    return b_.select(negative, opposite, value);
}

/// The exponent that a number would have alone, rounded to its digits; below 1 if it is too small.
ir::Value PackedNumbers::own_exponent(const Packing &packing, ir::Value size) {
    const FloatForm form = form_of(packing.compute);
    const int drop = form.digits - (digits_of(packing) - 1);
    const ir::Value half = b_.integer(form.bits, drop > 0 ? int64_t(1) << (drop - 1) : 0);
    const ir::Value rounded = b_.add(size, half);
    const ir::Value place = b_.integer(form.bits, form.digits);
    const ir::Value exponent = b_.shr(rounded, place);
    const ir::Value offset = b_.integer(form.bits, form.bias - bias_of(packing));
    return b_.sub(exponent, offset);
}

ir::Value PackedNumbers::word_with_shared(const Packing &packing, ir::Value word, ir::Value value) {
    const FloatForm form = form_of(packing.compute);
    const int digits = digits_of(packing), width = ir::bits_of(form.bits);
    const auto integer = [&](int64_t v) { return b_.integer(form.bits, v); };
    const auto shifted = [&](ir::Value bits, ir::Value by) { // to the right, rounded
        const ir::Value one = integer(1), last = integer(form.digits + 2);
        const ir::Value count = b_.min(by, last);
        const ir::Value unit = b_.shl(one, count);
        const ir::Value half = b_.ushr(unit, one);
        const ir::Value lifted = b_.add(bits, half);
        return b_.ushr(lifted, count);
    };
    const ir::Value zero = integer(0), one = integer(1), largest = integer(largest_exponent(packing));
    ir::Value raw = b_.bitcast(value, form.bits);
    const ir::Value negative = b_.lt(raw, zero);
    if (!packing.is_signed) raw = b_.select(negative, zero, raw);
    const ir::Value all_but_sign = integer(int64_t(low_bits(width - 1)));
    const ir::Value size = b_.band(raw, all_but_sign);
    const ir::Value own = own_exponent(packing, size);
    const ir::Value before = bits_at(word, packing.exponent_shift, packing.exponent_bits, form.bits);

    // The exponent that all need.
    ir::Value exponent = b_.max(own, zero);
    std::vector<ir::Value> sizes;
    for (const Packing::Sharer &other : packing.others) {
        sizes.push_back(bits_at(word, other.shift, other.digits, form.bits));
        const ir::Value free = convert(w_, b_.clz(sizes.back()), form.bits), spare = integer(width - other.digits);
        const ir::Value unused = b_.sub(free, spare);
        const ir::Value least = b_.sub(before, unused);
        const ir::Value needed = b_.max(least, one);
        const ir::Value is_zero = b_.eq(sizes.back(), zero);
        const ir::Value its = b_.select(is_zero, zero, needed);
        exponent = b_.max(exponent, its);
    }
    exponent = b_.min(exponent, largest);

    // This number's digits at that exponent: those of the float, its leading 1 among them, shifted.
    const ir::Value place = integer(form.digits);
    const ir::Value biased = b_.ushr(size, place);
    const ir::Value offset = integer(form.bias - bias_of(packing));
    const ir::Value raw_exponent = b_.sub(biased, offset);
    const ir::Value mantissa_mask = integer(int64_t(low_bits(form.digits)));
    const ir::Value fraction = b_.band(size, mantissa_mask);
    const ir::Value leading = integer(int64_t(1) << form.digits);
    const ir::Value full = b_.bor(fraction, leading);
    const ir::Value difference = b_.sub(exponent, raw_exponent);
    const ir::Value drop = integer(form.digits - (digits - 1));
    const ir::Value by = b_.add(difference, drop);
    const ir::Value shift = b_.max(by, zero);
    const ir::Value kept = shifted(full, shift);
    const ir::Value most = integer(int64_t(low_bits(digits)));
    const ir::Value too_large = b_.gt(own, largest);
    const ir::Value bounded = b_.select(too_large, most, b_.min(kept, most));
    const ir::Value all_zero = b_.eq(exponent, zero), no_bits = b_.eq(biased, zero);
    const ir::Value nothing = b_.bor(all_zero, no_bits);
    ir::Value bits = b_.select(nothing, zero, bounded);
    if (packing.is_signed) {
        const ir::Value sign = b_.select(negative, integer(int64_t(1) << digits), zero);
        bits = b_.bor(bits, sign);
    }

    const auto put = [&](int at, int count, ir::Value v) {
        Packing part;
        part.word = packing.word;
        part.bits = count;
        const ir::Value first = b_.integer(packing.word, at), wide = convert(w_, v, packing.word);
        word = word_with_bits(part, word, first, wide);
    };
    put(packing.shift, packing.bits, bits);
    put(packing.exponent_shift, packing.exponent_bits, exponent);
    const ir::Value right = b_.max(b_.sub(exponent, before), zero), left = b_.max(b_.sub(before, exponent), zero);
    for (size_t i = 0; i < sizes.size(); ++i) {
        const ir::Value moved = b_.shl(sizes[i], left);
        put(packing.others[i].shift, packing.others[i].digits, shifted(moved, right));
    }
    return word;
}

} // namespace qd::frontend
