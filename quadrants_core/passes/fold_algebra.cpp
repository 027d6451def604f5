// The rules of single ops, as listed in fold.cpp.
#include "passes/fold.h"

#include <bit>
#include <cmath>

namespace qd::passes::folding {

/// (x op c) op d
Value Fold::regroup(Value v) {
    Value left = arg(v, 0);
    if (fn[left].op != fn[v].op) return v;
    std::optional<Constant> c = constant(arg(left, 1)), d = constant(arg(v, 1));
    if (!c || !d) return v;
    Constant operands[] = {*c, *d};
    Value x = arg(left, 0);
    Value both = emit_constant(v, ir::flushed_if_fast(fn, ir::eval(fn[v].op, c->type, operands)));
    return become(v, fn[v].op, {x, both});
}

/// x + x, where x = a * c or a * (c / y)
Value Fold::twice(Value v, Value x) {
    if (fn[x].op != Op::mul) return v;
    const Value a = arg(x, 0), b = arg(x, 1);
    const bool divides = fn[b].op == Op::div;
    const std::optional<Constant> c = constant(divides ? arg(b, 0) : b);
    if (!c) return v;
    Constant both[] = {*c, *c};
    const Constant doubled = ir::flushed_if_fast(fn, ir::eval(Op::add, c->type, both));
    if (!std::isfinite(ir::to_double(doubled))) return v;
    Value factor = emit_constant(v, doubled);
    if (divides) factor = emit(Op::div, {factor, arg(b, 1)}, fn.type(v), fn[v].span);
    return become(v, Op::mul, {a, factor});
}

Value Fold::add(Value v) {
    Value x = arg(v, 0), y = arg(v, 1);
    if (fn[y].op == Op::neg) return become(v, Op::sub, {x, arg(y, 0)});
    if (fn[x].op == Op::neg) return become(v, Op::sub, {y, arg(x, 0)});
    if (!fn.type(v).is_int()) return x == y && fn.fast_math ? twice(v, x) : v;
    if (fn[x].op == Op::sub && arg(x, 1) == y) return arg(x, 0);
    if (fn[y].op == Op::sub && arg(y, 1) == x) return arg(y, 0);
    return regroup(v);
}

Value Fold::sub(Value v) {
    Value x = arg(v, 0), y = arg(v, 1);
    if (fn[y].op == Op::neg) return become(v, Op::add, {x, arg(y, 0)});
    if (!fn.type(v).is_int()) return v;
    if (std::optional<Constant> c = constant(y)) {
        Value minus = emit_constant(v, ir::from_int(c->type, int64_t(0 - uint64_t(ir::to_int(*c)))));
        return become(v, Op::add, {x, minus});
    }
    if (fn[x].op == Op::add && arg(x, 1) == y) return arg(x, 0);
    if (fn[x].op == Op::add && arg(x, 0) == y) return arg(x, 1);
    if (fn[y].op == Op::sub && arg(y, 0) == x) return arg(y, 1);
    return v;
}

Value Fold::divide(Value v) {
    std::optional<Constant> c = constant(arg(v, 1));
    Type t = fn.type(v);
    if (t.is_float()) return fn[v].op == Op::div && c ? multiply_instead(v, *c) : v;
    Op op = fn[v].op;
    bool is_signed = ir::is_signed(t.elem);
    bool floors = op == Op::floordiv || op == Op::mod, quotient = op == Op::div || op == Op::floordiv;
    if (c && (!is_signed || floors) && !t.is_bool() && std::has_single_bit(c->bits) && *c != lowest(c->type)) {
        int shift = std::countr_zero(c->bits);
        Value count = emit_constant(v, Constant{c->type, quotient ? uint64_t(shift) : c->bits - 1});
        return become(v, !quotient ? Op::band : is_signed ? Op::shr : Op::ushr, {arg(v, 0), count});
    }
    bool plain = !is_signed || (is_nonnegative(arg(v, 0)) && is_nonnegative(arg(v, 1)));
    if (floors && plain) return become(v, quotient ? Op::div : Op::rem, {arg(v, 0), arg(v, 1)});
    return v;
}

Value Fold::multiply_instead(Value v, Constant c) {
    double divisor = ir::to_double(c), inverse = 1 / divisor;
    int exponent;
    bool exact = std::fabs(std::frexp(divisor, &exponent)) == 0.5;
    if ((!exact && !fn.fast_math) || divisor == 0 || !std::isfinite(divisor)) return v;
    Constant by = ir::from_double(c.type, inverse);
    double least = c.type == Scalar::f16 ? 0x1p-14 : c.type == Scalar::f32 ? 0x1p-126 : 0x1p-1022;
    if (!std::isfinite(ir::to_double(by)) || std::fabs(ir::to_double(by)) < least) return v;
    Value factor = emit_constant(v, by);
    return become(v, Op::mul, {arg(v, 0), factor});
}

Value Fold::power(Value v) {
    std::optional<Constant> c = constant(arg(v, 1));
    Type t = fn.type(v);
    if (!c || (t.is_float() && !fn.fast_math)) return v;
    if (t.is_float() && ir::to_double(*c) == 0.5) return become(v, Op::sqrt, {arg(v, 0)});
    double exponent = t.is_float() ? ir::to_double(*c) : double(ir::to_int(*c));
    if (exponent != std::floor(exponent) || exponent < 3 || exponent > 16) return v;
    Value base = arg(v, 0), result;
    SpanId span = fn[v].span;
    for (int e = int(exponent); e; e >>= 1) {
        if (e & 1) result = result ? emit(Op::mul, {result, base}, t, span) : base;
        if (e > 1) base = emit(Op::mul, {base, base}, t, span);
    }
    return result;
}

Value Fold::compare(Value v) {
    Value x = arg(v, 0), y = arg(v, 1);
    std::optional<Constant> c = constant(y);
    if (!c || !fn.type(x).is_int()) return v;
    Op op = fn[v].op;
    if (op == Op::eq || op == Op::ne) return equality(v, x, *c);
    if (is_nonnegative(x) && ir::is_signed(c->type)) {
        int64_t n = ir::to_int(*c);
        if (op == Op::lt && n <= 0) return become_constant(v, 0);
        if (op == Op::ge && n <= 0) return become_constant(v, 1);
        if (op == Op::le && n < 0) return become_constant(v, 0);
        if (op == Op::gt && n < 0) return become_constant(v, 1);
    }
    return v;
}

Value Fold::equality(Value v, Value x, Constant c) {
    bool same = fn[v].op == Op::eq;
    if (fn[x].op == Op::add) {
        if (std::optional<Constant> d = constant(arg(x, 1))) {
            Value base = arg(x, 0);
            Constant gap = ir::from_int(c.type, int64_t(uint64_t(ir::to_int(c)) - uint64_t(ir::to_int(*d))));
            Value rest = emit_constant(v, gap);
            return become(v, fn[v].op, {base, rest});
        }
    }
    if (fn[x].op == Op::cast && fn.type(arg(x, 0)).is_bool()) { // 0 or 1
        if (c.bits > 1) return become_constant(v, !same);
        bool plain = (c.bits == 1) == same;
        return plain ? arg(x, 0) : become(v, Op::bnot, {arg(x, 0)});
    }
    return v;
}

Value Fold::negate(Value v) {
    Value x = arg(v, 0);
    if (fn[x].op == Op::neg) return arg(x, 0);
    if (fn[x].op == Op::sub && (fn.type(v).is_int() || fn.fast_math)) return become(v, Op::sub, {arg(x, 1), arg(x, 0)});
    return v;
}

Value Fold::absolute(Value v) {
    Value x = arg(v, 0);
    if (fn[x].op == Op::abs || is_nonnegative(x)) return x;
    if (fn[x].op == Op::neg) return become(v, Op::abs, {arg(x, 0)});
    return v;
}

Value Fold::complement(Value v) {
    Value x = arg(v, 0);
    if (fn[x].op == Op::bnot) return arg(x, 0);
    if (!fn.type(v).is_bool() || fn[x].args.size != 2) return v;
    std::optional<Op> op = negated(fn[x].op, fn.type(arg(x, 0)).is_float());
    return op ? become(v, *op, {arg(x, 0), arg(x, 1)}) : v;
}

Value Fold::rounding(Value v) {
    Value x = arg(v, 0);
    return (ir::info(fn[x].op).traits & ir::integral) || (fn[x].op == Op::cast && fn.type(arg(x, 0)).is_int()) ? x : v;
}

Value Fold::cast(Value v) {
    Value x = arg(v, 0);
    if (fn.type(x) == fn.type(v)) return x;
    if (fn[x].op != Op::cast) return v;
    Value source = arg(x, 0);
    Scalar a = fn.type(source).elem, b = fn.type(x).elem, c = fn.type(v).elem;
    bool wraps = ir::is_int(a) && ir::is_int(b) && ir::is_int(c) && b != Scalar::u1 && c != Scalar::u1;
    bool direct = lossless(a, b);
    // Via a float, an integer saturates where the direct conversion would wrap.
    if (direct && ir::is_int(a) && ir::is_float(b) && ir::is_int(c)) direct = c == Scalar::u1 || lossless(a, c);
    if (!direct && !(wraps && ir::bits_of(c) <= ir::bits_of(b))) return v;
    if (a == c) return source;
    return become(v, Op::cast, {source});
}

Value Fold::bitcast(Value v) {
    Value x = arg(v, 0);
    if (fn.type(x) == fn.type(v)) return x;
    if (fn[x].op != Op::bitcast) return v;
    if (fn.type(arg(x, 0)) == fn.type(v)) return arg(x, 0);
    return become(v, Op::bitcast, {arg(x, 0)});
}

Value Fold::select(Value v) {
    Value c = arg(v, 0), x = arg(v, 1), y = arg(v, 2);
    std::optional<Constant> p = constant(x), q = constant(y);
    if (x == y || (p && p == q)) return x;
    if (std::optional<Constant> k = constant(c)) return k->bits & 1 ? x : y;
    if (fn[c].op == Op::bnot) return become(v, Op::select, {arg(c, 0), y, x});
    if (fn[x].op == Op::select && arg(x, 0) == c) return become(v, Op::select, {c, arg(x, 1), y});
    if (fn[y].op == Op::select && arg(y, 0) == c) return become(v, Op::select, {c, x, arg(y, 2)});
    if (fn.type(v).is_bool() && fn.type(c).lanes == fn.type(v).lanes) {
        if (p && q) return p->bits & 1 ? c : become(v, Op::bnot, {c});
        if (p && (p->bits & 1)) return become(v, Op::bor, {c, y});
        if (q && !(q->bits & 1)) return become(v, Op::band, {c, x});
    }
    return extremum(v, c, x, y);
}

Value Fold::extremum(Value v, Value c, Value x, Value y) {
    Op op = fn[c].op;
    bool less = op == Op::lt || op == Op::le, greater = op == Op::gt || op == Op::ge;
    if ((!less && !greater) || (fn.type(v).is_float() && !fn.fast_math) || fn.type(v).is_bool()) return v;
    if (arg(c, 0) == x && arg(c, 1) == y) return become(v, less ? Op::min : Op::max, {x, y});
    if (arg(c, 0) == y && arg(c, 1) == x) return become(v, less ? Op::max : Op::min, {x, y});
    return v;
}

Value Fold::offset(Value v) {
    Value base = arg(v, 0);
    std::optional<Constant> bytes = constant(arg(v, 1));
    if (!bytes) return v;
    if (bytes->bits == 0 && fn.type(base) == fn.type(v)) return base;
    if (fn[base].op != Op::offset) return v;
    std::optional<Constant> more = constant(arg(base, 1));
    if (!more) return v;
    Value start = arg(base, 0);
    Value sum = emit_constant(v, Constant{bytes->type, bytes->bits + more->bits});
    return become(v, Op::offset, {start, sum});
}

Value Fold::special(Value v) {
    const Op op = fn[v].op;
    if (ir::family(op) == ir::Family::arithmetic) return of_numbers(v);
    if (ir::family(op) == ir::Family::bits) return of_bits(v);
    if (ir::family(op) == ir::Family::comparison) return compare(v);
    if (ir::info(op).traits & ir::integral) return rounding(v);
    if (op == Op::offset) return offset(v);
    if (op == Op::cast) return cast(v);
    if (op == Op::bitcast) return bitcast(v);
    return op == Op::select ? select(v) : v;
}

Value Fold::of_numbers(Value v) {
    switch (ir::ArithmeticOp(fn[v].op)) {
    case ir::ArithmeticOp::add: return add(v);
    case ir::ArithmeticOp::sub: return sub(v);
    case ir::ArithmeticOp::mul:
    case ir::ArithmeticOp::min:
    case ir::ArithmeticOp::max: return fn.type(v).is_int() ? regroup(v) : v;
    case ir::ArithmeticOp::div:
    case ir::ArithmeticOp::rem:
    case ir::ArithmeticOp::floordiv:
    case ir::ArithmeticOp::mod: return divide(v);
    case ir::ArithmeticOp::pow: return power(v);
    case ir::ArithmeticOp::neg: return negate(v);
    case ir::ArithmeticOp::abs: return absolute(v);
    case ir::ArithmeticOp::sign: return v;
    }
    return v;
}

Value Fold::of_bits(Value v) {
    switch (ir::BitsOp(fn[v].op)) {
    case ir::BitsOp::band:
    case ir::BitsOp::bor:
    case ir::BitsOp::bxor: return regroup(v);
    case ir::BitsOp::bnot: return complement(v);
    case ir::BitsOp::shl:
    case ir::BitsOp::shr:
    case ir::BitsOp::ushr:
    case ir::BitsOp::popcnt:
    case ir::BitsOp::clz: return v;
    }
    return v;
}

} // namespace qd::passes::folding
