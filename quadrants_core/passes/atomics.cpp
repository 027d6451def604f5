#include "passes/atomics.h"

namespace qd::passes {

using namespace ir;

Scalar unsigned_of(Scalar type) {
    const int bytes = size_of(type);
    return bytes == 1 ? Scalar::u8 : bytes == 2 ? Scalar::u16 : bytes == 4 ? Scalar::u32 : Scalar::u64;
}

Value updated(Builder &b, Op atomic, std::span<const Value> args, Value old) {
    const Op op = plain_op(atomic);
    if (op != Op::param) return b.emit(op, {old, args[1]});
    if (atomic == Op::atomic_xchg) return args[1];
    // cas compares bits, as the atomic does
    const Type type = b.fn.type(old);
    Value left = old, right = args[1];
    if (type.is_float()) {
        left = b.bitcast(left, unsigned_of(type.elem));
        right = b.bitcast(right, unsigned_of(type.elem));
    }
    const Value equal = b.eq(left, right);
    return b.select(equal, args[2], old);
}

} // namespace qd::passes
