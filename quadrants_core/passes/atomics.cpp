#include "passes/atomics.h"

namespace qd::passes {

using namespace ir;

Scalar unsigned_of(Scalar type) {
    switch (size_of(type)) {
    case 1: return Scalar::u8;
    case 2: return Scalar::u16;
    case 4: return Scalar::u32;
    default: return Scalar::u64;
    }
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
