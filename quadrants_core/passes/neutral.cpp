#include "passes/neutral.h"

#include "ir/eval.h"

#include <limits>

namespace qd::passes {

using namespace ir;

bool neutral(Op op, Scalar type, uint64_t &bits) {
    // Min and max ignore it if the other operand is a number.
    const double none = std::numeric_limits<double>::quiet_NaN();
    const uint64_t ones = bits_of(type) == 64 ? ~uint64_t(0) : (uint64_t(1) << bits_of(type)) - 1;
    const uint64_t sign = uint64_t(1) << (bits_of(type) - 1);
    const auto is = [&](double of_reals, uint64_t of_integers) {
        bits = is_float(type) ? from_double(type, of_reals).bits : of_integers;
        return true;
    };
    if (op == Op::add) return is(-0.0, 0); // +0 would turn -0 into +0
    if (op == Op::mul) return is(1, 1);
    if (op == Op::min) return is(none, is_signed(type) ? ones >> 1 : ones);
    if (op == Op::max) return is(none, is_signed(type) ? sign : 0);
    if (op == Op::band) return is(0, ones);
    return (op == Op::bor || op == Op::bxor) && is(0, 0);
}

} // namespace qd::passes
