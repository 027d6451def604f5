// f16 as a storage format: arithmetic on it is done in f32 and rounded after every instruction. Afterwards f16 values are only loaded,
// stored, selected, passed on, and cast to and from f32.
//
// Atomics stay: how a machine implements them is not a matter of arithmetic alone.
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace qd::passes {

using namespace ir;

namespace {

bool is_f16(Type t) { return t.elem == Scalar::f16 && t.is_scalar(); }

bool computes(const Function &fn, Value v) {
    const Op op = fn[v].op;
    const bool is_cast = op == Op::cast;
    if (!is_cast && !is_arithmetic(op) && family(op) != Family::comparison && family(op) != Family::reduction)
        return false;
    const Type from = fn.type(fn.args(v)[0]), to = fn.type(v);
    if (is_cast) return is_f16(from) ? to.elem != Scalar::f32 && !is_f16(to) : is_f16(to) && from.elem != Scalar::f32;
    return is_f16(from);
}

Value compute(Builder &b, Value v) {
    Function &fn = b.fn;
    const Inst in = fn[v];
    std::vector<Value> args(fn.args(v).begin(), fn.args(v).end());
    for (Value &arg : args) arg = b.cast(arg, Type(Scalar::f32, fn.type(arg).lanes));
    const Value result = in.op == Op::cast ? args[0] : b.emit(in.op, args);
    return fn.type(result) == in.type ? result : b.cast(result, in.type);
}

} // namespace

bool lower_f16(Function &fn, const Config &) {
    return expand_each(fn, [&](Value v) { return computes(fn, v); }, compute);
}

} // namespace qd::passes
