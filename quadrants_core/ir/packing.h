#pragma once
// Bit layout of floats and packed numbers (Packing), for code that encodes or decodes them.
#include "ir/function.h"

#include <algorithm>

namespace qd::ir {

constexpr uint64_t low_bits(int count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

/// The bit layout of a float type.
struct FloatForm {
    Scalar bits;
    int digits, bias;
};
constexpr FloatForm form_of(Scalar type) {
    return type == Scalar::f64 ? FloatForm{Scalar::i64, 52, 1023} : FloatForm{Scalar::i32, 23, 127};
}

/// The largest shared exponent that both the word and the type used for arithmetic can represent.
inline int64_t largest_exponent(const Packing &packing, Scalar type) {
    return std::min(int64_t(low_bits(packing.exponent_bits)), form_of(type).bias + packing.bias());
}

} // namespace qd::ir
