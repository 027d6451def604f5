#pragma once
// The surroundings of machine code on the host: it is called with (Launch *, Thread *, ...), and calls abi::HostServices.
#include "codegen/llvm/task_code.h"
#include "codegen/llvm/task_frame.h"

namespace qd::codegen {

/// Declares a function of a task. All take (Launch *, Thread *, ...). The rest is the begin and end of a chunk, the address for
/// the range, or the frame of an outlined part.
llvm::Function *declare(llvm::Module &module, const char *name, llvm::ArrayRef<llvm::Type *> rest, bool fast_math);

std::unique_ptr<TaskFrame> make_cpu_frame(TaskCode &code);

} // namespace qd::codegen
