#include "codegen/spirv/updates.h"

namespace qd::codegen::spirv {

using ir::AtomicOp;
using Semantics = spv::MemorySemanticsMask;

void UpdateCode::atomic(Value v) { code_.set(v, memory_.is_private(fn_.args(v)[0]) ? alone(v) : shared(v)); }

/// The number that an update stores where it finds `old`.
Id UpdateCode::applied(Value v, Id old) {
    const Op op = fn_[v].op;
    const Scalar t = fn_[v].type.elem;
    const Id x = code_.arg(v, 1);
    if (op == Op::atomic_xchg) return x;
    if (op == Op::atomic_cas) {
        const bool is_bool = t == Scalar::u1;
        const Id type = code_.scalar(t);
        const Id bits = is_bool ? type : code_.integer(bits_in_memory(t));
        const Id equal = code_.boolean(is_bool ? spv::Op::OpLogicalEqual : spv::Op::OpIEqual,
                                       {code_.bitcast(bits, type, old), code_.bitcast(bits, type, x)});
        return code_.select(type, equal, code_.arg(v, 2), old);
    }
    if (t != Scalar::f16) return arithmetic_.binary(ir::plain_op(op), t, old, x);
    const Id wide_old = arithmetic_.cast(t, Scalar::f32, old), wide_x = arithmetic_.cast(t, Scalar::f32, x);
    return arithmetic_.cast(Scalar::f32, t, arithmetic_.binary(ir::plain_op(op), Scalar::f32, wide_old, wide_x));
}

Id UpdateCode::alone(Value v) {
    const Scalar t = fn_[v].type.elem;
    const MemoryCode::Place at = memory_.place(fn_.args(v)[0], t, false);
    const Id old = memory_.load_from(at, t);
    memory_.store_to(at, t, applied(v, old));
    return old;
}

/// Exchanges order other accesses, since locks are made of them.
Id UpdateCode::exchange(Value v, const MemoryCode::Place &at) {
    const Id scope = memory_.scope_of(fn_.args(v)[0]), type = code_.scalar(fn_[v].type.elem);
    const Id order = memory_.atomic_semantics(Semantics::AcquireRelease);
    const Id x = code_.bitcast(at.type, type, code_.arg(v, 1));
    if (fn_[v].op == Op::atomic_xchg)
        return code_.bitcast(type, at.type,
                             code_.op(spv::Op::OpAtomicExchange, at.type, {at.pointer, scope, order, x}));
    if (!at.as_integer) code_.refuse("of floats in memory of a block that is also updated as floats");
    const Id desired = code_.bitcast(at.type, type, code_.arg(v, 2));
    const Id unequal = memory_.atomic_semantics(Semantics::Acquire);
    const Id old = code_.op(spv::Op::OpAtomicCompareExchange, at.type, {at.pointer, scope, order, unequal, desired, x});
    return code_.bitcast(type, at.type, old);
}

Id UpdateCode::shared(Value v) {
    const Op op = fn_[v].op;
    const Scalar t = fn_[v].type.elem;
    const bool is_float = ir::is_float(t), exchanges = op == Op::atomic_xchg || op == Op::atomic_cas;
    if (ir::size_of(t) < 4) code_.refuse("of fewer than 32 bits must be lowered first");
    if (is_float && !exchanges && op != Op::atomic_add) code_.refuse("of floats must be lowered first");
    if (is_float && !exchanges)
        code_.need(t == Scalar::f32 ? Capability::AtomicFloat32AddEXT : Capability::AtomicFloat64AddEXT);
    const MemoryCode::Place at = memory_.place(fn_.args(v)[0], t, exchanges);
    if (at.as_integer && ir::size_of(t) == 8) code_.need(Capability::Int64Atomics);
    if (exchanges) return exchange(v, at);

    const auto apply = [&](spv::Op code) {
        const Id scope = memory_.scope_of(fn_.args(v)[0]), order = memory_.atomic_semantics(Semantics::MaskNone);
        return code_.op(code, at.type, {at.pointer, scope, order, code_.arg(v, 1)});
    };
    const bool is_signed = ir::is_signed(t);
    switch (AtomicOp(op)) {
    case AtomicOp::atomic_add: return apply(is_float ? spv::Op::OpAtomicFAddEXT : spv::Op::OpAtomicIAdd);
    case AtomicOp::atomic_min: return apply(is_signed ? spv::Op::OpAtomicSMin : spv::Op::OpAtomicUMin);
    case AtomicOp::atomic_max: return apply(is_signed ? spv::Op::OpAtomicSMax : spv::Op::OpAtomicUMax);
    case AtomicOp::atomic_and: return apply(spv::Op::OpAtomicAnd);
    case AtomicOp::atomic_or: return apply(spv::Op::OpAtomicOr);
    case AtomicOp::atomic_xor: return apply(spv::Op::OpAtomicXor);
    case AtomicOp::atomic_mul:
    case AtomicOp::atomic_xchg:
    case AtomicOp::atomic_cas: break;
    }
    code_.refuse("must be lowered first");
}

} // namespace qd::codegen::spirv
