// Debug mode: an integer + - * << that overflows prints a line and continues with the wrapped result.
#include "frontend/overflow.h"

#include "frontend/arithmetic.h"
#include "frontend/control.h"
#include "frontend/format.h"
#include "frontend/message.h"

#include <algorithm>
#include <iterator>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

// Each returns a u1: `result`, which wrapped around, is not the exact result of the operation on x and y.

ir::Value sum_overflows(Walk &w, ir::Value x, ir::Value y, ir::Value result) {
    const Scalar type = w.fn.type(x).elem;
    if (!ir::is_signed(type)) return w.b.lt(result, x);
    const ir::Value zero = w.b.integer(type, 0);
    const ir::Value left = w.b.bxor(x, result), right = w.b.bxor(y, result);
    const ir::Value both = w.b.band(left, right); // the operands have one sign, the result the other
    return w.b.lt(both, zero);
}

ir::Value difference_overflows(Walk &w, ir::Value x, ir::Value y, ir::Value result) {
    const Scalar type = w.fn.type(x).elem;
    if (!ir::is_signed(type)) return w.b.lt(x, y);
    const ir::Value zero = w.b.integer(type, 0);
    const ir::Value operands = w.b.bxor(x, y), left = w.b.bxor(x, result);
    const ir::Value both = w.b.band(operands, left);
    return w.b.lt(both, zero);
}

ir::Value product_overflows(Walk &w, ir::Value x, ir::Value y, ir::Value result) {
    const Scalar type = w.fn.type(x).elem;
    const bool with_sign = ir::is_signed(type);
    if (ir::bits_of(type) < 64) {
        const Scalar wide = with_sign ? Scalar::i64 : Scalar::u64;
        const ir::Value left = w.b.cast(x, wide), right = w.b.cast(y, wide);
        const ir::Value exact = w.b.mul(left, right);
        const ir::Value kept = w.b.cast(result, wide);
        return w.b.ne(exact, kept);
    }
    const ir::Value zero = w.b.integer(type, 0);
    const ir::Value some = w.b.ne(x, zero);
    const ir::Value back = w.b.div(result, x);
    ir::Value wrong = w.b.ne(back, y);
    if (with_sign) { // -1 * MIN gives MIN, and so does MIN / -1
        const ir::Value minus_one = w.b.integer(type, -1), lowest = w.b.integer(type, INT64_MIN);
        const ir::Value flips = w.b.eq(x, minus_one), is_lowest = w.b.eq(y, lowest);
        const ir::Value corner = w.b.band(flips, is_lowest);
        wrong = w.b.bor(wrong, corner);
    }
    return w.b.band(some, wrong);
}

ir::Value shift_overflows(Walk &w, ir::Value x, ir::Value y, ir::Value result) {
    const Scalar type = w.fn.type(x).elem;
    const ir::Value zero = w.b.integer(type, 0);
    const ir::Value back = ir::is_signed(type) ? w.b.shr(result, y) : w.b.ushr(result, y);
    const ir::Value lost = w.b.ne(back, x);
    const ir::Value width = w.b.integer(type, ir::bits_of(type));
    const ir::Value beyond = w.b.ge(y, width), below = w.b.lt(y, zero), some = w.b.ne(x, zero);
    const ir::Value count = w.b.bor(beyond, below);
    const ir::Value gone = w.b.band(count, some);
    return w.b.bor(lost, gone);
}

struct Row {
    Op op;
    const char *word;
    ir::Value (*overflows)(Walk &w, ir::Value x, ir::Value y, ir::Value result);
};

constexpr Row rows[] = {
    {Op::add, "Addition", sum_overflows},
    {Op::sub, "Subtraction", difference_overflows},
    {Op::mul, "Multiplication", product_overflows},
    {Op::shl, "Shift left", shift_overflows},
};

/// Writes places in cells as tracebacks do: "Cell In[4], line 2" of `File "cell 4", line 2`.
std::string named_as_cells(std::string places) {
    constexpr std::string_view begin = "File \"cell ";
    for (size_t at = 0; (at = places.find(begin, at)) != std::string::npos;) {
        const size_t number = at + begin.size(), end = places.find_first_not_of("0123456789", number);
        if (end == number || end == std::string::npos || places[end] != '"') {
            at = number;
            continue;
        }
        places.replace(at, end + 1 - at, "Cell In[" + places.substr(number, end - number) + "]");
    }
    return places;
}

} // namespace

/// Emits x op y, with an overflow check in debug mode.
ir::Value checked_arithmetic(Walk &w, Op op, ir::Value x, ir::Value y) {
    const ir::Value result = emit2(w, op, x, y);
    const Scalar type = w.fn.type(x).elem;
    if (!w.request.options.debug || ir::is_float(type) || type == Scalar::u1) return result;
    const Row *row = std::find_if(std::begin(rows), std::end(rows), [&](const Row &r) { return r.op == op; });
    if (row == std::end(rows)) return result;
    const Nested nested(w);
    const ir::Value branch = w.b.if_(row->overflows(w, x, y, result));
    const ir::BlockId outer = std::exchange(w.b.block, w.fn[branch].blocks[0]);
    ir::Message message;
    message.limited = true;
    const std::string places = named_as_cells(render_places(w.levels()));
    message.pieces.push_back({std::string(row->word) + " overflow detected in " + places, -1});
    emit_message(w, Op::print, std::move(message), {});
    w.b.yield();
    w.b.block = w.fn[branch].blocks[1];
    w.b.yield();
    w.b.block = outer;
    return result;
}

} // namespace qd::frontend
