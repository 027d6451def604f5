#pragma once
// Slots of an if or loop: slot k of a loop is its k-th initial value, carried parameter, result, and operand of each yield, continue and
// break; slot k of an if is its k-th result and operand of both yields.
#include "ir/function.h"

namespace qd::passes {

inline bool is_loop(ir::Op op) { return op == ir::Op::for_ || op == ir::Op::loop || op == ir::Op::parallel; }
/// Number of operands of a control instruction before its initial values.
inline uint32_t first_init(const ir::Function &fn, ir::Value control) {
    ir::Op op = fn[control].op;
    return op == ir::Op::for_ ? 2 : op == ir::Op::loop ? 0 : fn[control].args.size;
}
/// Number of parameters of a loop's body before its carried values.
inline uint32_t first_carried(const ir::Function &fn, ir::Value control) {
    ir::Op op = fn[control].op;
    return op == ir::Op::for_ ? 1 : op == ir::Op::parallel ? uint32_t(fn[fn[control].blocks[0]].params.size()) : 0;
}

/// Appends operands.
void append_args(ir::Function &fn, ir::Value v, std::span<const ir::Value> extra);
/// Appends results.
void append_results(ir::Function &fn, ir::Value control, std::span<const ir::Type> types);

/// Drops the slots whose `keep` is 0. `ends`: every terminator that passes values to the instruction.
void drop_slots(ir::Function &fn, ir::Value control, std::span<const ir::Value> ends, std::span<const uint8_t> keep);

} // namespace qd::passes
