#pragma once
// Packed numbers as instructions on their words.
#include "ir/builder.h"
#include "ir/packing.h"

namespace qd::passes {

ir::Value converted(ir::Builder &b, ir::Value v, ir::Scalar type);

/// `raw`: the bits of a float; `size`: those without the sign. A NaN has a sign, but nothing says which: it counts as none.
ir::Value is_below_zero(ir::Builder &b, const ir::FloatForm &form, ir::Value raw, ir::Value size);

/// A number's bits, the lowest at bit 0 of a word.
ir::Value packed_bits(ir::Builder &b, const ir::Packing &packing, ir::Scalar word, ir::Value number);
/// The number of which `word` has the bits at `shift`.
ir::Value unpacked_number(ir::Builder &b, const ir::Packing &packing, ir::Value word, ir::Value shift, ir::Scalar type);
/// The word with these bits, `count` of them, in place of those at `shift`.
ir::Value word_with_bits(ir::Builder &b, ir::Value word, ir::Value shift, int count, ir::Value bits);

// The same where several numbers share an exponent.
ir::Value shared_number(ir::Builder &b, const ir::Packing &packing, ir::Value word, ir::Scalar type);
ir::Value word_with_shared(ir::Builder &b, const ir::Packing &packing, ir::Value word, ir::Value number);

} // namespace qd::passes
