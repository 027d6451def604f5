// Atomic updates: one per component, each giving the old value. The amount is converted to the place's type first. On a
// variable that only this thread sees, one made in the parallel loop being walked or outside of any, they are a plain
// load and store.
#include "frontend/builtins.h"

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

const char *word(Op op, bool negate) {
    switch (op) {
    case Op::atomic_add: return negate ? "sub" : "add";
    case Op::atomic_mul: return "mul";
    case Op::atomic_min: return "min";
    case Op::atomic_max: return "max";
    case Op::atomic_and: return "bit_and";
    case Op::atomic_or: return "bit_or";
    case Op::atomic_xor: return "bit_xor";
    case Op::atomic_xchg: return "exchange";
    default: return "cas";
    }
}

Op plain(Op op, bool negate) {
    switch (op) {
    case Op::atomic_mul: return Op::mul;
    case Op::atomic_min: return Op::min;
    case Op::atomic_max: return Op::max;
    case Op::atomic_and: return Op::band;
    case Op::atomic_or: return Op::bor;
    case Op::atomic_xor: return Op::bxor;
    default: return negate ? Op::sub : Op::add;
    }
}

} // namespace

Val Walker::update_atomic(const Node *node, Op op, bool negate, const Ref &ref, const Val &given) {
    Val v = load(given);
    const bool bitwise = op == Op::atomic_and || op == Op::atomic_or || op == Op::atomic_xor;
    if (v.tag != Tag::scalar && !is_number(v)) v = to_matrix(node, v);
    if (v.tag == Tag::matrix && (v.n != ref.n || v.m != ref.m || v.ndim != ref.ndim)) {
        Val place;
        place.tag = Tag::ref;
        place.ref = std::make_shared<Ref>(ref);
        fail_unsupported(node, word(op, negate), place, v);
    }
    const Scalar from = scalar_type(node, v);
    if (bitwise && (ir::is_float(ref.elem) || ir::is_float(from)))
        fail_type(node, std::string("unsupported operand type(s) for 'atomic ") + word(op, negate) + "': '" +
                            ir::to_string(ref.elem) + "' and '" + ir::to_string(from) + "'");
    if (promote(ref.elem, from) != ref.elem && (v.tag != Tag::constant || ir::is_float(from) || ref.elem == Scalar::u1))
        warn(node, "UserWarning",
             std::string("Atomic ") + word(op, negate) + " may lose precision: " + ir::to_string(ref.elem) + " <- " +
                 ir::to_string(from));
    Val out;
    out.tag = ref.ndim ? Tag::matrix : Tag::scalar;
    out.elem = ref.elem;
    out.n = ref.n;
    out.m = ref.m;
    out.ndim = ref.ndim;
    for (int k = 0; k < ref.n * ref.m; ++k) {
        const ir::Value amount = as(node, v.tag == Tag::matrix ? component(v, k) : v, ref.elem);
        const bool packed = ref.field && ref.field->is_packed();
        const ir::Value pointer = packed ? ir::Value{} : ref.ndim ? part_pointer(ref, k) : scalar_pointer(ref);
        ir::Value old;
        if (packed) {
            old = update_packed(ref, k, [&](ir::Value before) {
                return op == Op::atomic_xchg ? amount : watched(plain(op, negate), before, amount);
            });
        } else if (is_private(ref)) {
            old = b_.load(pointer);
            const ir::Value updated = op == Op::atomic_xchg ? amount : watched(plain(op, negate), old, amount);
            b_.store(pointer, updated);
        } else {
            const ir::Value change = negate ? b_.neg(amount) : amount;
            old = b_.emit(op, {pointer, change});
            if (request_.options.debug) watched(plain(op, negate), old, amount); // reports
        }
        if (ref.ndim)
            out.comps.push_back(old);
        else
            out.v = old;
    }
    return out;
}

namespace {

[[noreturn]] void fail_target(Walker &w, const Call &call) {
    w.fail_syntax(call.arg_node(0),
                  std::string("cannot use a non-writable target as the first operand of '") + call.row->name + "'",
                  "it is a variable, or an element of a field or an ndarray");
}

} // namespace

Val Walker::atomic(const Call &call) {
    const Val &place = call.args[0];
    if (place.tag != Tag::ref) fail_target(*this, call);
    return update_atomic(call.node, call.row->op, call.row->flag == Flag::negate, *place.ref, call.args[1]);
}

Val Walker::atomic_cas(const Call &call) {
    const Node *node = call.node;
    if (call.args[0].tag != Tag::ref) fail_target(*this, call);
    if (call.args[0].ref->ndim)
        fail_type(node, "'atomic_cas' takes one integer, not " + type_text(call.args[0]),
                  "update component by component");
    const Ref &ref = *call.args[0].ref;
    if (ir::is_float(ref.elem))
        fail_type(node,
                  "'atomic_cas' takes integral inputs only, however '" + ir::to_string(ref.elem) + "' is provided");
    const ir::Value expected = as(node, call.args[1], ref.elem);
    const ir::Value desired = as(node, call.args[2], ref.elem);
    if (ref.field && ref.field->is_packed())
        return scalar(update_packed(ref, 0, [&](ir::Value before) {
            const ir::Value same = b_.eq(before, expected);
            return b_.select(same, desired, before);
        }));
    const ir::Value pointer = scalar_pointer(ref);
    if (!is_private(ref)) return scalar(b_.atomic_cas(pointer, expected, desired));
    const ir::Value old = b_.load(pointer);
    const ir::Value same = b_.eq(old, expected);
    const ir::Value updated = b_.select(same, desired, old);
    b_.store(pointer, updated);
    return scalar(old);
}

Val Walker::volatile_load(const Call &call) {
    const Val &place = call.args[0];
    if (place.is_constant() && kind_of(place.object.get()) != Kind::foreign)
        fail_syntax(call.node, "volatile_load takes an element, not a Field directly",
                    "write `qd.volatile_load(x[i])`");
    if (place.tag == Tag::matrix) fail_type(call.node, "volatile_load cannot read a local array");
    if (place.tag != Tag::ref)
        fail_syntax(call.node, "volatile_load needs an lvalue: an element of a field or ndarray");
    if (place.ref->local) fail_type(call.node, "volatile_load cannot read a local variable or a local array");
    // An atomic that changes nothing: it is neither merged nor moved.
    const Ref &ref = *place.ref;
    const auto read = [&](int k) {
        if (ref.field && ref.field->is_packed()) return update_packed(ref, k, [](ir::Value before) { return before; });
        const ir::Value pointer = ref.ndim ? part_pointer(ref, k) : scalar_pointer(ref);
        if (!ir::is_float(ref.elem)) return b_.atomic_or(pointer, b_.integer(ref.elem, 0));
        const Scalar word = ref.elem == Scalar::f64 ? Scalar::i64 : ref.elem == Scalar::f32 ? Scalar::i32 : Scalar::i16;
        const ir::Value bits = b_.offset(pointer, b_.integer(Scalar::i64, 0), word); // sums would lose a sign of zero
        return b_.bitcast(b_.atomic_or(bits, b_.integer(word, 0)), ref.elem);
    };
    if (!ref.ndim) return scalar(read(0));
    std::vector<ir::Value> comps;
    for (int k = 0; k < ref.n * ref.m; ++k) comps.push_back(read(k));
    return make_matrix(std::move(comps), ref.n, ref.m, ref.ndim);
}

} // namespace qd::frontend
