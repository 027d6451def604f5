#pragma once
// Emits pure ops by the laws of ops.def. SPIR-V leaves many cases undefined that the IR defines: NaN in a minimum, shifts by the width,
// floats that are too large for an integer. These get selections.
#include "codegen/spirv/frame.h"
#include "codegen/spirv/task_code.h"

namespace qd::codegen::spirv {

class Arithmetic {
  public:
    Arithmetic(TaskCode &code, Frame &frame) : code_(code), fn_(code.fn), frame_(frame) {}

    Id pure(Value v);
    /// An op of ARITHMETIC or BITS with two operands of a type that is not f16.
    Id binary(Op op, Scalar t, Id x, Id y);
    Id cast(Scalar from, Scalar to, Id x); // casts.cpp
    Id bitcast(Scalar from, Scalar to, Id x);

  private:
    Id plain(Value v);
    Id on_bools(Op op, Id x, Id y);
    Id on_integers(Op op, Scalar t, Id x, Id y);
    Id on_floats(Op op, Scalar t, Id x, Id y);
    Id bits(ir::BitsOp op, Scalar t, Id x, Id y);
    Id compare(ir::ComparisonOp op, Scalar t, Id x, Id y);
    Id compare_bools(ir::ComparisonOp op, Id x, Id y);
    Id extreme(bool greater, Scalar t, Id x, Id y);
    Id count_ones(unsigned width, Id x);
    Id leading_zeros(unsigned width, Id x);
    Id shift(spv::Op op, Scalar t, Id x, Id by);
    /// Both halves of a 64-bit word.
    Id low(Id word);
    Id high(Id word);

    // casts.cpp
    Id float_to_int(Scalar from, Scalar to, Id x);
    Id int_to_float(Scalar from, Scalar to, Id x);
    Id narrow_float(Id x);
    Id to_half(Id x);
    Id from_half(Id half);

    // math.cpp
    Id real(ir::RealOp op, Scalar t, Id x, Id y, Id z);
    Id rounded(Scalar t, Id x);
    Id fused(Scalar t, Id x, Id y, Id z);
    /// Rounds as one step: drivers must not fuse it with another.
    Id exact(spv::Op op, Scalar t, Words operands);
    Id with_sign_of(Scalar t, Id size, Id sign);
    Id word_of(Scalar t, Id x) { return bitcast(t, t == Scalar::f64 ? Scalar::u64 : Scalar::u32, x); }
    Id float_of(Scalar t, Id word) { return bitcast(t == Scalar::f64 ? Scalar::u64 : Scalar::u32, t, word); }

    TaskCode &code_;
    const ir::Function &fn_;
    Frame &frame_;
};

} // namespace qd::codegen::spirv
