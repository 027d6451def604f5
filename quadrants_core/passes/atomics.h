#pragma once
// The atomics that a target executes as one instruction, and the operation that an atomic performs.
#include "ir/builder.h"

#include <array>

namespace qd::passes {

/// The atomics that a target has, by op and type. At first it has all.
struct Atomics {
    static constexpr size_t ops = size_t(ir::Op::atomic_cas) - size_t(ir::Op::atomic_add) + 1;
    std::array<uint16_t, ops> types; ///< by op: one bit per ir::Scalar

    constexpr Atomics() { types.fill(UINT16_MAX); }
    static constexpr Atomics none() {
        Atomics a;
        a.types.fill(0);
        return a;
    }
    constexpr bool has(ir::Op op, ir::Scalar type) const {
        return types[size_t(op) - size_t(ir::Op::atomic_add)] >> int(type) & 1;
    }
    constexpr void add(ir::Op op, ir::Scalar type) {
        types[size_t(op) - size_t(ir::Op::atomic_add)] |= uint16_t(1u << int(type));
    }
};

/// Emits the value that an atomic with the operands `args` stores where it finds `old`.
ir::Value updated(ir::Builder &b, ir::Op atomic, std::span<const ir::Value> args, ir::Value old);
/// The unsigned integer of a scalar's size.
ir::Scalar unsigned_of(ir::Scalar type);

} // namespace qd::passes
