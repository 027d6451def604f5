#pragma once
// Emits the packing and unpacking of numbers in words.
#include "ir/builder.h"
#include "ir/packing.h"

namespace qd::passes {

ir::Value converted(ir::Builder &b, ir::Value v, ir::Scalar type);

/// `raw`: the bits of a float; `size`: the same without the sign bit. The sign of a NaN is unspecified: it counts as not negative.
ir::Value is_below_zero(ir::Builder &b, const ir::FloatForm &form, ir::Value raw, ir::Value size);

/// The bits of a number, starting at bit 0 of a word.
ir::Value packed_bits(ir::Builder &b, const ir::Packing &packing, ir::Scalar word, ir::Value number);
/// The number whose bits are in `word`, starting at `shift`.
ir::Value unpacked_number(ir::Builder &b, const ir::Packing &packing, ir::Value word, ir::Value shift, ir::Scalar type);
/// The word with `count` bits at `shift` replaced by `bits`.
ir::Value word_with_bits(ir::Builder &b, ir::Value word, ir::Value shift, int count, ir::Value bits);

// The same for numbers that share an exponent.
ir::Value shared_number(ir::Builder &b, const ir::Packing &packing, ir::Value word, ir::Scalar type);
ir::Value word_with_shared(ir::Builder &b, const ir::Packing &packing, ir::Value word, ir::Value number);

} // namespace qd::passes
