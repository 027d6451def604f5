#pragma once
// A task in legal IR -> an LLVM module that defines abi::body_symbol and, for range tasks, abi::bounds_symbol.
//
// Legal means: role serial_task or range_task, and nothing that one of the passes in the list of the `cpu` backend takes
// away (`legalize` in backends/cpu/target.cpp). Everything else of ops.def is accepted, scalar and vector alike.
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

/// The task cannot be compiled: it is not legal, or LLVM says no.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What emission may use of the target beyond portable instructions.
struct TargetFacts {
    /// About 1/sqrt(x), good to 11 bits or better, with the right limits at 0 and infinity. Null: none for this type.
    std::function<llvm::Value *(llvm::IRBuilder<> &, llvm::Value *x)> root_estimate;
    /// The counter of device_lib/clock.h is that of cycles, which other targets may not read.
    bool clock_counts_cycles = false;
    /// Instructions are selected by LLVM's fast selector: those that it knows are the cheapest to compile.
    bool plain = false;
    /// Any lanes of two registers are put together by one instruction.
    bool shuffles_any = false;
};

/// `lines`: with a line table, see lines.h.
std::unique_ptr<llvm::Module> emit(const ir::Function &task, llvm::LLVMContext &context, const TargetFacts &target,
                                   bool lines);

} // namespace qd::codegen
