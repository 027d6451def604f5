// Constant folding and algebra, one walk in program order.
//
// The laws, beside the identities of fold.def:
//  - Operands all constant: the instruction becomes what `eval` says.
//  - Constants go right: in commutative instructions, and in comparisons by turning them round.
//  - Integers: (x op c) op d = x op (c op d) for add mul band bor bxor min max; x - c = x + (-c); (x + y) - y = x and
//  its kin.
//    x == c with x = y + d becomes y == c - d.
//  - Integer division by a power of two becomes a shift, the remainder a mask: always for unsigned operands, floordiv
//  and mod
//    for signed ones too. floordiv and mod of operands that are not negative are div and rem.
//  - Floats: x / c = x * (1/c) if c is a power of two and 1/c is a normal number; with fast_math for every c.
//    x + (-y) = x - y and its kin are exact. pow with exponent 2 is a square; other small exponents with fast_math.
//  - Conversions: to the type that it has already; of a conversion that lost nothing; integer narrowing of a widening.
//  - select of equal values, by a constant, by a negation; of truth values; min and max written as select.
//  - Facts: in the branch of an if the condition is known, and after an if whose other branch leaves. A known `x == c`
//  on
//    integers puts c for x.
//  - Offsets of pointers by constants add up; none is none.
//  - An assertion known to hold goes away.
// fast_math lets a float law ignore NaN, infinities and the sign of zero; all other float laws hold bit for bit.
#include "analysis/memory.h"
#include "ir/builder.h"
#include "ir/eval.h"
#include "passes/fold_laws.h"
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/slots.h"

#include <bit>
#include <cmath>
#include <optional>
#include <utility>

namespace qd::passes {

using namespace folding;
using ir::BlockId;
using ir::Constant;
using ir::Function;
using ir::Op;
using ir::Scalar;
using ir::Type;
using ir::Value;

namespace {

bool keeps_integers(Op op) { return op == Op::floor || op == Op::ceil || op == Op::round || op == Op::trunc; }

struct Fold {
    Function &fn;
    Rename rename;
    BlockId block; ///< being rebuilt
    bool changed = false;
    std::vector<uint8_t> nonnegative; ///< by value: an integer known not to be negative
    std::vector<uint8_t> truth;       ///< by value: 0 unknown here, 1 false, 2 true
    struct Fact {
        Value v, renamed; ///< what `v` was renamed to before
        uint8_t truth;
    };
    std::vector<Fact> facts; ///< to undo

    explicit Fold(Function &f) : fn(f), rename(f), nonnegative(f.insts.size()), truth(f.insts.size()) {}

    // ---- values
    Value arg(Value v, int i) const { return fn.args(v)[size_t(i)]; }
    std::optional<Constant> constant(Value v) const {
        const ir::Inst *in = &fn[v];
        if (in->op == Op::splat) in = &fn[fn.args(v)[0]];
        if (in->op != Op::constant) return {};
        return Constant{in->type.elem, in->imm};
    }
    Value emit(Op op, std::initializer_list<Value> args, Type type, SpanId span) {
        ir::Inst in;
        in.op = op;
        in.type = type;
        in.span = span;
        in.args = fn.make_list({args.begin(), args.size()});
        Value v = fn.make(in);
        fn[block].insts.push_back(v);
        changed = true;
        return v;
    }
    Value emit_constant(Type type, uint64_t value, SpanId span) {
        Value c = emit(Op::constant, {}, Type(type.elem), span);
        fn[c].imm = value;
        return type.lanes > 1 ? emit(Op::splat, {c}, type, span) : c;
    }
    Value emit_constant(Value like, Constant c) {
        return emit_constant(Type(c.type, fn[like].type.lanes), c.bits, fn[like].span);
    }

    /// Turns `v` into another instruction of the same type.
    Value become(Value v, Op op, std::initializer_list<Value> args) {
        fn[v].op = op;
        fn[v].imm = 0;
        fn[v].args = fn.make_list({args.begin(), args.size()});
        changed = true;
        return v;
    }
    Value become_constant(Value v, uint64_t value) {
        Type t = fn[v].type;
        if (t.lanes > 1) return emit_constant(t, value, fn[v].span);
        become(v, Op::constant, {});
        fn[v].imm = value;
        return v;
    }
    Value become_constant(Value v, Constant c) { return become_constant(v, c.bits); }

