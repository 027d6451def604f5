// Constant folding and algebraic simplification, in one walk in program order.
//
// Rules, in addition to the identities of fold.def:
//  - If all operands are constant, the instruction becomes the result of `eval`.
//  - Constants move to the right: in commutative instructions, and in comparisons by swapping the operator.
//  - Integers: (x op c) op d = x op (c op d) for add mul band bor bxor min max; x - c = x + (-c); (x + y) - y = x and the like.
//    x == c with x = y + d becomes y == c - d.
//  - Integer division by a power of two becomes a shift, the remainder a mask: always for unsigned operands, floordiv and mod also
//    for signed ones. floordiv and mod of operands that are not negative become div and rem.
//  - Floats: x / c = x * (1/c) if c is a power of two and 1/c is a normal number; with fast_math for every c.
//    x + (-y) = x - y and the like are exact. pow with exponent 2 becomes a square; other small exponents with fast_math.
//    With fast_math x + x, where x = a * c or x = a * (c / y), becomes a product with twice the constant.
//  - Conversions: to the same type; of a lossless conversion; integer narrowing of a widening.
//  - select of equal values, by a constant, by a negation; of truth values; min and max written as select.
//  - Facts: the condition is known in the branches of an if, and after an if whose other branch leaves. A known `x == c` on
//    integers replaces x by c.
//  - Constant pointer offsets are added up; a zero offset is removed.
//  - An assertion that is known to hold is removed.
// With fast_math a float rule may ignore NaN, infinities and the sign of zero; all other float rules are exact bit for bit.
#include "passes/fold.h"

#include "passes/passes.h"
#include "passes/slots.h"

#include <utility>

