#pragma once
// Finds the memory that a task only accumulates into, and the order that its updates need.
#include "abi/accumulation.h"
#include "ir/function.h"

#include <optional>
#include <vector>

namespace qd::analysis {

struct Accumulations {
    std::vector<abi::Accumulation> list; ///< at most abi::max_accumulations
    std::vector<uint8_t> number;         ///< by Value id: for an atomic on one of them, its number plus 1
    abi::Updates updates;

    std::optional<size_t> of(ir::Value atomic) const {
        if (atomic.id >= number.size() || !number[atomic.id]) return {};
        return number[atomic.id] - 1u;
    }
};

/// Analyses a task that is ready to be emitted.
Accumulations accumulations(const ir::Function &task, const std::vector<uint32_t> &uses);

} // namespace qd::analysis
