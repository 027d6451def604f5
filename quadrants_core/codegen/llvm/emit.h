#pragma once
// Translates a task in legal IR into an LLVM module that defines abi::body_symbol and, for range tasks, abi::bounds_symbol.
//
// Legal means: the role is serial_task or range_task, and the IR holds nothing that a pass of the `cpu` backend removes
// (`legalize` in backends/cpu/target.cpp). All other ops of ops.def are accepted, scalar and vector alike.
#include "ir/function.h"

#include <functional>
#include <memory>
#include <stdexcept>

#include <llvm/IR/IRBuilder.h>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace qd::codegen {

/// Thrown if a task cannot be compiled: it is not legal, or LLVM rejects it.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Features of the target that emission may use beyond portable instructions.
struct TargetFacts {
    /// Emits an estimate of 1/sqrt(x), accurate to at least 11 bits, with the right limits at 0 and infinity. Returns null if
    /// the type has none.
    std::function<llvm::Value *(llvm::IRBuilder<> &, llvm::Value *x)> root_estimate;
    /// The counter of device_lib/clock.h is the cycle counter, which cannot be read on every target.
    bool clock_counts_cycles = false;
    /// LLVM's FastISel selects the instructions: those that it supports are the cheapest to compile.
    bool plain = false;
    /// One instruction can combine any lanes of two registers.
    bool shuffles_any = false;
};

/// `lines`: adds a line table, see lines.h.
std::unique_ptr<llvm::Module> emit(const ir::Function &task, llvm::LLVMContext &context, const TargetFacts &target,
                                   bool lines);

} // namespace qd::codegen
