#pragma once
// Translates a task in legal IR into an LLVM module that defines abi::body_symbol and, for range tasks of the host, abi::bounds_symbol.
//
// Legal means: the role is serial_task or range_task, and the IR holds nothing that a pass of the backend removes
// (`legalize` in backends/cpu/target.cpp). All other ops of ops.def are accepted, scalar and vector alike.
#include "codegen/llvm/target.h"

#include <stdexcept>

namespace llvm {
class Module;
} // namespace llvm

namespace qd::codegen {

/// Thrown if a task cannot be compiled: it is not legal, or LLVM rejects it.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// `module` has the data layout of the target. `lines`: adds a line table, see lines.h.
void emit(const ir::Function &task, llvm::Module &module, const TargetFacts &target, bool lines);

} // namespace qd::codegen