namespace qd::passes {

namespace folding {

std::optional<Constant> Fold::constant(Value v) const {
    const ir::Inst *in = &fn[v];
    if (in->op == Op::splat) in = &fn[fn.args(v)[0]];
    if (in->op != Op::constant) return {};
    return Constant{in->type.elem, in->imm};
}

Value Fold::emit(Op op, std::initializer_list<Value> args, Type type, SpanId span) {
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

Value Fold::emit_constant(Type type, uint64_t value, SpanId span) {
    Value c = emit(Op::constant, {}, Type(type.elem), span);
    fn[c].imm = value;
    return type.lanes > 1 ? emit(Op::splat, {c}, type, span) : c;
}

Value Fold::emit_constant(Value like, Constant c) {
    return emit_constant(Type(c.type, fn[like].type.lanes), c.bits, fn[like].span);
}

/// Turns `v` into another instruction of the same type.
Value Fold::become(Value v, Op op, std::initializer_list<Value> args) {
    fn[v].op = op;
    fn[v].imm = 0;
    fn[v].args = fn.make_list({args.begin(), args.size()});
    changed = true;
    return v;
}

Value Fold::become_constant(Value v, uint64_t value) {
    Type t = fn[v].type;
    if (t.lanes > 1) return emit_constant(t, value, fn[v].span);
    become(v, Op::constant, {});
    fn[v].imm = value;
    return v;
}

Value Fold::evaluate(Value v) {
    std::span<const Value> args = fn.args(v);
    Constant operands[3];
    if (args.empty() || args.size() > 3 || !ir::can_eval(fn[v].op)) return v;
    for (size_t i = 0; i < args.size(); ++i) {
        std::optional<Constant> c = constant(args[i]);
        if (!c) return v;
        operands[i] = *c;
    }
    const Constant result = ir::eval(fn[v].op, fn[v].type.elem, {operands, args.size()});
    return become_constant(v, fn[v].op == Op::bitcast ? result : ir::flushed_if_fast(fn, result));
}

bool Fold::order(Value v) {
    std::span<Value> args = fn.args(v);
    if (args.size() != 2 || !constant(args[0]) || constant(args[1])) return false;
    // The derivative goes to the second of equal operands, so their order matters.
    if ((fn[v].op == Op::min || fn[v].op == Op::max) && fn[v].type.is_float()) return false;
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

Value Fold::identity(Value v) {
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

Value Fold::give(Value v, Gives gives, Value left, Value right) {
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

/// The simplest value equivalent to `v`.
Value Fold::simplify(Value v) {
    if (ir::info(fn[v].op).effect != ir::Effect::pure) return v;
    for (int round = 0; round < 8; ++round) {
        if (fn[v].op == Op::constant || fn[v].args.size == 0) return v;
        bool before = std::exchange(changed, false);
        Value by = evaluate(v);
        if (fn.has_flag(ir::CompileFlag::no_algebra)) {
            changed |= before || by != v;
            return by;
        }
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

bool Fold::is_nonnegative(Value v) const {
    if (v.id < nonnegative.size() && nonnegative[v.id]) return true;
    if (!fn.type(v).is_int()) return false;
    if (!ir::is_signed(fn.type(v).elem)) return true;
    std::optional<Constant> c = constant(v);
    return c && ir::to_int(*c) >= 0;
}

bool Fold::finds_nonnegative(Value v) const {
    const ir::Inst &in = fn[v];
    if (!in.type.is_int()) return false;
    auto known = [&](int i) { return is_nonnegative(arg(v, i)); };
    if (in.op == Op::dim) return true;
    if (in.op == Op::select) return known(1) && known(2);
    if (in.op == Op::cast) {
        Scalar from = fn.type(arg(v, 0)).elem;
        return ir::is_int(from) && known(0) && lossless(from, in.type.elem);
    }
    if (ir::family(in.op) == ir::Family::arithmetic) {
        switch (ir::ArithmeticOp(in.op)) {
        case ir::ArithmeticOp::div:
        case ir::ArithmeticOp::floordiv:
        case ir::ArithmeticOp::min: return known(0) && known(1);
        case ir::ArithmeticOp::max: return known(0) || known(1);
        case ir::ArithmeticOp::rem: return known(0);
        case ir::ArithmeticOp::mod: return known(1);
        case ir::ArithmeticOp::add:
        case ir::ArithmeticOp::sub:
        case ir::ArithmeticOp::mul:
        case ir::ArithmeticOp::pow:
        case ir::ArithmeticOp::neg:
        case ir::ArithmeticOp::abs:
        case ir::ArithmeticOp::sign: return false; // may wrap around
        }
    }
    if (ir::family(in.op) == ir::Family::bits) {
        switch (ir::BitsOp(in.op)) {
        case ir::BitsOp::band: return known(0) || known(1);
        case ir::BitsOp::bor:
        case ir::BitsOp::bxor: return known(0) && known(1);
        case ir::BitsOp::shr: return known(0);
        case ir::BitsOp::ushr: {
            std::optional<Constant> c = constant(arg(v, 1));
            return known(0) || (c && c->bits % uint64_t(ir::bits_of(c->type)) != 0);
        }
        case ir::BitsOp::popcnt:
        case ir::BitsOp::clz: return true;
        case ir::BitsOp::bnot:
        case ir::BitsOp::shl: return false;
        }
    }
    return false;
}

void Fold::note_nonnegative(Value v) {
    if (v.id >= nonnegative.size()) nonnegative.resize(fn.insts.size());
    nonnegative[v.id] = 1;
}

void Fold::learn(Value c, bool holds) {
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
        if (x.id >= truth.size()) truth.resize(fn.insts.size()); // created by this pass
        facts.push_back({x, {}, truth[x.id]});
        rename.replace(x, y);
    }
}

void Fold::forget(size_t mark) {
    for (; facts.size() > mark; facts.pop_back()) {
        truth[facts.back().v.id] = facts.back().truth;
        if (facts.back().v.id < rename.to.size()) rename.to[facts.back().v.id] = facts.back().renamed;
    }
}

void Fold::resolve(Value v) {
    for (uint32_t i = 0; i < fn[v].args.size; ++i) {
        Value a = rename(arg(v, int(i)));
        if (a.id < truth.size() && truth[a.id]) a = emit_constant(Type(Scalar::u1), truth[a.id] == 2, fn[v].span);
        if (a != arg(v, int(i))) changed = true;
        fn.args(v)[i] = a;
    }
}

bool Fold::holds(Value v) const {
    if (fn[v].op != Op::assert_) return false;
    std::optional<Constant> c = constant(arg(v, 0));
    return c && c->bits == 1;
}

void Fold::run(BlockId b) {
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

void Fold::branches(Value v) {
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

void Fold::loop(Value v) {
    BlockId body = fn[v].blocks[0];
    // Indices of cells may have an offset, so they may be negative.
    const bool cells = fn[v].op == Op::parallel && fn.loops[fn[v].imm].cells;
    uint32_t indices = cells ? 0 : first_carried(fn, v);
    for (uint32_t i = 0; i < indices; ++i)
        if (is_nonnegative(arg(v, int(2 * i)))) note_nonnegative(fn[body].params[i]);
    run(body);
}

} // namespace folding

bool fold(ir::Function &fn, const Config &) {
    folding::Fold f(fn);
    for (ir::BlockId root : {fn.bounds, fn.body})
        if (root) f.run(root);
    return f.changed;
}

} // namespace qd::passes
