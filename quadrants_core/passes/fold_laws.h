#pragma once
// Properties of single ops for folding: the identities of fold.def, swapped and negated comparisons, lossless conversions.
#include "ir/eval.h"
#include "ir/function.h"

#include <optional>
#include <span>

namespace qd::passes::folding {

enum class When : uint8_t { zero, neg_zero, one, minus_one, two, low, high, left_zero, left_one, same };
enum class Gives : uint8_t {
    left,
    right,
    zero,
    one,
    minus_one,
    yes,
    no,
    neg_left,
    neg_right,
    not_left,
    floor_left,
    square
};
enum Kinds : uint8_t { bits = 1, unsigneds = 2, signeds = 4, ints = 7, floats = 8, fast = 16 };
struct Law {
    ir::Op op;
    When when;
    Gives gives;
    uint8_t kinds;
};

/// The identities of an op.
std::span<const Law> laws_of(ir::Op op);
/// The `Kinds` that operands of a type belong to.
uint8_t kinds_of(ir::Type t, bool fast_math);
bool matches(ir::Constant c, When when);
ir::Constant lowest(ir::Scalar s);
/// The equivalent comparison with exchanged operands, and the negated one.
std::optional<ir::Op> turned(ir::Op op);
std::optional<ir::Op> negated(ir::Op op, bool is_float);
/// True if every value of `from` is representable in `to`.
bool lossless(ir::Scalar from, ir::Scalar to);

} // namespace qd::passes::folding
