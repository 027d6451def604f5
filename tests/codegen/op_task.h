#pragma once
// Builds a task that applies one op to arrays.
#include "run_task.h"

#include "ir/builder.h"

namespace qd::test {

using ir::Op;
using ir::Scalar;
using ir::Type;
using ir::Value;

/// for i in range(n): out[i] = op(a[i], b[i], c[i]), `lanes` elements at a time. An atomic op changes a.
inline ir::Function make_task(Op op, std::span<const Scalar> inputs, Scalar result, int lanes) {
    ir::Function fn;
    fn.name = "op";
    fn.role = ir::Role::serial_task;
    fn.body = fn.make_block();
    auto param = [&](Type t) {
        ir::Inst in;
        in.type = t;
        Value v = fn.make(in);
        fn.params.push_back(v);
        return v;
    };
    std::vector<Value> arrays;
    for (Scalar s : inputs) arrays.push_back(param(Type::array(s, 1)));
    Value out = param(Type::array(result, 1)), n = param(Scalar::i64);
    ir::Builder b(fn, fn.body);
    auto pointer = [&](Value array, Scalar s, Value i) {
        Value base = b.emit(Op::array_base, {array}, Type::pointer(s));
        Value size = b.i64(ir::size_of(s) * lanes);
        Value bytes = b.mul(i, size);
        return b.offset(base, bytes, s);
    };
    Value zero = b.i64(0);
    fn.loops.push_back({});
    Value loop = b.for_(zero, n, {}, {});
    ir::BlockId body = fn[loop].blocks[0];
    b.ret();
    b.block = body;
    Value i = fn[body].params[0];
    std::vector<Value> args;
    for (size_t k = 0; k < inputs.size(); ++k) {
        Value p = pointer(arrays[k], inputs[k], i);
        bool in_place = k == 0 && ir::is_atomic(op);
        args.push_back(in_place ? p : b.emit(Op::load, {p}, Type(inputs[k], lanes)));
    }
    Value r = b.emit(op, args, Type(result, lanes));
    Value p = pointer(out, result, i);
    b.store(p, r);
    b.yield();
    return fn;
}

} // namespace qd::test