    // ---- laws. Each returns the value to use instead of `v`: `v` itself, perhaps rewritten, or another.
    Value evaluate(Value v) {
        std::span<const Value> args = fn.args(v);
        Constant operands[3];
        if (args.empty() || args.size() > 3 || !ir::can_eval(fn[v].op)) return v;
        for (size_t i = 0; i < args.size(); ++i) {
            std::optional<Constant> c = constant(args[i]);
            if (!c) return v;
            operands[i] = *c;
        }
        const Constant result = ir::eval(fn[v].op, fn[v].type.elem, {operands, args.size()});
        return become_constant(v, fn[v].op == Op::bitcast ? result : ir::flushed(result));
    }

    bool order(Value v) {
        std::span<Value> args = fn.args(v);
        if (args.size() != 2 || !constant(args[0]) || constant(args[1])) return false;
        if (ir::info(fn[v].op).traits & ir::commutative) {
            std::swap(args[0], args[1]);
        } else if (std::optional<Op> op = turned(fn[v].op)) {
            fn[v].op = *op;
            std::swap(args[0], args[1]);
        } else {
            return false;
        }
        changed = true;
        return true;
    }

    Value identity(Value v) {
        std::span<const Law> laws = laws_of(fn[v].op);
        if (laws.empty()) return v;
        Value left = arg(v, 0), right = arg(v, 1);
        uint8_t kinds = kinds_of(fn.type(left), fn.fast_math);
        std::optional<Constant> l = constant(left), r = constant(right);
        for (const Law &law : laws) {
            if (!(law.kinds & kinds)) continue;
            bool on_left = law.when == When::left_zero || law.when == When::left_one;
            const std::optional<Constant> &c = on_left ? l : r;
            if (law.when == When::same ? left != right : !c || !matches(*c, law.when)) continue;
            return give(v, law.gives, left, right);
        }
        return v;
    }
    Value give(Value v, Gives gives, Value left, Value right) {
        Scalar s = fn.type(left).elem;
        switch (gives) {
        case Gives::left: return left;
        case Gives::right: return right;
        case Gives::zero: return become_constant(v, 0);
        case Gives::one: return become_constant(v, ir::from_int(s, 1));
        case Gives::minus_one: return become_constant(v, ir::from_int(s, -1));
        case Gives::yes: return become_constant(v, 1);
        case Gives::no: return become_constant(v, 0);
        case Gives::neg_left: return become(v, Op::neg, {left});
        case Gives::neg_right: return become(v, Op::neg, {right});
        case Gives::not_left: return become(v, Op::bnot, {left});
        case Gives::floor_left: return become(v, Op::floor, {left});
        case Gives::square: return become(v, Op::mul, {left, left});
        }
        return v;
    }

    /// (x op c) op d
    Value regroup(Value v) {
        Value left = arg(v, 0);
        if (fn[left].op != fn[v].op) return v;
        std::optional<Constant> c = constant(arg(left, 1)), d = constant(arg(v, 1));
        if (!c || !d) return v;
        Constant operands[] = {*c, *d};
        Value x = arg(left, 0);
        Value both = emit_constant(v, ir::flushed(ir::eval(fn[v].op, c->type, operands)));
        return become(v, fn[v].op, {x, both});
    }

