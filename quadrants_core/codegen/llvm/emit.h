#pragma once
// A task in legal IR -> an LLVM module that defines abi::body_symbol and, for range tasks, abi::bounds_symbol.
//
// Legal means: role serial_task or range_task; no `element`, `place`, `parallel`; pointers are made by array_base,
// tree_base, tmp, ret_slot, local and offset. Everything else of ops.def is accepted, scalar and vector alike.
#include "ir/function.h"

#include <memory>
#include <stdexcept>

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace qd::codegen {

/// The task cannot be compiled: it is not legal, or LLVM says no.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::unique_ptr<llvm::Module> emit(const ir::Function &task, llvm::LLVMContext &context);

}  // namespace qd::codegen
