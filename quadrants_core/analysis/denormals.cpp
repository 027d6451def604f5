#include "analysis/denormals.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace qd::analysis {

using namespace ir;

namespace {

/// A sum with a constant of at least this magnitude is zero or far larger than a subnormal: the last bit of 2^-60 is 2^-83.
constexpr double least_summand = 0x1p-60;

bool is_large(const Function &fn, Value v) {
    while (fn[v].op == Op::splat) v = fn.args(v)[0];
    const Inst &in = fn[v];
    if (in.op != Op::constant) return false;
    const double value = in.type.elem == Scalar::f32   ? double(std::bit_cast<float>(uint32_t(in.imm)))
                         : in.type.elem == Scalar::f64 ? std::bit_cast<double>(in.imm)
                                                       : 0;
    return std::abs(value) >= least_summand && std::isfinite(value);
}

bool is_real(const Function &fn, Value v) { return fn.type(v).is_scalar() && fn.type(v).is_float(); }

/// True if the result or an operand is a float.
bool touches_reals(const Function &fn, Value v) {
    return is_real(fn, v) || std::ranges::any_of(fn.args(v), [&](Value a) { return is_real(fn, a); });
}

bool plain_is_same(const Function &fn, Value v) {
    const Type to = fn.type(v), from = fn[v].op == Op::cast ? fn.type(fn.args(v)[0]) : to;
    if (to.elem == from.elem) return true;
    if (to.elem == Scalar::f16 || from.elem == Scalar::f16) return false;
    return !from.is_float() || (to.is_int() && !to.is_bool()); // a subnormal truncates to 0 anyway
}

bool arithmetic_is_same(const Function &fn, Value v) {
    const Op op = fn[v].op;
    if (!touches_reals(fn, v)) return true;
    if (fn.type(v).elem == Scalar::f16) return false;
    if (op == Op::neg || op == Op::abs) return true;
    const std::span<const Value> args = fn.args(v);
    return (op == Op::add || op == Op::sub) && (is_large(fn, args[0]) || is_large(fn, args[1]));
}

/// True if flushing of subnormals cannot change the result of an instruction.
bool is_same(const Function &fn, Value v) {
    const Op op = fn[v].op;
    switch (family(op)) {
    case Family::meta:
    case Family::address:
    case Family::memory:
    case Family::group:
    case Family::cell:
    case Family::step:
    case Family::control:
    case Family::terminator:
    case Family::bits: return true;
    case Family::plain: return plain_is_same(fn, v);
    case Family::arithmetic: return arithmetic_is_same(fn, v);
    case Family::real:
    case Family::packed: return false;
    case Family::comparison:
    case Family::reduction: return !touches_reals(fn, v);
    case Family::atomic: return op == Op::atomic_xchg || !touches_reals(fn, v);
    case Family::outside: return op != Op::external && !touches_reals(fn, v);
    }
    return false;
}

} // namespace

bool is_independent_of_flushing(const Function &task) {
    return std::ranges::all_of(task.blocks, [&](const Block &block) {
        return std::ranges::all_of(block.insts, [&](Value v) { return is_same(task, v); });
    });
}

} // namespace qd::analysis
