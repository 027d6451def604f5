// Debug mode: + - * << of integers that do not fit print a line, and go on with what wraps around.
#include "frontend/message.h"
#include "frontend/walker.h"

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

const char *word(Op op) {
    switch (op) {
    case Op::add: return "Addition";
    case Op::sub: return "Subtraction";
    case Op::mul: return "Multiplication";
    case Op::shl: return "Shift left";
    default: return nullptr;
    }
}

} // namespace

/// x op y, watched in debug mode.
ir::Value Walker::watched(Op op, ir::Value x, ir::Value y) {
    const ir::Value result = emit2(op, x, y);
    const Scalar type = fn_.type(x).elem;
    if (!request_.options.debug || ir::is_float(type) || type == Scalar::u1 || !word(op)) return result;
    const Nested nested(*this);
    const ir::Value branch = b_.if_(overflows(op, x, y, result));
    const ir::BlockId outer = std::exchange(b_.block, fn_[branch].blocks[0]);
    ir::Message message;
    message.pieces.push_back({std::string(word(op)) + " overflow detected in " + render_places(levels()), -1});
    emit_message(Op::print, std::move(message), {});
    b_.yield();
    b_.block = fn_[branch].blocks[1];
    b_.yield();
    b_.block = outer;
    return result;
}

/// Whether `result`, which wrapped around, is not x op y.
ir::Value Walker::overflows(Op op, ir::Value x, ir::Value y, ir::Value result) {
    const Scalar type = fn_.type(x).elem;
    const bool with_sign = ir::is_signed(type);
    const ir::Value zero = b_.integer(type, 0);
    switch (op) {
    case Op::add: {
        if (!with_sign) return b_.lt(result, x);
        const ir::Value left = b_.bxor(x, result), right = b_.bxor(y, result);
        const ir::Value both = b_.band(left, right); // the operands have one sign, the result the other
        return b_.lt(both, zero);
    }
    case Op::sub: {
        if (!with_sign) return b_.lt(x, y);
        const ir::Value operands = b_.bxor(x, y), left = b_.bxor(x, result);
        const ir::Value both = b_.band(operands, left);
        return b_.lt(both, zero);
    }
    case Op::mul: return product_overflows(x, y, result);
    default: { // shl
        const ir::Value back = with_sign ? b_.shr(result, y) : b_.ushr(result, y);
        const ir::Value lost = b_.ne(back, x);
        const ir::Value width = b_.integer(type, ir::bits_of(type));
        const ir::Value beyond = b_.ge(y, width), below = b_.lt(y, zero), some = b_.ne(x, zero);
        const ir::Value count = b_.bor(beyond, below);
        const ir::Value gone = b_.band(count, some);
        return b_.bor(lost, gone);
    }
    }
}

ir::Value Walker::product_overflows(ir::Value x, ir::Value y, ir::Value result) {
    const Scalar type = fn_.type(x).elem;
    const bool with_sign = ir::is_signed(type);
    if (ir::bits_of(type) < 64) {
        const Scalar wide = with_sign ? Scalar::i64 : Scalar::u64;
        const ir::Value left = b_.cast(x, wide), right = b_.cast(y, wide);
        const ir::Value exact = b_.mul(left, right);
        const ir::Value kept = b_.cast(result, wide);
        return b_.ne(exact, kept);
    }
    const ir::Value zero = b_.integer(type, 0);
    const ir::Value some = b_.ne(x, zero);
    const ir::Value back = b_.div(result, x);
    ir::Value wrong = b_.ne(back, y);
    if (with_sign) { // -1 * MIN gives MIN, and so does MIN / -1
        const ir::Value minus_one = b_.integer(type, -1), lowest = b_.integer(type, INT64_MIN);
        const ir::Value flips = b_.eq(x, minus_one), is_lowest = b_.eq(y, lowest);
        const ir::Value corner = b_.band(flips, is_lowest);
        wrong = b_.bor(wrong, corner);
    }
    return b_.band(some, wrong);
}

} // namespace qd::frontend
