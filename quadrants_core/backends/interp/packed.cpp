// Reads and writes packed numbers in a word, with the integers of the host.
#include "backends/interp/access.h"
#include "ir/packing.h"

#include <cmath>

namespace qd::backends::interpreter {

namespace {

using Kind = Packing::Kind;

Constant converted(Constant c, Scalar type) { return c.type == type ? c : eval(Op::cast, type, std::span(&c, 1)); }
Constant applied(Op op, Constant x, Constant y) {
    const Constant pair[] = {x, y};
    return eval(op, x.type, pair);
}

/// A number at its position in its word.
struct Packed {
    const Packing &packing;
    Scalar type; ///< of the unpacked value
    int shift;
    int digits = packing.digits();
    FloatForm form = form_of(type);

    Constant number(uint64_t word) const;
    uint64_t with(uint64_t word, Constant number) const;

  private:
    static uint64_t take(uint64_t word, int at, int count) { return word >> at & low_bits(count); }
    static void put(uint64_t &word, int at, int count, uint64_t bits) {
        word = (word & ~(low_bits(count) << at)) | (bits & low_bits(count)) << at;
    }
    int64_t rebias() const { return form.bias - packing.bias(); }
    uint64_t sign_of_float() const { return uint64_t(1) << (bits_of(type) - 1); }
    /// Wraps a number to the width of the float.
    int64_t wrapped(int64_t v) const { return type == Scalar::f64 ? v : int32_t(v); }

