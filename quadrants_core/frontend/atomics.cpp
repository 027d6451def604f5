// Atomic updates: one per component, each returning the old value. The amount is first converted to the place's type. On a variable that
// only this thread can access, made in the current parallel loop or outside any, they are a plain load and store.
#include "frontend/atomics.h"

#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/overflow.h"
#include "frontend/packed.h"
#include "frontend/place.h"
#include "frontend/suggest.h"
#include "frontend/types.h"

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

const char *word(Op op, bool negate) {
    switch (ir::AtomicOp(op)) {
    case ir::AtomicOp::atomic_add: return negate ? "sub" : "add";
    case ir::AtomicOp::atomic_mul: return "mul";
    case ir::AtomicOp::atomic_min: return "min";
    case ir::AtomicOp::atomic_max: return "max";
    case ir::AtomicOp::atomic_and: return "bit_and";
    case ir::AtomicOp::atomic_or: return "bit_or";
    case ir::AtomicOp::atomic_xor: return "bit_xor";
    case ir::AtomicOp::atomic_xchg: return "exchange";
    case ir::AtomicOp::atomic_cas: return "cas";
    }
    fail_internal("not an atomic op");
}

/// The new value that an update computes from the old one.
ir::Value updated(Walk &w, Op op, bool negate, ir::Value old, ir::Value amount) {
    if (op == Op::atomic_xchg) return amount;
    return checked_arithmetic(w, negate ? Op::sub : ir::plain_op(op), old, amount);
}

} // namespace

Val update_atomic(Walk &w, const Node *node, Op op, bool negate, const Ref &ref, const Val &given) {
    Val v = w.places.load(given);
    const bool bitwise = op == Op::atomic_and || op == Op::atomic_or || op == Op::atomic_xor;
    if (!v.is_scalar() && !is_number(v)) v = to_matrix(w, node, v);
    if (const val::Matrix *m = v.if_matrix(); m && (m->n != ref.n || m->m != ref.m || m->ndim != ref.ndim))
        fail_unsupported(w, node, word(op, negate), val::Place{std::make_shared<Ref>(ref)}, v);
    const Scalar from = scalar_type(w, node, v);
    if (bitwise && (ir::is_float(ref.elem) || ir::is_float(from)))
        w.fail_type(node, std::string("unsupported operand type(s) for 'atomic ") + word(op, negate) + "': '" +
                              ir::to_string(ref.elem) + "' and '" + ir::to_string(from) + "'");
    if (promote(ref.elem, from) != ref.elem && (!v.is_constant() || ir::is_float(from) || ref.elem == Scalar::u1))
        w.warn(node, "UserWarning",
               std::string("Atomic ") + word(op, negate) + " may lose precision: " + ir::to_string(ref.elem) + " <- " +
                   ir::to_string(from) + why_narrow(w, node, ref.elem, from));
    std::vector<ir::Value> olds;
    for (int k = 0; k < ref.n * ref.m; ++k) {
        const ir::Value amount = as(w, node, v.is_matrix() ? component(v, k) : v, ref.elem);
        const bool packed = ref.field && ref.field->is_packed();
        const ir::Value pointer = packed     ? ir::Value{}
                                  : ref.ndim ? w.places.part_pointer(ref, k)
                                             : w.places.scalar_pointer(ref);
        ir::Value old;
        if (!packed && is_private(w, ref)) {
            old = w.b.load(pointer);
            w.b.store(pointer, updated(w, op, negate, old, amount));
        } else {
            const ir::Value change = negate ? w.b.neg(amount) : amount;
            old = packed ? w.packed.update(ref, k, op, std::array{change}) : w.b.emit(op, {pointer, change});
            if (w.request.options.debug) updated(w, op, negate, old, amount); // for its overflow check
        }
        olds.push_back(old);
    }
    if (!ref.ndim) return val::Scalar{olds[0], ref.elem};
    return val::Matrix{std::move(olds), ref.n, ref.m, ref.ndim, ref.elem};
}

namespace {

[[noreturn]] void fail_target(Walk &w, const Call &call) {
    w.fail_syntax(call.arg_node(0),
                  std::string("cannot use a non-writable target as the first operand of '") + call.row->name + "'",
                  "it is a variable, or an element of a field or an ndarray");
}

} // namespace

Val handlers::atomic(Walk &w, const Call &call, Op op) {
    const Val &place = call.args[0];
    if (!place.is_ref()) fail_target(w, call);
    return update_atomic(w, call.node, op, false, *place.ref(), call.args[1]);
}

Val handlers::atomic_sub(Walk &w, const Call &call) {
    const Val &place = call.args[0];
    if (!place.is_ref()) fail_target(w, call);
    return update_atomic(w, call.node, Op::atomic_add, true, *place.ref(), call.args[1]);
}

Val handlers::atomic_cas(Walk &w, const Call &call) {
    const Node *node = call.node;
    if (!call.args[0].is_ref()) fail_target(w, call);
    if (call.args[0].ref()->ndim)
        w.fail_type(node, "'atomic_cas' takes one integer, not " + type_text(w, call.args[0]),
                    "update component by component");
    const Ref &ref = *call.args[0].ref();
    if (ir::is_float(ref.elem))
        w.fail_type(node,
                    "'atomic_cas' takes integral inputs only, however '" + ir::to_string(ref.elem) + "' is provided");
    const ir::Value expected = as(w, node, call.args[1], ref.elem);
    const ir::Value desired = as(w, node, call.args[2], ref.elem);
    if (ref.field && ref.field->is_packed())
        return scalar(w, w.packed.update(ref, 0, Op::atomic_cas, std::array{expected, desired}));
    const ir::Value pointer = w.places.scalar_pointer(ref);
    if (!is_private(w, ref)) return scalar(w, w.b.atomic_cas(pointer, expected, desired));
    const ir::Value old = w.b.load(pointer);
    const ir::Value same = w.b.eq(old, expected);
    const ir::Value updated = w.b.select(same, desired, old);
    w.b.store(pointer, updated);
    return scalar(w, old);
}

Val handlers::volatile_load(Walk &w, const Call &call) {
    const Val &place = call.args[0];
    if (place.is_constant() && w.objects.kind_of(place.object()) != Kind::foreign)
        w.fail_syntax(call.node, "volatile_load takes an element, not a Field directly",
                      "write `qd.volatile_load(x[i])`");
    if (place.is_matrix()) w.fail_type(call.node, "volatile_load cannot read a local array");
    if (!place.is_ref()) w.fail_syntax(call.node, "volatile_load needs an lvalue: an element of a field or ndarray");
    if (place.ref()->local) w.fail_type(call.node, "volatile_load cannot read a local variable or a local array");
    const Ref &ref = *place.ref();
    const auto read = [&](int k) {
        if (ref.field && ref.field->is_packed()) return w.packed.volatile_load(ref, k);
        return w.b.volatile_load(ref.ndim ? w.places.part_pointer(ref, k) : w.places.scalar_pointer(ref));
    };
    if (!ref.ndim) return scalar(w, read(0));
    std::vector<ir::Value> comps;
    for (int k = 0; k < ref.n * ref.m; ++k) comps.push_back(read(k));
    return make_matrix(w, std::move(comps), ref.n, ref.m, ref.ndim);
}

} // namespace qd::frontend
