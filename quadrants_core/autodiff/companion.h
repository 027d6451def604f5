#pragma once
// Computes the address of a companion from the address of its original.
#include "autodiff/activity.h"
#include "ir/builder.h"

namespace qd::autodiff {

/// `pointer` belongs to `fn`; instructions are emitted to `b.fn`, which may be the same. There `value(v)` is the counterpart of a number
/// `v`, `array(a)` of an array parameter, `local(l)` the companion of a local. Byte offsets are preserved: the companion of a whole cell is
/// the address from which the same offset leads to the companion.
template <class ValueOf, class ArrayOf, class LocalOf>
ir::Value companion_address(const ir::Function &fn, const Companions &companions, ir::Builder &b, ir::Value pointer,
                            const ValueOf &value, const ArrayOf &array, const LocalOf &local) {
    const ir::Inst in = fn[pointer];
    const std::vector<ir::Value> args(fn.args(pointer).begin(), fn.args(pointer).end());
    if (in.op == ir::Op::local) return local(pointer);
    if (in.op == ir::Op::offset) {
        const ir::Value base = companion_address(fn, companions, b, args[0], value, array, local);
        const ir::Value bytes = value(args[1]);
        return b.emit(ir::Op::offset, {base, bytes}, in.type);
    }
    std::vector<ir::Value> given;
    if (in.op != ir::Op::place) {
        for (size_t i = 0; i < fn.params.size(); ++i)
            if (fn.params[i] == args[0]) given.push_back(array(companions.array(i)));
    }
    for (size_t i = given.size(); i < args.size(); ++i) given.push_back(value(args[i]));
    return b.emit(in.op, given, in.type, in.op == ir::Op::place ? companions.place(in.imm) : in.imm);
}

} // namespace qd::autodiff