    Value add(Value v) {
        Value x = arg(v, 0), y = arg(v, 1);
        if (fn[y].op == Op::neg) return become(v, Op::sub, {x, arg(y, 0)});
        if (fn[x].op == Op::neg) return become(v, Op::sub, {y, arg(x, 0)});
        if (!fn.type(v).is_int()) return v;
        if (fn[x].op == Op::sub && arg(x, 1) == y) return arg(x, 0);
        if (fn[y].op == Op::sub && arg(y, 1) == x) return arg(y, 0);
        return regroup(v);
    }
    Value sub(Value v) {
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

    Value divide(Value v) {
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
    Value multiply_instead(Value v, Constant c) {
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

    Value power(Value v) {
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

    Value compare(Value v) {
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
    Value equality(Value v, Value x, Constant c) {
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

    Value negate(Value v) {
        Value x = arg(v, 0);
        if (fn[x].op == Op::neg) return arg(x, 0);
        if (fn[x].op == Op::sub && (fn.type(v).is_int() || fn.fast_math))
            return become(v, Op::sub, {arg(x, 1), arg(x, 0)});
        return v;
    }
    Value absolute(Value v) {
        Value x = arg(v, 0);
        if (fn[x].op == Op::abs || is_nonnegative(x)) return x;
        if (fn[x].op == Op::neg) return become(v, Op::abs, {arg(x, 0)});
        return v;
    }
    Value complement(Value v) {
        Value x = arg(v, 0);
        if (fn[x].op == Op::bnot) return arg(x, 0);
        if (!fn.type(v).is_bool() || fn[x].args.size != 2) return v;
        std::optional<Op> op = negated(fn[x].op, fn.type(arg(x, 0)).is_float());
        return op ? become(v, *op, {arg(x, 0), arg(x, 1)}) : v;
    }
    Value rounding(Value v) {
        Value x = arg(v, 0);
        return keeps_integers(fn[x].op) || (fn[x].op == Op::cast && fn.type(arg(x, 0)).is_int()) ? x : v;
    }

    Value cast(Value v) {
        Value x = arg(v, 0);
        if (fn.type(x) == fn.type(v)) return x;
        if (fn[x].op != Op::cast) return v;
        Value source = arg(x, 0);
        Scalar a = fn.type(source).elem, b = fn.type(x).elem, c = fn.type(v).elem;
        bool wraps = ir::is_int(a) && ir::is_int(b) && ir::is_int(c) && b != Scalar::u1 && c != Scalar::u1;
        bool direct = lossless(a, b);
        // Through a float, an integer saturates where the direct conversion would wrap.
        if (direct && ir::is_int(a) && ir::is_float(b) && ir::is_int(c)) direct = c == Scalar::u1 || lossless(a, c);
        if (!direct && !(wraps && ir::bits_of(c) <= ir::bits_of(b))) return v;
        if (a == c) return source;
        return become(v, Op::cast, {source});
    }
    Value bitcast(Value v) {
        Value x = arg(v, 0);
        if (fn.type(x) == fn.type(v)) return x;
        if (fn[x].op != Op::bitcast) return v;
        if (fn.type(arg(x, 0)) == fn.type(v)) return arg(x, 0);
        return become(v, Op::bitcast, {arg(x, 0)});
    }

    Value select(Value v) {
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
    Value extremum(Value v, Value c, Value x, Value y) {
        Op op = fn[c].op;
        bool less = op == Op::lt || op == Op::le, greater = op == Op::gt || op == Op::ge;
        if ((!less && !greater) || (fn.type(v).is_float() && !fn.fast_math) || fn.type(v).is_bool()) return v;
        if (arg(c, 0) == x && arg(c, 1) == y) return become(v, less ? Op::min : Op::max, {x, y});
        if (arg(c, 0) == y && arg(c, 1) == x) return become(v, less ? Op::max : Op::min, {x, y});
        return v;
    }

    Value offset(Value v) {
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

    Value special(Value v) {
        switch (fn[v].op) {
        case Op::offset: return offset(v);
        case Op::add: return add(v);
        case Op::sub: return sub(v);
        case Op::mul:
        case Op::min:
        case Op::max: return fn.type(v).is_int() ? regroup(v) : v;
        case Op::band:
        case Op::bor:
        case Op::bxor: return regroup(v);
        case Op::div:
        case Op::rem:
        case Op::floordiv:
        case Op::mod: return divide(v);
        case Op::pow: return power(v);
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::eq:
        case Op::ne: return compare(v);
        case Op::neg: return negate(v);
        case Op::abs: return absolute(v);
        case Op::bnot: return complement(v);
        case Op::floor:
        case Op::ceil:
        case Op::round:
        case Op::trunc: return rounding(v);
        case Op::cast: return cast(v);
        case Op::bitcast: return bitcast(v);
        case Op::select: return select(v);
        default: return v; // the other rows have no laws beyond evaluation and identities
        }
    }

    /// The best value for `v`.
    Value simplify(Value v) {
        if (ir::info(fn[v].op).effect != ir::Effect::pure) return v;
        for (int round = 0; round < 8; ++round) {
            if (fn[v].op == Op::constant || fn[v].args.size == 0) return v;
            bool before = std::exchange(changed, false);
            Value by = evaluate(v);
            if (by == v && fn[v].op != Op::constant) {
                order(v);
                if (fn[v].args.size == 2) by = identity(v);
            }
            if (by == v && !changed && fn[v].op != Op::constant) by = special(v);
            bool rewritten = std::exchange(changed, changed || before || by != v);
            if (by != v || !rewritten) return by;
        }
        return v;
    }

    // ---- signs
    bool is_nonnegative(Value v) const {
        if (v.id < nonnegative.size() && nonnegative[v.id]) return true;
        if (!fn.type(v).is_int()) return false;
        if (!ir::is_signed(fn.type(v).elem)) return true;
        std::optional<Constant> c = constant(v);
        return c && ir::to_int(*c) >= 0;
    }
    bool finds_nonnegative(Value v) const {
        const ir::Inst &in = fn[v];
        if (!in.type.is_int()) return false;
        auto known = [&](int i) { return is_nonnegative(arg(v, i)); };
        switch (in.op) {
        case Op::dim: return true;
        case Op::div:
        case Op::floordiv:
        case Op::min:
        case Op::bor:
        case Op::bxor: return known(0) && known(1);
        case Op::rem: return known(0);
        case Op::mod: return known(1);
        case Op::max:
        case Op::band: return known(0) || known(1);
        case Op::shr: return known(0);
        case Op::ushr: {
            std::optional<Constant> c = constant(arg(v, 1));
            return known(0) || (c && c->bits % uint64_t(ir::bits_of(c->type)) != 0);
        }
        case Op::select: return known(1) && known(2);
        case Op::popcnt:
        case Op::clz: return true;
        case Op::cast: {
            Scalar from = fn.type(arg(v, 0)).elem;
            return ir::is_int(from) && known(0) && lossless(from, in.type.elem);
        }
        default: return false; // unknown
        }
    }
    void note_nonnegative(Value v) {
        if (v.id >= nonnegative.size()) nonnegative.resize(fn.insts.size());
        nonnegative[v.id] = 1;
    }

    // ---- facts
    void learn(Value c, bool holds) {
        uint8_t now = holds ? 2 : 1;
        if (c.id >= truth.size()) truth.resize(fn.insts.size());
        if (fn[c].op == Op::constant || truth[c.id] || !fn.type(c).is_bool()) return;
        facts.push_back({c, {}, truth[c.id]});
        truth[c.id] = now;
        Op op = fn[c].op;
        if (op == Op::bnot) learn(arg(c, 0), !holds);
        if ((op == Op::band && holds) || (op == Op::bor && !holds)) {
            Value x = arg(c, 0), y = arg(c, 1);
            learn(x, holds);
            learn(y, holds);
        }
        if (op == (holds ? Op::eq : Op::ne)) {
            Value x = arg(c, 0), y = arg(c, 1);
            if (!constant(y) || constant(x) || !fn.type(x).is_int() || fn.type(x).lanes > 1) return;
            facts.push_back({x, {}, uint8_t(x.id < truth.size() ? truth[x.id] : 0)});
            rename.replace(x, y);
        }
    }
    void forget(size_t mark) {
        for (; facts.size() > mark; facts.pop_back()) {
            truth[facts.back().v.id] = facts.back().truth;
            if (facts.back().v.id < rename.to.size()) rename.to[facts.back().v.id] = facts.back().renamed;
        }
    }

    // ---- walk
    void resolve(Value v) {
        for (uint32_t i = 0; i < fn[v].args.size; ++i) {
            Value a = rename(arg(v, int(i)));
            if (a.id < truth.size() && truth[a.id]) a = emit_constant(Type(Scalar::u1), truth[a.id] == 2, fn[v].span);
            if (a != arg(v, int(i))) changed = true;
            fn.args(v)[i] = a;
        }
    }

    bool holds(Value v) const {
        if (fn[v].op != Op::assert_) return false;
        std::optional<Constant> c = constant(arg(v, 0));
        return c && c->bits == 1;
    }

    void run(BlockId b) {
        std::vector<Value> old = std::move(fn[b].insts);
        fn[b].insts.clear();
        fn[b].insts.reserve(old.size());
        size_t mark = facts.size();
        for (Value v : old) {
            block = b;
            resolve(v);
            Value by = simplify(v);
            if (by != v) {
                rename.replace(v, by);
                changed = true;
                continue;
            }
            if (holds(v)) {
                changed = true;
                continue;
            }
            fn[b].insts.push_back(v);
            if (finds_nonnegative(v)) note_nonnegative(v);
            if (fn[v].op == Op::if_)
                branches(v);
            else if (is_loop(fn[v].op))
                loop(v);
        }
        forget(mark);
    }

    bool falls_through(BlockId b) const { return fn[fn[b].insts.back()].op == Op::yield; }
    void branches(Value v) {
        Value condition = arg(v, 0);
        for (int side = 0; side < 2; ++side) {
            size_t mark = facts.size();
            learn(condition, side == 0);
            run(fn[v].blocks[side]);
            forget(mark);
        }
        bool then_ends = falls_through(fn[v].blocks[0]), else_ends = falls_through(fn[v].blocks[1]);
        if (then_ends != else_ends) learn(condition, then_ends);
    }
    void loop(Value v) {
        BlockId body = fn[v].blocks[0];
        uint32_t indices = first_carried(fn, v);
        for (uint32_t i = 0; i < indices; ++i)
            if (is_nonnegative(arg(v, int(2 * i)))) note_nonnegative(fn[body].params[i]);
        run(body);
    }
};

} // namespace

bool fold(Function &fn, const Config &) {
    Fold f(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) f.run(root);
    return f.changed;
}

} // namespace qd::passes