    Constant integer(uint64_t word) const;
    Constant floating(uint64_t word) const;
    Constant shared(uint64_t word) const;
    uint64_t fixed_bits(Constant number) const;
    uint64_t floating_bits(Constant number) const;
    uint64_t with_shared(uint64_t word, Constant number) const;
    int64_t needed(uint64_t size, int digits, int64_t before) const;
    uint64_t digits_at(int64_t exponent, uint64_t size) const;
};

Constant Packed::integer(uint64_t word) const {
    const uint64_t bits = take(word, shift, packing.bits);
    const bool negative = packing.is_signed && take(bits, packing.bits - 1, 1);
    return {packing.is_signed ? Scalar::i64 : Scalar::u64, negative ? bits | ~low_bits(packing.bits) : bits};
}

Constant Packed::floating(uint64_t word) const {
    const uint64_t bits = take(word, shift, packing.bits);
    const uint64_t exponent = take(bits, digits + packing.is_signed, packing.exponent_bits);
    if (exponent == 0) return {type, 0};
    const uint64_t size = (exponent + uint64_t(rebias())) << form.digits | take(bits, 0, digits)
                                                                               << (form.digits - digits);
    const bool negative = packing.is_signed && take(bits, digits, 1);
    return {type, size | (negative ? sign_of_float() : 0)};
}

Constant Packed::shared(uint64_t word) const {
    const uint64_t exponent = take(word, packing.exponent_shift, packing.exponent_bits);
    Constant value = from_double(type, 0);
    if (exponent != 0) {
        const Constant size = from_double(type, double(take(word, shift, digits)));
        const Constant unit = from_double(type, 1.0 / double(uint64_t(1) << (digits - 1)));
        const Constant power{type, (exponent + uint64_t(rebias())) << form.digits};
        value = applied(Op::mul, applied(Op::mul, size, unit), power);
    }
    if (packing.is_signed && take(word, shift + digits, 1)) value.bits ^= sign_of_float();
    return value;
}

Constant Packed::number(uint64_t word) const {
    switch (packing.kind) {
    case Kind::integer: return converted(integer(word), type);
    case Kind::fixed: return applied(Op::mul, converted(integer(word), type), from_double(type, packing.scale));
    case Kind::floating: return floating(word);
    case Kind::shared: return shared(word);
    }
    return {};
}

uint64_t Packed::fixed_bits(Constant number) const {
    const double least = packing.is_signed ? -std::ldexp(1, packing.bits - 1) : 0, most = std::ldexp(1, digits) - 1;
    const Constant exact = applied(Op::mul, number, from_double(type, 1 / packing.scale));
    const Constant rounded = eval(Op::round, type, std::span(&exact, 1));
    const Constant bounded = applied(Op::max, rounded, from_double(type, least));
    return converted(applied(Op::min, bounded, from_double(type, most)), Scalar::i64).bits;
}

uint64_t Packed::floating_bits(Constant number) const {
    const int drop = form.digits - digits;
    const uint64_t size = number.bits & ~sign_of_float();
    const int64_t rounded = wrapped(int64_t(size + (drop > 0 ? uint64_t(1) << (drop - 1) : 0))) >> drop;
    int64_t joined = rounded - (rebias() << digits); // exponent and digits
    joined = std::min(joined, int64_t(low_bits(packing.exponent_bits + digits)));
    if (joined < int64_t(1) << digits) joined = 0;
    const bool is_number = size <= uint64_t(2 * form.bias + 1) << form.digits;
    const bool negative = (number.bits & sign_of_float()) && is_number;
    if (!packing.is_signed) return negative ? 0 : uint64_t(joined);
    const uint64_t exponent = uint64_t(joined) >> digits;
    return exponent << (digits + 1) | uint64_t(negative) << digits | (uint64_t(joined) & low_bits(digits));
}

/// Returns the exponent that another number of the word needs.
int64_t Packed::needed(uint64_t size, int count, int64_t before) const {
    if (size == 0) return 0;
    int unused = 0;
    while (!(size >> (count - 1 - unused) & 1)) ++unused;
    return std::max<int64_t>(before - unused, 1);
}

uint64_t rounded_shift(uint64_t bits, int64_t by) { return by == 0 ? bits : (bits + (uint64_t(1) << (by - 1))) >> by; }

/// Returns the significand of a float at an exponent, with its leading 1 among the digits.
uint64_t Packed::digits_at(int64_t exponent, uint64_t size) const {
    const int64_t biased = int64_t(size >> form.digits);
    if (exponent == 0 || biased == 0) return 0;
    const uint64_t full = (size & low_bits(form.digits)) | uint64_t(1) << form.digits;
    const int64_t by = exponent - (biased - rebias()) + form.digits - (digits - 1);
    const uint64_t kept = rounded_shift(full, std::clamp<int64_t>(by, 0, form.digits + 2));
    return std::min(kept, low_bits(digits));
}

uint64_t Packed::with_shared(uint64_t word, Constant number) const {
    const bool negative = number.bits & sign_of_float();
    const uint64_t size = negative && !packing.is_signed ? 0 : number.bits & ~sign_of_float();
    const int drop = form.digits - (digits - 1);
    const uint64_t half = drop > 0 ? uint64_t(1) << (drop - 1) : 0;
    const int64_t own = (wrapped(int64_t(size + half)) >> form.digits) - rebias();
    const int64_t largest = largest_exponent(packing, type);
    const int64_t before = int64_t(take(word, packing.exponent_shift, packing.exponent_bits));
    int64_t exponent = std::max<int64_t>(own, 0);
    for (const Packing::Sharer &other : packing.others)
        exponent = std::max(exponent, needed(take(word, other.shift, other.digits), other.digits, before));
    exponent = std::min(exponent, largest);

    uint64_t bits = own > largest && exponent != 0 ? low_bits(digits) : digits_at(exponent, size);
    if (packing.is_signed) bits |= uint64_t(negative) << digits;
    uint64_t changed = word;
    put(changed, shift, packing.bits, bits);
    put(changed, packing.exponent_shift, packing.exponent_bits, uint64_t(exponent));
    for (const Packing::Sharer &other : packing.others) {
        const uint64_t digits_before = take(word, other.shift, other.digits);
        const int64_t left = std::max<int64_t>(before - exponent, 0), right = std::max<int64_t>(exponent - before, 0);
        const uint64_t moved = digits_before == 0 ? 0 : digits_before << left;
        put(changed, other.shift, other.digits, rounded_shift(moved, std::min<int64_t>(right, form.digits + 2)));
    }
    return changed;
}

uint64_t Packed::with(uint64_t word, Constant number) const {
    uint64_t bits = 0;
    switch (packing.kind) {
    case Kind::shared: return with_shared(word, number);
    case Kind::integer: bits = converted(number, Scalar::u64).bits; break;
    case Kind::fixed: bits = fixed_bits(number); break;
    case Kind::floating: bits = floating_bits(number); break;
    }
    put(word, shift, packing.bits, bits);
    return word;
}

} // namespace

void Access::packed(Value v) {
    const Inst &in = fn()[v];
    const PackedOp op = PackedOp(in.op);
    const std::span<const Value> args = fn().args(v);
    const Packing &packing = fn().packings[in.imm];
    const Scalar word = fn().type(args[0]).elem;
    const bool writes = op != PackedOp::packed_load && op != PackedOp::packed_volatile;
    const uint64_t at = checked(v, uint64_t(size_of(word)), writes);
    const uint64_t before = memory_.read(at, word);
    const Scalar type = op == PackedOp::packed_store ? fn().type(args[2]).elem : in.type.elem;
    const Packed packed{packing, type, int(packing.shift + values_.index(args[1]) * packing.bits)};
    const auto put = [&](Constant number) { memory_.write(at, {word, packed.with(before, number)}); };
    const auto operand = [&](size_t i) { return values_.constant(args[i]); };
    if (op == PackedOp::packed_store) return put(operand(2));
    const Constant old = packed.number(before);
    values_.set(v, old.bits);
    switch (op) {
    case PackedOp::packed_load:
    case PackedOp::packed_volatile:
    case PackedOp::packed_store: return;
    case PackedOp::packed_xchg: return put(operand(2));
    case PackedOp::packed_cas: return put(old == operand(2) ? operand(3) : old);
    case PackedOp::packed_add:
    case PackedOp::packed_mul:
    case PackedOp::packed_min:
    case PackedOp::packed_max:
    case PackedOp::packed_and:
    case PackedOp::packed_or:
    case PackedOp::packed_xor: return put(applied(plain_op(in.op), old, operand(2)));
    }
}

} // namespace qd::backends::interpreter
