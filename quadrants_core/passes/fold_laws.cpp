#include "passes/fold_laws.h"

namespace qd::passes::folding {

using ir::Constant;
using ir::Op;
using ir::Scalar;
using ir::Type;

namespace {

constexpr Law laws[] = {
#define LAW(op, when, gives, kinds) {Op::op, When::when, Gives::gives, uint8_t(kinds)},
#include "passes/fold.def"
};
/// By op: its identities are laws[first[op]] to laws[last[op] - 1].
constexpr auto law_index = [] {
    struct {
        uint8_t first[256] = {}, last[256] = {};
    } index;
    for (size_t i = 0; i < std::size(laws); ++i) {
        int op = int(laws[i].op);
        if (index.last[op] == 0) index.first[op] = uint8_t(i);
        index.last[op] = uint8_t(i + 1);
    }
    return index;
}();

Constant highest(Scalar s) { return ir::from_int(s, int64_t(~lowest(s).bits)); }

} // namespace

std::span<const Law> laws_of(Op op) {
    return std::span<const Law>(laws).subspan(law_index.first[int(op)],
                                              law_index.last[int(op)] - law_index.first[int(op)]);
}

uint8_t kinds_of(Type t, bool fast_math) {
    if (t.is_float()) return uint8_t(floats | (fast_math ? fast : 0));
    if (!t.is_int()) return 0;
    return t.is_bool() ? bits : ir::is_signed(t.elem) ? signeds : unsigneds;
}

Constant lowest(Scalar s) { return {s, ir::is_signed(s) ? uint64_t(1) << (ir::bits_of(s) - 1) : 0}; }

bool matches(Constant c, When when) {
    switch (when) {
    case When::zero:
    case When::left_zero: return c.bits == 0;
    case When::neg_zero: return ir::is_float(c.type) && c.bits == uint64_t(1) << (ir::bits_of(c.type) - 1);
    case When::one:
    case When::left_one: return c == ir::from_int(c.type, 1);
    case When::minus_one: return c == ir::from_int(c.type, -1);
    case When::two: return c.type != Scalar::u1 && c == ir::from_int(c.type, 2);
    case When::low: return c == lowest(c.type);
    case When::high: return c == highest(c.type);
    case When::same: return false;
    }
    return false;
}

std::optional<Op> turned(Op op) {
    if (ir::family(op) != ir::Family::comparison) return {};
    switch (ir::ComparisonOp(op)) {
    case ir::ComparisonOp::lt: return Op::gt;
    case ir::ComparisonOp::le: return Op::ge;
    case ir::ComparisonOp::gt: return Op::lt;
    case ir::ComparisonOp::ge: return Op::le;
    case ir::ComparisonOp::eq:
    case ir::ComparisonOp::ne: break; // commutative
    }
    return {};
}
std::optional<Op> negated(Op op, bool is_float) {
    if (ir::family(op) != ir::Family::comparison) return {};
    if (is_float && op != Op::eq && op != Op::ne) return {}; // NaN is neither
    switch (ir::ComparisonOp(op)) {
    case ir::ComparisonOp::lt: return Op::ge;
    case ir::ComparisonOp::le: return Op::gt;
    case ir::ComparisonOp::gt: return Op::le;
    case ir::ComparisonOp::ge: return Op::lt;
    case ir::ComparisonOp::eq: return Op::ne;
    case ir::ComparisonOp::ne: return Op::eq;
    }
    return {};
}

bool lossless(Scalar from, Scalar to) {
    if (from == to) return true;
    if (ir::is_float(from)) return ir::is_float(to) && ir::bits_of(from) < ir::bits_of(to);
    if (to == Scalar::u1) return false;
    int width = ir::bits_of(from) - (ir::is_signed(from) ? 1 : 0);
    if (ir::is_float(to)) return width <= (to == Scalar::f16 ? 11 : to == Scalar::f32 ? 24 : 53);
    if (ir::is_signed(from) && !ir::is_signed(to)) return false;
    return width <= ir::bits_of(to) - (ir::is_signed(to) ? 1 : 0);
}

} // namespace qd::passes::folding
