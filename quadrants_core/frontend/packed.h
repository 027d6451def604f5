#pragma once
#include "frontend/walker.h"

namespace qd::frontend {

uint64_t low_bits(int count);

/// How a float type is made of bits.
struct FloatForm {
    ir::Scalar bits;
    int digits, bias;
};
FloatForm form_of(ir::Scalar type);

} // namespace qd::frontend
